//! What an error costs with each method: order of convergence, and wall time to an error, from measured runs alone.

use crate::{
    report::figures::Method,
    result::{Band, Judged, RunResult, Score},
};

/// Errors whose cost is stated, `[-]`.
pub const TARGETS: [f64; 3] = [0.03, 0.01, 0.003];

/// One run of a method, as far as ranking goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Particles across.
    pub across: f64,
    /// Error of the case; NaN of a run that failed, or has none `[-]`.
    pub error: f64,
    /// What the run is good to: the error, and whatever judged error misses its band, if that is larger; infinite for a run that
    /// failed, or misses the band of anything else `[-]`.
    pub good_to: f64,
    /// Name of what makes it larger than the error.
    pub limit: Option<String>,
    /// Least, median and largest wall time of repeated runs; NaN where it is not known `[s]`.
    pub wall_s: [f64; 3],
}

/// The runs of a method, coarse to fine, by the error of that name.
#[must_use]
pub fn points(method: &Method<'_>, what: &str) -> Vec<Point> {
    method.runs.iter().map(|run| point(run, what)).collect()
}

fn point(run: &RunResult, what: &str) -> Point {
    let error = run.headline().filter(|score| score.name == what && run.failure.is_none());
    let error = error.and_then(|score| score.error).filter(|error| error.is_finite());
    let missed = run.scores.iter().filter(|score| score.passed == Some(false) && score.name != what);
    let off = |score: &Score| score.error.filter(|error| error.is_finite()).unwrap_or(f64::INFINITY);
    let worst = missed.map(|score| (off(score), score)).max_by(|a, b| a.0.total_cmp(&b.0));
    let (good_to, limit) = match (error, worst) {
        _ if run.failure.is_some() => (f64::INFINITY, Some("the run failed".into())),
        (None, _) => (f64::INFINITY, Some("the run has no such error".into())),
        (Some(error), Some((off, score))) if off > error => (off, Some(score.name.clone())),
        (Some(error), _) => (error, None),
    };
    let wall_s = match run.timings_s.as_slice() {
        [least, .., largest] => [*least, run.wall_s, *largest],
        _ if run.wall_s > 0.0 => [run.wall_s; 3],
        _ => [f64::NAN; 3],
    };
    Point { across: run.particles_across as f64, error: error.unwrap_or(f64::NAN), good_to, limit, wall_s }
}

/// What it costs to come to an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// Least, median and largest wall time, between two resolutions `[s]`.
    Between([f64; 3]),
    /// At most so much: the first run that is good to it has no coarser one to interpolate from `[s]`.
    AtMost([f64; 3]),
    /// No run is good to it and stays so when refined.
    Never {
        /// What the finest is good to.
        best: f64,
        /// What makes that larger than its error.
        limit: Option<String>,
    },
}

impl Cost {
    /// The median wall time, where it is known `[s]`.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Between([_, median, _]) | Self::AtMost([_, median, _]) => {
                Some(*median).filter(|s| s.is_finite())
            }
            Self::Never { .. } => None,
        }
    }

    /// Whether this is certainly less than another: beyond the spread of repeated runs, which must be known of both, and no bound
    /// of the other.
    #[must_use]
    pub fn is_less(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Never { .. }, _) => false,
            (_, Self::Never { .. }) => true,
            (_, Self::AtMost(_)) => false,
            (
                Self::Between([low, _, high]) | Self::AtMost([low, _, high]),
                Self::Between([least, _, most]),
            ) => high < least && low < high && least < most,
        }
    }
}

/// What it costs to come to an error, and to stay below it with every finer resolution. Between two resolutions wall time is a
/// power of the error.
#[must_use]
pub fn cost(points: &[Point], target: f64) -> Cost {
    let n_good = points.iter().rev().take_while(|point| point.good_to <= target).count();
    let first = points.len() - n_good;
    let Some(fine) = points.get(first) else {
        let last = points.last();
        let best = last.map_or(f64::INFINITY, |last| last.good_to);
        return Cost::Never { best, limit: last.and_then(|last| last.limit.clone()) };
    };
    match first.checked_sub(1).map(|k| &points[k]).filter(|coarse| coarse.good_to.is_finite()) {
        None => Cost::AtMost(fine.wall_s),
        Some(coarse) => {
            let part = (coarse.good_to / target).ln() / (coarse.good_to / fine.good_to).ln();
            let at = |k: usize| coarse.wall_s[k] * (fine.wall_s[k] / coarse.wall_s[k]).powf(part);
            Cost::Between([at(0), at(1), at(2)])
        }
    }
}

/// An order of convergence, and half of its interval of 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Power of the spacing with which the error falls.
    pub order: f64,
    /// Half of the interval.
    pub within: f64,
}

/// Quantiles of Student's t at 97.5 % for 1, 2, ... degrees of freedom.
const STUDENT: [f64; 6] = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447];

/// The order of convergence by least squares over the logarithms; none of fewer than three runs.
#[must_use]
pub fn order(points: &[Point]) -> Option<Order> {
    let points: Vec<_> =
        points.iter().filter(|p| p.error > 0.0).map(|p| (p.across.ln(), p.error.ln())).collect();
    let n = points.len() as f64;
    let free = points.len().checked_sub(3)?;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x0).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - x0) * (p.1 - y0)).sum::<f64>() / spread;
    let left: f64 = points.iter().map(|p| (p.1 - y0 - slope * (p.0 - x0)).powi(2)).sum();
    let student = STUDENT[free.min(STUDENT.len() - 1)];
    Some(Order { order: -slope, within: student * (left / (n - 2.0) / spread).sqrt() })
        .filter(|o| o.order.is_finite())
}

/// By which factor the worst score of a run misses its band, and its name; 1 where all are met, none where a band cannot be
/// missed by a factor.
#[must_use]
pub fn excess(run: &RunResult) -> Option<(f64, &str)> {
    // What is in its band without merit is missed by something else.
    let outside = |score: &&Score| judged(score).is_none_or(|(band, value)| !band.contains(value));
    let missed = run.scores.iter().filter(|score| score.passed == Some(false)).filter(outside);
    let factor = |score: &Score| {
        let (band, value) = judged(score)?;
        let high = band.high.filter(|high| *high > 0.0 && value > *high).map(|high| value / high);
        let low = band.low.filter(|low| *low > 0.0 && value > 0.0 && value < *low).map(|low| low / value);
        let below = band.low.filter(|low| *low < 0.0 && value < *low).map(|low| value / low);
        high.or(low).or(below)
    };
    let mut worst = Some((1.0, ""));
    for score in missed {
        worst = match (factor(score), worst) {
            (Some(found), Some((most, _))) if found > most => Some((found, score.name.as_str())),
            (Some(_), worst) => worst,
            (None, _) => return None,
        };
    }
    worst
}

/// A band, and the number that it judges.
fn judged(score: &Score) -> Option<(Band, f64)> {
    let band = score.band?;
    Some((band, if band.of == Judged::Error { score.error? } else { score.value }))
}
