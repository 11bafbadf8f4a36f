//! Period and decay of a standing wave of small amplitude.

use super::{Curve, conservation};
use crate::{
    case::{HostView, Metric, Outcome},
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
    wave: Curve,
    /// Its part of the velocity over that at first.
    speed: Curve,
    /// Energy of the wave over that at first.
    energy: Curve,
    /// Kinetic energy over that at first.
    kinetic: Curve,
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

    fn scores(&self) -> Vec<Score> {
        let rises = self.rises();
        let last = rises.get(PERIODS - 1).copied().unwrap_or(f64::NAN);
        let amplitudes: Vec<f64> = (0..PERIODS).map(|k| self.amplitude(k)).collect();
        let loss = 1.0 - amplitudes.last().copied().unwrap_or(f64::NAN);
        let at_last = |curve: &Curve| if last.is_nan() { last } else { curve.at(last) };
        let gone = 1.0 - at_last(&self.energy);
        let other = at_last(&self.kinetic) - at_last(&self.speed).powi(2);
        let listed = |values: &[f64]| values.iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(", ");
        let scores = [
            Score::new("period, mean of three", "s", last / PERIODS as f64)
                .against(self.exact.period())
                .within(Band::error_at_most(0.02))
                .with_note(&format!("the surface rises through the mean at {} s", listed(&rises)))
                .as_headline(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::Cloud;
    use sph_core::Real;

    const EXACT: Exact = Exact { amplitude: 0.05, length: 2.0, depth: 1.0, gravity: 9.81 };

    #[test]
    fn deep_water_has_the_frequency_of_its_length_and_shallow_water_the_speed_of_its_depth() {
        let deep = Exact { depth: 50.0, ..EXACT };
        assert!((deep.frequency().powi(2) / (9.81 * TAU / 2.0) - 1.0).abs() < 1e-12);
        let shallow = Exact { depth: 1e-3, ..EXACT };
        assert!((shallow.length / shallow.period() / (9.81e-3_f64).sqrt() - 1.0).abs() < 1e-5);
    }

    /// Columns of particles are spread as in water whose surface is a cosine.
    #[test]
    fn the_amplitude_is_that_of_the_surface() {
        let mut cloud = Cloud::lattice(80, 40, 0.025);
        for i in 0..cloud.x[0].len() {
            // x + ξ with ∂ξ/∂x = −η/H: mass goes where the surface is high.
            let x = f64::from(cloud.x[0][i]);
            cloud.x[0][i] = (x - 0.04 / std::f64::consts::PI * (std::f64::consts::PI * x).sin()) as Real;
        }
        let mut standing = Standing::new(EXACT, "");
        cloud.with(|view| standing.observe(view));
        assert!((standing.wave.y[0] * EXACT.amplitude - 0.04).abs() < 2e-4, "{:?}", standing.wave.y);
    }

    /// The field of the start has the whole energy, and is told from a uniform motion.
    #[test]
    fn the_wave_is_told_from_other_motion() {
        let mut cloud = Cloud::lattice(80, 40, 0.025);
        for i in 0..cloud.x[0].len() {
            let v = EXACT.field().at(&[0, 1].map(|axis| f64::from(cloud.x[axis][i])));
            (cloud.v[0][i], cloud.v[1][i]) = (v[0] as Real, v[1] as Real);
        }
        let mut standing = Standing::new(EXACT, "");
        cloud.with(|view| standing.observe(view));
        cloud.v[0].iter_mut().for_each(|u| *u = 0.9 * *u + 0.1);
        cloud.v[1].iter_mut().for_each(|v| *v *= 0.9);
        cloud.with_time(1.0, |view| standing.observe(view));
        assert!((standing.energy.y[0] - 1.0).abs() < 1e-6, "{:?}", standing.energy.y);
        assert!((standing.energy.y[1] - 0.81).abs() < 1e-6, "{:?}", standing.energy.y);
        assert!(standing.kinetic.y[1] > 1.0, "{:?}", standing.kinetic.y);
    }

    #[test]
    fn a_damped_wave_has_its_period_and_its_losses() {
        let mut standing = Standing::new(EXACT, "");
        let (omega, rate) = (EXACT.frequency() / 1.01, 0.02);
        for k in 0..=(200.0 * 3.1) as u32 {
            let t = f64::from(k) * EXACT.period() / 200.0;
            let (decayed, (sin, cos)) = ((-rate * t).exp(), (omega * t).sin_cos());
            standing.wave.push(t, decayed * sin);
            standing.speed.push(t, decayed * cos);
            standing.energy.push(t, decayed * decayed);
            standing.kinetic.push(t, decayed * decayed * cos * cos + 0.1);
        }
        let scores = standing.scores();
        assert!(
            (scores[0].error.unwrap() - 0.01).abs() < 1e-4 && scores[0].passed == Some(true),
            "{scores:?}"
        );
        // Crest at a quarter and trough at three quarters of the third period.
        let left = 0.5 * [2.25, 2.75].map(|k| (-rate * k * 1.01 * EXACT.period()).exp()).iter().sum::<f64>();
        assert!((scores[1].value - (1.0 - left)).abs() < 1e-3, "{} {left}", scores[1].value);
        let kept = (-2.0 * rate * 3.0 * 1.01 * EXACT.period()).exp();
        assert!((scores[2].value - (1.0 - kept)).abs() < 1e-3, "{} {kept}", scores[2].value);
        assert!((scores[3].value - 0.1).abs() < 1e-3, "{}", scores[3].value);
    }

    #[test]
    fn a_run_that_ends_early_has_no_period() {
        let mut standing = Standing::new(EXACT, "");
        standing.wave.push(0.0, 0.0);
        standing.speed.push(0.0, 1.0);
        standing.energy.push(0.0, 1.0);
        standing.kinetic.push(0.0, 1.0);
        let scores = standing.scores();
        assert!(scores.iter().all(|score| score.value.is_nan() && score.passed != Some(true)), "{scores:?}");
    }
}
