//! Metrics: each observes a run and measures one quantity.

pub mod bodies;
pub mod bounce;
pub mod conservation;
pub mod front;
pub mod oldroyd;
pub mod penetration;
pub mod pressure;
pub mod rotation;
pub mod sample;
pub mod start_up;
pub mod stretch;
mod view;

pub use view::{HostBody, HostView};

use crate::result::{ReferenceCurve, Score, Series, SeriesGroup};

/// What a metric found in a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Numbers, judged where there is a band.
    pub scores: Vec<Score>,
    /// Curves.
    pub series: Vec<Series>,
    /// Curves of a model that was fitted to the run, to draw beside those.
    pub fits: Vec<ReferenceCurve>,
}

/// Measures one thing in a run.
pub trait Metric {
    /// Simulated time between two looks, `[s]`.
    fn interval(&self) -> f64;

    /// Looks at the run; the first time at its start, the last time at its end.
    fn observe(&mut self, view: &HostView<'_>);

    /// What was found.
    fn finish(&self) -> Outcome;
}

/// A curve that grows while a run goes on.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Abscissas.
    pub x: Vec<f64>,
    /// Ordinates.
    pub y: Vec<f64>,
}

impl Curve {
    /// Adds a point.
    pub fn push(&mut self, x: f64, y: f64) {
        self.x.push(x);
        self.y.push(y);
    }

    /// The ordinate at an abscissa, interpolated; that of the last point at or beyond it; NaN before the first.
    pub fn at(&self, x: f64) -> f64 {
        match self.x.last() {
            Some(&last) if x >= last => self.last(),
            _ => crate::reference::interpolate(&self.x, &self.y, x).unwrap_or(f64::NAN),
        }
    }

    /// The last ordinate, NaN for an empty curve.
    pub fn last(&self) -> f64 {
        self.y.last().copied().unwrap_or(f64::NAN)
    }

    /// Abscissas at which it rises through 0.
    pub fn rises(&self) -> Vec<f64> {
        let pairs = self.x.windows(2).zip(self.y.windows(2)).filter(|(_, y)| y[0] < 0.0 && y[1] >= 0.0);
        pairs.map(|(x, y)| x[0] - y[0] * (x[1] - x[0]) / (y[1] - y[0])).collect()
    }

    /// The curve averaged over so much of the abscissa, which rises throughout, around each of its points.
    pub fn running_mean(&self, width: f64) -> Self {
        let n = self.x.len().min(self.y.len());
        let up_to = |end: f64| self.x[..n].partition_point(|x| *x <= end);
        let from = |start: f64| self.x[..n].partition_point(|x| *x < start);
        let around = |&x: &f64| {
            let near = &self.y[from(x - 0.5 * width)..up_to(x + 0.5 * width)];
            near.iter().sum::<f64>() / near.len() as f64
        };
        Self { x: self.x.clone(), y: self.x.iter().map(around).collect() }
    }

    /// The curve as a series of a report; axes are given as (name, unit).
    pub fn series(&self, name: &str, group: SeriesGroup, x: (&str, &str), y: (&str, &str)) -> Series {
        Series {
            name: name.into(),
            group,
            x_name: x.0.into(),
            x_unit: x.1.into(),
            y_name: y.0.into(),
            y_unit: y.1.into(),
            x: self.x.clone(),
            y: self.y.clone(),
        }
    }

    /// Slope of the straight line of least squares through the points with `x` in `range`.
    pub fn slope(&self, range: std::ops::RangeInclusive<f64>) -> f64 {
        let points: Vec<_> = self.x.iter().zip(&self.y).filter(|(x, _)| range.contains(x)).collect();
        let n = points.len() as f64;
        let mean_x = points.iter().map(|p| p.0).sum::<f64>() / n;
        let mean_y = points.iter().map(|p| p.1).sum::<f64>() / n;
        let cross: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
        cross / points.iter().map(|p| (p.0 - mean_x).powi(2)).sum::<f64>()
    }
}
