//! Rebound height of a body that falls on a floor.

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup},
};

/// Name of the curve of the center.
pub const CENTER: &str = "height of the center";

/// A body above a floor at height 0.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Height of its center when it stands on the floor, `[m]`.
    pub standing: f64,
    /// How far it falls, `[m]`.
    pub fall: f64,
    /// Whether it is expected to leave the floor again.
    pub rebounds: bool,
}

/// Follows center and lowest particle.
pub struct Bounce {
    body: Body,
    interval: f64,
    center: Curve,
    /// Gap below the lowest particle, in spacings; 0 on the floor.
    gap: Curve,
}

impl Bounce {
    /// Looks every `interval`, `[s]`.
    pub fn new(body: Body, interval: f64) -> Self {
        Self { body, interval, center: Curve::default(), gap: Curve::default() }
    }

    /// The samples between the lowest position of the first impact and the next one: from where the center is lowest
    /// before it first rises, to the end.
    fn after_impact(&self) -> std::ops::Range<usize> {
        let y = &self.center.y;
        let touched = y.iter().position(|&y| y < self.body.standing).unwrap_or(y.len());
        let mut low = touched;
        while low + 1 < y.len() && y[low + 1] <= y[low] {
            low += 1;
        }
        low..y.len()
    }

    /// Largest value of a curve after the impact; NaN where there was none.
    fn top(&self, curve: &Curve) -> f64 {
        curve.y[self.after_impact()].iter().copied().fold(f64::NAN, f64::max)
    }
}

impl Metric for Bounce {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let heights = || (0..view.n()).map(|i| view.position(i)[1]);
        self.center.push(view.t, heights().sum::<f64>() / view.n() as f64);
        self.gap.push(view.t, heights().fold(f64::INFINITY, f64::min) / view.spacing - 0.5);
    }

    fn finish(&self) -> Outcome {
        let Body { standing, fall, rebounds } = self.body;
        let (top, gap) = (self.top(&self.center), self.top(&self.gap));
        let height = (top - standing) / fall;
        let restitution = if height < 0.0 { 0.0 } else { height.sqrt() };
        let limit = if rebounds { Band { low: Some(1.0), ..Band::default() } } else { Band::at_most(1.0) };
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        Outcome {
            scores: vec![
                Score::new("coefficient of restitution", "-", restitution)
                    .with_note("root of the height of the rebound over that of the fall, of the center; 0 below its height at rest on the floor"),
                Score::new("height of the rebound over that of the fall", "-", height)
                    .with_note("below 0 the center does not come back to where it was when the body touched the floor"),
                Score::new("gap below the lowest particle after the impact", "dx", gap)
                    .within(limit)
                    .from_source("a body of springs leaves the floor, a liquid does not")
                    .as_headline(),
            ],
            series: vec![
                self.center.series(CENTER, result, t, ("height of the center", "m")),
                self.gap.series("gap below the lowest particle", result, t, ("gap", "dx")),
            ],
            ..Outcome::default()
        }
    }
}
