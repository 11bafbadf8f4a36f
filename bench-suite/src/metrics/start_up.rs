//! Start-up of a channel flow: the Oldroyd-B fluid fitted to it, and the residual of the fit.

use super::{
    Curve,
    oldroyd::{OldroydB, Start},
};
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{CurveStyle, ReferenceCurve, Score, SeriesGroup, number},
};

/// Name of the steady profile.
pub const PROFILE: &str = "steady profile";
/// Name of the curve on the center line.
const CENTER: &str = "velocity on the center line";
/// Particles this near to the center line, in half-widths, are averaged; the parabola falls by 0.3 % there.
const CENTRAL: f64 = 0.1;
/// Part of the run after which the flow is steady.
const STEADY: f64 = 0.75;

/// Sums over the particles of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    n: usize,
    y: f64,
    u: f64,
}

/// What is known of a channel before the run.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Width and force.
    pub start: Start,
    /// End of the run, `[s]`.
    pub end: f64,
    /// Time in which springs that are held forget their stress, 1/α, `[s]`.
    pub relaxation: f64,
    /// The case for which the fitted curve is drawn.
    pub case: &'static str,
    /// Citation.
    pub source: &'static str,
}

/// Follows a channel whose fluid stands still at `y = 0` and `y = 2h`.
pub struct StartUp {
    flow: Flow,
    interval: f64,
    center: Curve,
    /// Rows one spacing high, in the steady part.
    rows: Vec<Row>,
}

impl StartUp {
    /// Looks every `interval`, `[s]`.
    pub fn new(flow: Flow, interval: f64) -> Self {
        Self { flow, interval, center: Curve::default(), rows: Vec::new() }
    }

    /// Mean and rms scatter of the velocity on the center line in the steady part, `[m/s]`.
    fn steady(&self) -> (f64, f64) {
        let points = self.center.x.iter().zip(&self.center.y);
        let last: Vec<f64> = points.filter(|(t, _)| **t >= STEADY * self.flow.end).map(|(_, u)| *u).collect();
        let n = last.len() as f64;
        let mean = last.iter().sum::<f64>() / n;
        (mean, (last.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / n).sqrt())
    }

    /// Mean velocity over y/h in the steady part.
    fn profile(&self, scale: f64) -> Curve {
        let mut curve = Curve::default();
        for row in self.rows.iter().filter(|row| row.n > 0) {
            let n = row.n as f64;
            curve.push(row.y / n / self.flow.start.half_width, row.u / n / scale);
        }
        curve
    }

    /// The curve of a fluid, over a velocity, as a line of the report.
    fn line(&self, fluid: &OldroydB, scale: f64) -> ReferenceCurve {
        let y = |t: &f64| fluid.velocity(&self.flow.start, *t) / scale;
        let number = |value: f64, unit| number::with_unit(value, unit, 3);
        ReferenceCurve {
            case: self.flow.case.into(),
            series: CENTER.into(),
            label: format!(
                "Oldroyd-B, fitted: ν₀ = {}, λ = {}, β = {}",
                number(fluid.viscosity, "m²/s"),
                number(fluid.relaxation, "s"),
                number(fluid.solvent, "-")
            ),
            citation: self.flow.source.into(),
            style: CurveStyle::Line,
            x: self.center.x.clone(),
            y: self.center.x.iter().map(y).collect(),
        }
    }
}

/// Largest value of a curve over `scale`, minus 1: by how much it overshoots, `[-]`.
fn overshoot(y: impl Iterator<Item = f64>, scale: f64) -> f64 {
    y.fold(f64::NAN, f64::max) / scale - 1.0
}

/// Velocity at the walls over that at the center of the parabola of least squares through a profile over `Y ∈ [0, 2]`.
fn slip(profile: &Curve) -> f64 {
    let parabola: Vec<f64> = profile.x.iter().map(|y| y * (2.0 - y)).collect();
    let line = Curve { x: parabola, y: profile.y.clone() };
    let slope = line.slope(0.0..=1.0);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let wall = mean(&line.y) - slope * mean(&line.x);
    wall / (wall + slope)
}

impl Metric for StartUp {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let h = self.flow.start.half_width;
        let is_steady = view.t >= STEADY * self.flow.end;
        let rows = (2.0 * h / view.spacing).round() as usize + 1;
        self.rows.resize(rows, Row::default());
        let (mut sum, mut n) = (0.0, 0);
        for i in 0..view.n() {
            let (y, u) = (view.position(i)[1], view.velocity(i)[0]);
            if (y / h - 1.0).abs() < CENTRAL {
                (sum, n) = (sum + u, n + 1);
            }
            if is_steady {
                let row = &mut self.rows[((y / view.spacing).round().max(0.0) as usize).min(rows - 1)];
                *row = Row { n: row.n + 1, y: row.y + y, u: row.u + u };
            }
        }
        if n > 0 {
            self.center.push(view.t, sum / f64::from(n));
        }
    }

    fn finish(&self) -> Outcome {
        let (steady, scatter) = self.steady();
        let fluid = OldroydB::fitted(&self.flow.start, &self.center, steady);
        let line = self.line(&fluid, steady);
        let over = Curve { x: self.center.x.clone(), y: self.center.y.iter().map(|u| u / steady).collect() };
        let profile = self.profile(steady);
        let (measured, limit) =
            (overshoot(over.y.iter().copied(), 1.0), fluid.limit(&self.flow.start) / steady);
        let appears = if measured > 3.0 * scatter / steady { "appears" } else { "does not appear" };
        let residual = fluid.rms(&self.flow.start, &self.center) / steady;
        let reported = |name, unit, value| Score::new(name, unit, value).from_source(self.flow.source);
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        let scores = vec![
            reported("residual of the fitted Oldroyd-B fluid", "-", residual)
                .with_error(residual)
                .with_note("rms over the steady velocity; reported, not judged: springs that flow are another fluid")
                .as_headline(),
            reported("fitted viscosity ν₀", "m^2/s", fluid.viscosity),
            reported("fitted relaxation time λ", "s", fluid.relaxation)
                .against(self.flow.relaxation)
                .with_note("the reference is 1/α, the time in which springs that are held forget their stress"),
            reported("fitted part of the solvent β", "-", fluid.solvent),
            reported("elasticity E = λν₀/h² of the fit", "-", fluid.elasticity(&self.flow.start)),
            reported("overshoot over the steady velocity", "-", measured)
                .against(overshoot(line.y.iter().copied(), limit))
                .with_note(&format!(
                    "it {appears}: three times the scatter of the steady velocity is {}; the reference is that of the fit",
                    number::significant(3.0 * scatter / steady, 2)
                )),
            reported("steady velocity on the center line", "m/s", steady),
            reported("velocity at the walls over that at the center", "-", slip(&profile))
                .with_note("of the parabola through the steady profile"),
        ];
        let series = vec![
            over.series(CENTER, result, t, ("velocity over its steady value", "-")),
            profile.series(PROFILE, result, ("y/h", "-"), ("velocity over that at the center", "-")),
        ];
        Outcome { scores, series, fits: vec![line] }
    }
}
