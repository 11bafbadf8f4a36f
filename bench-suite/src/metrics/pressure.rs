//! Pressure, level and rest of a column of fluid (case 8 of the reference collection).

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup},
};

/// Follows a resting column of depth `depth` whose surface is at that height.
pub struct Resting {
    depth: f64,
    /// Width of the fluid across gravity, `[m^(D-1)]`.
    area: f64,
    interval: f64,
    from: f64,
    /// Largest pressure error of bins below two supports since `from`, over ρgH.
    bins: f64,
    /// The same of single particles.
    single: f64,
    level: Curve,
    kinetic: Curve,
    compression: f64,
    profile: Curve,
    /// Particle spacing, `[m]`.
    spacing: f64,
}

/// Height of the bins in which pressure is averaged, in depths.
const BIN: f64 = 0.1;
/// Source of the bands.
const SOURCE: &str = "hydrostatics, p = ρg(H − z); bands of the reference collection, case 8";

/// Source of the band of volume.
const VOLUME: &str = "a liquid keeps its volume";

impl Resting {
    /// Judges the pressure from time `from` on, `[s]`.
    pub fn new(depth: f64, area: f64, interval: f64, from: f64) -> Self {
        let curve = Curve::default;
        Self {
            depth,
            area,
            interval,
            from,
            bins: f64::NAN,
            single: f64::NAN,
            level: curve(),
            kinetic: curve(),
            compression: 0.0,
            profile: curve(),
            spacing: f64::NAN,
        }
    }

    fn pressures(&mut self, view: &HostView<'_>) {
        let g = view.gravity[1].abs();
        let scale = view.rho_0 * g * self.depth;
        let n_bins = (1.0 / BIN).round() as usize;
        let mut bins = vec![(0.0, 0.0, 0usize); n_bins];
        for i in 0..view.p.len() {
            let (y, p) = (view.position(i)[1], f64::from(view.p[i]));
            let error = (p - view.rho_0 * g * (self.depth - y)) / scale;
            // Deeper than two supports: the free surface has its own errors.
            if y < self.depth - 2.0 * view.support {
                self.single = self.single.max(error.abs());
            }
            let bin = ((y / self.depth / BIN) as usize).min(n_bins - 1);
            bins[bin].0 += error;
            bins[bin].1 += p;
            bins[bin].2 += 1;
        }
        self.profile = Curve::default();
        for (k, (error, p, n)) in bins.into_iter().enumerate().filter(|(_, b)| b.2 > 0) {
            let middle = (k as f64 + 0.5) * BIN;
            if (middle + 0.5 * BIN) * self.depth < self.depth - 2.0 * view.support {
                self.bins = self.bins.max((error / n as f64).abs());
            }
            self.profile.push(middle, p / n as f64 / scale);
        }
    }
}

impl Metric for Resting {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        if view.t >= self.from && !view.p.is_empty() {
            self.pressures(view);
        }
        self.spacing = view.spacing;
        let kinetic = super::conservation::sums(view).kinetic;
        let weight = view.rho_0 * view.gravity[1].abs() * self.depth;
        self.kinetic.push(view.t, kinetic / (weight * self.area * self.depth));
        // Twice the mean height is the level of a column, and no splash can fool it.
        let mean: f64 = view.x[1].iter().map(|&y| f64::from(y)).sum::<f64>() / view.n() as f64;
        self.level.push(view.t, (2.0 * mean - self.depth) / view.spacing);
        let densest = view.rho.iter().fold(0.0_f64, |most, &rho| most.max(f64::from(rho)));
        if view.t >= self.from {
            self.compression = self.compression.max(densest / view.rho_0 - 1.0);
        }
    }

    fn finish(&self) -> Outcome {
        let t = ("time", "s");
        let drift = self.level.last();
        let level =
            Score::new("level drift", "dx", drift).within(Band::between(-1.0, 1.0)).from_source(SOURCE);
        let kinetic = Score::new("kinetic energy over ρgHV", "-", self.kinetic.last())
            .within(Band::at_most(1e-5))
            .from_source(SOURCE)
            .only_with(&level);
        let mut scores = vec![
            Score::new("pressure, largest error of 0.1 H bins", "-", self.bins)
                .with_error(self.bins)
                .within(Band::error_at_most(0.02))
                .from_source(SOURCE)
                .with_note(&format!(
                    "single particles {:.3}; below two supports, after {} s",
                    self.single, self.from
                ))
                .as_headline(),
            level,
            kinetic,
            Score::new("compression", "-", self.compression).within(Band::at_most(0.01)).from_source(SOURCE),
        ];
        if self.bins.is_nan() {
            // A method without pressure is known by the volume that it loses under its weight.
            let loss = -drift * self.spacing / self.depth;
            scores[0] = Score::new("loss of volume at rest", "-", loss)
                .with_error(loss.abs())
                .within(Band::error_at_most(0.03))
                .from_source(VOLUME)
                .with_note("by twice the mean height; the method has no pressure that could be judged")
                .as_headline();
        }
        let result = SeriesGroup::Result;
        Outcome {
            scores,
            series: vec![
                self.profile.series(
                    "pressure profile",
                    result,
                    ("height z/H", "-"),
                    ("pressure p/(ρgH)", "-"),
                ),
                self.level.series("level", result, t, ("level drift", "dx")),
                self.kinetic.series("kinetic energy at rest", result, t, ("kinetic energy over ρgHV", "-")),
            ],
            ..Outcome::default()
        }
    }
}
