//! Semi-axes, energy and center pressure of a drop that stays an ellipse.

use super::{Curve, conservation};
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Series, SeriesGroup, series_name},
};

/// What is followed of a drop around the origin.
#[derive(Debug, Default)]
pub struct Ellipse {
    interval: f64,
    radius: f64,
    /// Semi-axis along x, by extent, over R.
    pub a: Curve,
    /// Semi-axis along y, by extent, over R.
    pub b: Curve,
    /// Semi-axes along x and y by second moments, over R.
    pub moments: [Curve; 2],
    /// Total energy over its first value.
    pub energy: Curve,
    /// Mean pressure within R/10 of the center, `[Pa]`.
    pub pressure: Curve,
}

impl Ellipse {
    /// For a drop of radius `radius`, `[m]`, looking every `interval`, `[s]`.
    pub fn new(radius: f64, interval: f64) -> Self {
        Self { interval, radius, ..Self::default() }
    }

    /// The interval of looks, `[s]`.
    pub fn interval(&self) -> f64 {
        self.interval
    }

    /// Adds a moment. The extent is the farthest particle and half a spacing; the moments are those of a
    /// filled ellipse, `⟨x²⟩ = a²/4`, and show voids that the extent does not.
    pub fn observe(&mut self, view: &HostView<'_>) {
        let n = view.n() as f64;
        let (mut far, mut square) = ([0.0_f64; 2], [0.0; 2]);
        let (mut p, mut within) = (0.0, 0);
        for i in 0..view.n() {
            let x = view.position(i);
            for axis in 0..2 {
                far[axis] = far[axis].max(x[axis].abs());
                square[axis] += x[axis] * x[axis];
            }
            if !view.p.is_empty() && x[0].hypot(x[1]) < 0.1 * self.radius {
                p += f64::from(view.p[i]);
                within += 1;
            }
        }
        self.a.push(view.t, (far[0] + 0.5 * view.spacing) / self.radius);
        self.b.push(view.t, (far[1] + 0.5 * view.spacing) / self.radius);
        for (curve, square) in self.moments.iter_mut().zip(square) {
            curve.push(view.t, 2.0 * (square / n).sqrt() / self.radius);
        }
        let sums = conservation::sums(view);
        self.energy.push(view.t, sums.kinetic + sums.potential + sums.internal);
        if within > 0 {
            self.pressure.push(view.t, p / f64::from(within));
        }
    }

    /// The part of the first energy that is gone at the end.
    pub fn energy_loss(&self) -> f64 {
        1.0 - self.energy.last() / self.energy.y.first().copied().unwrap_or(f64::NAN)
    }

    /// Semi-axes, energy and pressure (over `pressure_scale`, `[Pa]`) with time.
    pub fn series(&self, pressure_scale: f64) -> Vec<Series> {
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        let over = |c: &Curve, by: f64| Curve { x: c.x.clone(), y: c.y.iter().map(|y| y / by).collect() };
        let first = self.energy.y.first().copied().unwrap_or(f64::NAN);
        vec![
            self.a.series(series_name::SEMI_AXIS_A, result, t, ("semi-axis a/R", "-")),
            self.b.series(series_name::SEMI_AXIS_B, result, t, ("semi-axis b/R", "-")),
            over(&self.pressure, pressure_scale).series(
                series_name::CENTER_PRESSURE,
                result,
                t,
                ("pressure over p(0)", "-"),
            ),
            over(&self.energy, first).series("total energy over its first value", result, t, ("energy", "-")),
        ]
    }
}

/// A judge of a drop: makes scores from what was followed.
pub struct Drop<J> {
    ellipse: Ellipse,
    judge: J,
    pressure_scale: f64,
}

impl<J: Fn(&Ellipse) -> Vec<crate::result::Score>> Drop<J> {
    /// Follows `ellipse` and lets `judge` make the scores.
    pub fn new(ellipse: Ellipse, pressure_scale: f64, judge: J) -> Self {
        Self { ellipse, judge, pressure_scale }
    }
}

impl<J: Fn(&Ellipse) -> Vec<crate::result::Score>> Metric for Drop<J> {
    fn interval(&self) -> f64 {
        self.ellipse.interval()
    }

    fn observe(&mut self, view: &HostView<'_>) {
        self.ellipse.observe(view);
    }

    fn finish(&self) -> Outcome {
        let series = self.ellipse.series(self.pressure_scale);
        Outcome { scores: (self.judge)(&self.ellipse), series, ..Outcome::default() }
    }
}
