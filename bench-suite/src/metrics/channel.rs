//! Velocity profiles across a channel against an exact solution.

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup, series_name},
};

/// The exact solution of a flow along x that depends on y and time alone.
#[derive(Clone, Copy)]
pub struct Exact {
    /// Velocity at a height `[m]` and time `[s]`, `[m/s]`.
    pub velocity: fn(f64, f64) -> f64,
    /// Width, `[m]`.
    pub width: f64,
    /// Velocity in which profiles are drawn, `[m/s]`.
    pub scale: f64,
    /// Source.
    pub source: &'static str,
}

impl Exact {
    /// The largest velocity across the channel at a time, `[m/s]`.
    pub fn peak(&self, t: f64) -> f64 {
        (0..=200).map(|k| (self.velocity)(self.width * f64::from(k) / 200.0, t)).fold(0.0, f64::max)
    }

    /// Profiles at some times, one after the other, each after the first led in by a gap.
    pub fn profiles(&self, times: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut all = Curve::default();
        for &t in times {
            all.gap();
            for k in 0..=50 {
                let part = f64::from(k) / 50.0;
                all.push(part, (self.velocity)(part * self.width, t) / self.scale);
            }
        }
        (all.x, all.y)
    }
}

/// Compares the profiles at some times.
pub struct Profiles {
    exact: Exact,
    times: Vec<f64>,
    interval: f64,
    scores: Vec<Score>,
    drawn: Curve,
}

impl Profiles {
    /// The `times` `[s]` are multiples of `interval` `[s]`, in order, the last being the steady state.
    pub fn new(exact: Exact, times: Vec<f64>, interval: f64) -> Self {
        Self { exact, times, interval, scores: Vec::new(), drawn: Curve::default() }
    }

    /// Every particle against the exact velocity at its own height and at the time of the look.
    fn compare(&mut self, view: &HostView<'_>, t: f64) {
        let Exact { velocity, width, scale, source } = self.exact;
        let mut points: Vec<(f64, f64)> =
            (0..view.n()).map(|i| (view.position(i)[1], view.velocity(i)[0])).collect();
        let off = points.iter().map(|&(y, u)| (u - velocity(y, view.t)).abs()).fold(0.0, f64::max);
        let error = off / self.exact.peak(view.t);
        let steady = self.scores.len() + 1 == self.times.len();
        let when = if steady { format!("steady, t = {t} s") } else { format!("t = {t} s") };
        let score = Score::new(&format!("largest velocity error, {when}"), "-", error);
        let score = score.with_error(error).within(Band::at_most(0.01)).from_source(source);
        self.scores.push(
            score.with_note("largest over all particles, over the peak of the exact profile at that time"),
        );
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.drawn.gap();
        // A row of particles is a point of the drawn profile.
        let n_rows = (width / view.spacing).round().max(1.0) as usize;
        for row in points.chunks(points.len().div_ceil(n_rows)) {
            let mean = |of: fn(&(f64, f64)) -> f64| row.iter().map(of).sum::<f64>() / row.len() as f64;
            self.drawn.push(mean(|p| p.0) / width, mean(|p| p.1) / scale);
        }
    }
}

impl Metric for Profiles {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        if let Some(&t) = self.times.get(self.scores.len())
            && view.t >= t * (1.0 - 1e-9)
        {
            self.compare(view, t);
        }
    }

    fn finish(&self) -> Outcome {
        let mut scores = self.scores.clone();
        let error = |s: &Score| s.error.unwrap_or(f64::NAN);
        if let Some(worst) = scores.iter_mut().max_by(|a, b| error(a).total_cmp(&error(b))) {
            worst.headline = true;
        }
        let (x, y) = (("y/L", "-"), ("velocity over its steady peak", "-"));
        let series = vec![self.drawn.series(series_name::PROFILES, SeriesGroup::Result, x, y)];
        Outcome { scores, series, ..Outcome::default() }
    }
}
