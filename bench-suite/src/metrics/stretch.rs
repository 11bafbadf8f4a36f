//! Length of a bar that was stretched, beside one that was not.

use super::Curve;
use crate::{
    case::{HostView, Metric, Outcome},
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::Cloud;

    const BARS: Bars = Bars {
        between: 1.0,
        stretch: 0.2,
        release: 1.0,
        rest: 2.0,
        set: 0.0,
        source: "",
        band: Some(Band { of: crate::result::Judged::Value, low: Some(-0.01), high: Some(0.01) }),
    };

    /// A bar above, and one below that is longer by `elongation`.
    fn bars(elongation: f64) -> Cloud {
        let mut cloud = Cloud::lattice(20, 5, 0.1);
        let factor = 1.0 + elongation;
        cloud.x[0].iter_mut().for_each(|x| *x *= factor as sph_core::Real);
        for k in 0..100 {
            cloud.push((f64::from(k % 20) + 0.5) * 0.1, 2.05 + 0.1 * f64::from(k / 20));
        }
        cloud
    }

    fn run(elongations: [f64; 3]) -> Outcome {
        let mut metric = Stretch::new(BARS, 0.5);
        for (t, elongation) in [0.75, 2.5, 3.0].into_iter().zip(elongations) {
            bars(elongation).with_time(t, |view| metric.observe(view));
        }
        metric.finish()
    }

    #[test]
    fn what_stays_is_the_mean_after_rest_and_is_judged() {
        let outcome = run([0.2, 0.05, 0.03]);
        let set = &outcome.scores[0];
        assert!((set.value - 0.04).abs() < 1e-3 && set.passed == Some(false), "{set:?}");
        assert!((set.error.unwrap() - 0.2).abs() < 5e-3, "{set:?}");
        assert!((outcome.scores[1].value - 0.2).abs() < 1e-3, "{:?}", outcome.scores[1]);
        assert_eq!(run([0.2, 0.001, -0.001]).scores[0].passed, Some(true));
    }
}
