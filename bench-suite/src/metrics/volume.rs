//! Volume of a fluid that has come to rest.

use super::{Curve, conservation};
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup},
};

/// Follows the depth of a pool whose bed is `y = 0` and whose walls are upright.
pub struct Volume {
    /// Depth that the fluid has at rest, `[m]`.
    depth: f64,
    interval: f64,
    /// Time at the end in which the surface is flat at least once, `[s]`.
    window: f64,
    drift: Curve,
    kinetic: Curve,
}

/// Source of the bands.
const SOURCE: &str = "a liquid keeps its volume; band of the column at rest";

impl Volume {
    /// Looks every `interval`, and judges the least depth of the last `window`, `[s]`.
    pub fn new(depth: f64, interval: f64, window: f64) -> Self {
        Self { depth, interval, window, drift: Curve::default(), kinetic: Curve::default() }
    }
}

impl Metric for Volume {
    fn interval(&self) -> f64 {
        self.interval
    }

    /// Twice the mean height is the depth of a pool whose surface is flat, and a splash that hangs on a wall does not count for
    /// more than it is. Waves make it larger; they pass through flat surfaces, where it is least.
    fn observe(&mut self, view: &HostView<'_>) {
        let mean: f64 = view.x[1].iter().map(|&y| f64::from(y)).sum::<f64>() / view.n() as f64;
        self.drift.push(view.t, 2.0 * mean / self.depth - 1.0);
        let weight = view.n() as f64 * view.m * view.gravity[1].abs() * self.depth;
        self.kinetic.push(view.t, conservation::sums(view).kinetic / weight);
    }

    fn finish(&self) -> Outcome {
        let end = self.drift.x.last().copied().unwrap_or(f64::NAN);
        let drift = self.drift.within(end - self.window..=end).fold(f64::NAN, f64::min);
        let rate = self.drift.slope(0.5 * end..=end);
        let scores = vec![
            Score::new("drift of the volume", "-", drift)
                .with_error(drift.abs())
                .within(Band::error_at_most(0.03))
                .from_source(SOURCE)
                .with_note(&format!(
                    "least of twice the mean height over the depth at rest in the last {} s",
                    self.window
                ))
                .as_headline(),
            Score::new("rate of that drift", "1/s", rate)
                .with_note("straight line through the second half; waves that decay count"),
            Score::new("kinetic energy over mgH", "-", self.kinetic.last()),
        ];
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        let series = vec![
            self.drift.series(
                "drift of the volume",
                result,
                t,
                ("twice the mean height over H, minus 1", "-"),
            ),
            self.kinetic.series("kinetic energy", result, t, ("kinetic energy over mgH", "-")),
        ];
        Outcome { scores, series, ..Outcome::default() }
    }
}
