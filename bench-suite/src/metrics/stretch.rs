//! Length of a bar that was stretched, beside one that was not.

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup},
};

/// Name of the curve of the elongation.
pub const ELONGATION: &str = "elongation";

/// Two bars along x, of which the lower one is stretched, held, and released.
#[derive(Clone, Copy, Debug)]
pub struct Bars {
    /// Height between the two, `[m]`.
    pub between: f64,
    /// The elongation that is held, `[-]`.
    pub stretch: f64,
    /// When it is released, `[s]`.
    pub release: f64,
    /// When it is at rest again, `[s]`.
    pub rest: f64,
    /// The elongation that is expected to stay, `[-]`.
    pub set: f64,
    /// Why.
    pub source: &'static str,
    /// What is accepted of the elongation that stays.
    pub band: Option<Band>,
}

/// Follows the two.
pub struct Stretch {
    bars: Bars,
    interval: f64,
    elongation: Curve,
    free: Curve,
}

impl Stretch {
    /// Looks every `interval`, `[s]`.
    pub fn new(bars: Bars, interval: f64) -> Self {
        Self { bars, interval, elongation: Curve::default(), free: Curve::default() }
    }

    /// Mean elongation of the moments from `from` on and before `to`, `[-]`.
    fn mean(&self, from: f64, to: f64) -> f64 {
        let points = self.elongation.x.iter().zip(&self.elongation.y);
        let within: Vec<f64> = points.filter(|(t, _)| (from..to).contains(*t)).map(|(_, e)| *e).collect();
        within.iter().sum::<f64>() / within.len() as f64
    }
}

/// Length along x of the particles that are `chosen` by their height, `[m]`: `√(12 ⟨(x − ⟨x⟩)²⟩ + Δx²)`, exact for a
/// lattice, and of all particles where the farthest two may be strays.
fn length(view: &HostView<'_>, chosen: impl Fn(f64) -> bool) -> f64 {
    let x: Vec<f64> = (0..view.n())
        .map(|i| view.position(i))
        .filter(|position| chosen(position[1]))
        .map(|position| position[0])
        .collect();
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let square = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    (12.0 * square + view.spacing * view.spacing).sqrt()
}

impl Metric for Stretch {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let free = length(view, |y| y > self.bars.between);
        self.free.push(view.t, free);
        self.elongation.push(view.t, length(view, |y| y <= self.bars.between) / free - 1.0);
    }

    fn finish(&self) -> Outcome {
        let Bars { stretch, release, rest, set, source, band, .. } = self.bars;
        let found = self.mean(rest, f64::INFINITY);
        let mut score = Score::new("permanent set", "-", found).with_error((found - set).abs() / stretch);
        score.reference = Some(set);
        if let Some(band) = band {
            score = score.within(band);
        }
        // Half of the time in which it is held: at first it is still being stretched.
        let held = self.mean(0.5 * release, release);
        let first = self.free.y.first().copied().unwrap_or(f64::NAN);
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        Outcome {
            scores: vec![
                score
                    .from_source(source)
                    .with_note(&format!(
                        "elongation over the bar that was not stretched, mean from {rest} s on; error over the stretch"
                    ))
                    .as_headline(),
                Score::new("elongation that was held", "-", held)
                    .against(stretch)
                    .with_note("by the initial velocity and a damping that ends it"),
                Score::new("contraction of the bar that was not stretched", "-", 1.0 - self.free.last() / first)
                    .with_note("what draws drops together"),
            ],
            series: vec![
                self.elongation.series(ELONGATION, result, t, ("elongation over the free bar", "-")),
                self.free.series("length of the free bar", result, t, ("length", "m")),
            ],
            ..Outcome::default()
        }
    }
}
