//! Front and height of a collapsing column (Martin & Moyce 1952).

use super::{Curve, sample};
use crate::{
    metrics::{HostView, Metric, Outcome},
    reference::{Table, interpolate},
    result::{Band, Score, SeriesGroup, series_name},
};

/// A front is the foremost particle with at least this many neighbors, so that spray does not count.
const NEIGHBORS: usize = 3;

/// The experiment that a column of base `a` and height `n² a` is compared with.
pub struct Experiment {
    /// Base width, `[m]`.
    pub a: f64,
    /// Aspect ratio n².
    pub n2: f64,
    /// Front: T and Z.
    pub front: Table,
    /// Height: τ and H.
    pub height: Table,
    /// Range of T in which the slope is taken.
    pub slope_range: std::ops::RangeInclusive<f64>,
    /// True when bands are judged; else only a lag is.
    pub judged: bool,
    /// Citation.
    pub source: &'static str,
}

/// Follows front and height.
pub struct Collapse {
    experiment: Experiment,
    gravity: f64,
    front: Curve,
    height: Curve,
}

impl Collapse {
    /// For a run of `experiment` under `gravity`, `[m/s²]`.
    pub fn new(experiment: Experiment, gravity: f64) -> Self {
        Self { experiment, gravity, front: Curve::default(), height: Curve::default() }
    }

    /// Relative RMS difference from the table when the run is delayed by `shift` in T.
    fn rms(&self, shift: f64) -> f64 {
        let table = &self.experiment.front;
        let (t, z) = (&table.columns[0].values, &table.columns[1].values);
        let errors = t.iter().zip(z).filter_map(|(&t, &z)| {
            interpolate(&self.front.x, &self.front.y, t - shift).map(|ours| (ours / z - 1.0).powi(2))
        });
        let errors: Vec<f64> = errors.collect();
        (errors.iter().sum::<f64>() / errors.len() as f64).sqrt()
    }

    /// The delay in T for which the front agrees best; the gate of the experiment takes time to open.
    fn best_shift(&self) -> f64 {
        let candidates = (-100..=100).map(|k| f64::from(k) * 0.005);
        candidates
            .fold((0.0, f64::INFINITY), |best, shift| {
                let rms = self.rms(shift);
                if rms < best.1 { (shift, rms) } else { best }
            })
            .0
    }

    /// Largest difference of the height up to τ = 2.5.
    fn height_error(&self) -> f64 {
        let table = &self.experiment.height;
        let rows =
            table.columns[0].values.iter().zip(&table.columns[1].values).filter(|(tau, _)| **tau <= 2.5);
        rows.filter_map(|(&tau, &h)| {
            interpolate(&self.height.x, &self.height.y, tau).map(|ours| (ours - h).abs())
        })
        .fold(f64::NAN, f64::max)
    }

    fn lag(&self) -> f64 {
        let table = &self.experiment.front;
        let rows = table.columns[0].values.iter().zip(&table.columns[1].values);
        rows.filter_map(|(&t, &z)| interpolate(&self.front.x, &self.front.y, t).map(|ours| z - ours))
            .fold(f64::NAN, f64::max)
    }
}

impl Metric for Collapse {
    fn interval(&self) -> f64 {
        0.02 * (self.experiment.a / self.gravity).sqrt()
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let Experiment { a, n2, .. } = self.experiment;
        let tau = view.t * (self.gravity / a).sqrt();
        self.front.push(tau * n2.sqrt(), front(view) / a);
        self.height.push(tau, sample::level_at_wall(view) / (n2 * a));
    }

    fn finish(&self) -> Outcome {
        let e = &self.experiment;
        let table_curve =
            Curve { x: e.front.columns[0].values.clone(), y: e.front.columns[1].values.clone() };
        let (slope, table_slope) =
            (self.front.slope(e.slope_range.clone()), table_curve.slope(e.slope_range.clone()));
        let shift = self.best_shift();
        let judge = |score: Score, band: Band| if e.judged { score.within(band) } else { score };
        let scores = vec![
            judge(
                Score::new("front slope dZ/dT", "-", slope)
                    .against(table_slope)
                    .with_error((slope / table_slope - 1.0).abs()),
                Band::error_at_most(0.10),
            )
            .from_source(e.source),
            judge(
                Score::new("front RMS after one time shift", "-", self.rms(shift))
                    .with_error(self.rms(shift)),
                Band::error_at_most(0.06),
            )
            .from_source(e.source)
            .with_note(&format!("shift {shift:+.3} in T; {:.3} without a shift", self.rms(0.0)))
            .as_headline(),
            judge(
                Score::new("height, largest |dH| to tau = 2.5", "-", self.height_error())
                    .with_error(self.height_error()),
                Band::error_at_most(0.03),
            )
            .from_source(e.source),
            Score::new("front, largest lag in Z", "-", self.lag())
                .within(Band { high: Some(0.1), ..Band::at_most(0.1) })
                .from_source(e.source)
                .with_note("an inviscid front may lead the experiment, never lag"),
        ];
        let front = self.front.series(
            series_name::FRONT,
            SeriesGroup::Result,
            ("T = t sqrt(n² g/a)", "-"),
            ("front Z = x/a", "-"),
        );
        let height = self.height.series(
            series_name::HEIGHT,
            SeriesGroup::Result,
            ("tau = t sqrt(g/a)", "-"),
            ("height H", "-"),
        );
        Outcome { scores, series: vec![front, height], ..Outcome::default() }
    }
}

/// The foremost particle that is not spray, plus half a spacing, `[m]`.
pub fn front(view: &HostView<'_>) -> f64 {
    let mut order: Vec<usize> = (0..view.n()).collect();
    let x = |i: &usize| f64::from(view.x[0][*i]);
    order.sort_by(|a, b| x(b).total_cmp(&x(a)));
    let near = |i: usize, j: usize| {
        let (a, b) = (view.position(i), view.position(j));
        i != j && (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>() < view.support * view.support
    };
    for (rank, &i) in order.iter().enumerate() {
        // Sorted by x: neighbors stand close in the order.
        let ahead = order[..rank].iter().rev().take_while(|j| x(j) - x(&i) < view.support);
        let behind = order[rank + 1..].iter().take_while(|j| x(&i) - x(j) < view.support);
        if ahead.chain(behind).filter(|&&j| near(i, j)).count() >= NEIGHBORS {
            return x(&i) + 0.5 * view.spacing;
        }
    }
    f64::NAN
}
