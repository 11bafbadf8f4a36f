//! Period and decay of a standing wave of small amplitude.

use super::{Curve, conservation};
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, ReferenceCurve, Score, SeriesGroup, series_name},
};
use sph_core::scene::{StandingWave, VelocityField};
use std::f64::consts::TAU;

/// The wave of first order: one length `L` of it between `x = 0` and `x = L`, flat at time 0, with its crest at `x = 0` next.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// Amplitude, `[m]`.
    pub amplitude: f64,
    /// Wavelength, `[m]`.
    pub length: f64,
    /// Depth at rest, `[m]`.
    pub depth: f64,
    /// Gravity, `[m/s²]`.
    pub gravity: f64,
}

impl Exact {
    /// Angular frequency, `ω² = g k tanh(kH)`, `[1/s]`.
    pub fn frequency(&self) -> f64 {
        let k = TAU / self.length;
        (self.gravity * k * (k * self.depth).tanh()).sqrt()
    }

    /// Period, `[s]`.
    pub fn period(&self) -> f64 {
        TAU / self.frequency()
    }

    /// Speed with which the flat surface rises where the crest will be, `[m/s]`.
    pub fn speed(&self) -> f64 {
        self.amplitude * self.frequency()
    }

    /// The velocities at time 0.
    pub fn field(&self) -> VelocityField {
        let Self { length, depth, .. } = *self;
        VelocityField::StandingWave(StandingWave { speed: self.speed(), length, depth })
    }

    /// The exact amplitude with time, over so many periods.
    pub fn curve(&self, case: &str, periods: f64, source: &str) -> ReferenceCurve {
        let x: Vec<f64> = (0..=200).map(|k| 0.005 * f64::from(k) * periods * self.period()).collect();
        ReferenceCurve {
            case: case.into(),
            series: series_name::WAVE.into(),
            label: "first order".into(),
            citation: source.into(),
            style: crate::result::CurveStyle::Line,
            y: x.iter().map(|t| (self.frequency() * t).sin()).collect(),
            x,
        }
    }
}

/// Periods that are followed.
pub const PERIODS: usize = 3;

/// Follows a standing wave.
pub struct Standing {
    exact: Exact,
    field: VelocityField,
    source: &'static str,
    /// Amplitude over A.
    pub wave: Curve,
    /// Its part of the velocity over that at first.
    pub speed: Curve,
    /// Energy of the wave over that at first.
    pub energy: Curve,
    /// Kinetic energy over that at first.
    pub kinetic: Curve,
    /// Kinetic energy at first, `[J]`.
    first: Option<f64>,
}

impl Standing {
    /// Compares with `exact`.
    pub fn new(exact: Exact, source: &'static str) -> Self {
        let curve = Curve::default;
        let (wave, speed, energy, kinetic) = (curve(), curve(), curve(), curve());
        Self { exact, field: exact.field(), source, wave, speed, energy, kinetic, first: None }
    }

    /// Mean of crest and trough of period `k`, over the exact amplitude.
    fn amplitude(&self, k: usize) -> f64 {
        let (begin, period) = (k as f64 * self.exact.period(), self.exact.period());
        let of = |from: f64, to: f64| self.wave.within(begin + from * period..=begin + to * period);
        let crest = of(0.0, 0.5).fold(f64::NAN, f64::max);
        0.5 * (crest - of(0.5, 1.0).fold(f64::NAN, f64::min))
    }

    /// Times at which the surface is flat and rises. At the start it stands within round-off of that.
    fn rises(&self) -> Vec<f64> {
        self.wave.rises().into_iter().filter(|&t| t > 0.5 * self.exact.period()).collect()
    }

    /// Frequency, loss and energies against the exact wave.
    pub fn scores(&self) -> Vec<Score> {
        let rises = self.rises();
        let last = rises.get(PERIODS - 1).copied().unwrap_or(f64::NAN);
        let amplitudes: Vec<f64> = (0..PERIODS).map(|k| self.amplitude(k)).collect();
        let loss = 1.0 - amplitudes.last().copied().unwrap_or(f64::NAN);
        let at_last = |curve: &Curve| if last.is_nan() { last } else { curve.at(last) };
        let gone = 1.0 - at_last(&self.energy);
        let other = at_last(&self.kinetic) - at_last(&self.speed).powi(2);
        let listed = |values: &[f64]| values.iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(", ");
        // Periods and losses have signs, and may vanish by chance; this falls with resolution.
        let frequency = self.exact.frequency();
        let rms = self.wave.rms(PERIODS as f64 * self.exact.period(), |t| (frequency * t).sin());
        let scores = [
            Score::new("amplitude with time, RMS error over three periods", "-", rms)
                .with_error(rms)
                .with_note("over A")
                .as_headline(),
            Score::new("period, mean of three", "s", last / PERIODS as f64)
                .against(self.exact.period())
                .within(Band::error_at_most(0.02))
                .with_note(&format!("the surface rises through the mean at {} s", listed(&rises))),
            Score::new("loss of amplitude over three periods", "-", loss)
                .with_error(loss.abs())
                .within(Band::error_at_most(0.05))
                .with_note(&format!("crests and troughs of each period over A: {}", listed(&amplitudes))),
            Score::new("loss of the wave's energy over three periods", "-", gone)
                .with_error(gone.abs())
                .with_note("from flat surface to flat surface, where all of it is kinetic"),
            Score::new("energy of other motion over the wave's", "-", other)
                .with_note("kinetic energy less that of the wave, after three periods; not part of a loss"),
        ];
        scores.map(|score| score.from_source(self.source)).into()
    }
}

impl Metric for Standing {
    fn interval(&self) -> f64 {
        self.exact.period() / 200.0
    }

    /// The amplitude is that of the water's distribution along x, `A = 2/L Σ V cos(kx)`, and the speed the part of the exact
    /// field in the velocities, `Σ v·u / Σ u·u`: the surface needs not be found, and other motion has no part in them.
    fn observe(&mut self, view: &HostView<'_>) {
        let k = TAU / self.exact.length;
        let (mut spread, mut product, mut square) = (0.0, 0.0, 0.0);
        for i in 0..view.n() {
            let (x, v) = (view.position(i), view.velocity(i));
            let u = self.field.at(&[x[0], x[1]]);
            spread += (k * x[0]).cos();
            product += v[0] * u[0] + v[1] * u[1];
            square += u[0] * u[0] + u[1] * u[1];
        }
        let amplitude = 2.0 / self.exact.length * view.m / view.rho_0 * spread / self.exact.amplitude;
        let kinetic = conservation::sums(view).kinetic;
        let first = *self.first.get_or_insert(kinetic);
        self.wave.push(view.t, amplitude);
        self.speed.push(view.t, product / square);
        self.energy.push(view.t, amplitude.powi(2) + (product / square).powi(2));
        self.kinetic.push(view.t, kinetic / first);
    }

    fn finish(&self) -> Outcome {
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        let series = vec![
            self.wave.series(series_name::WAVE, result, t, ("amplitude over A", "-")),
            self.energy.series("energy of the wave over its first value", result, t, ("energy", "-")),
            self.kinetic.series("kinetic energy over its first value", result, t, ("kinetic energy", "-")),
        ];
        Outcome { scores: self.scores(), series, ..Outcome::default() }
    }
}
