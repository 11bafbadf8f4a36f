//! Where dynamic bodies are, how they move, and what the fluid does to them.

use super::Curve;
use crate::{
    metrics::{HostBody, HostView, Metric, Outcome},
    result::SeriesGroup,
};

/// The curves of all bodies, with time.
#[derive(Debug, Default)]
pub struct BodyCurves {
    interval: f64,
    bodies: Vec<Curves>,
}

/// The curves of one body: of each its name, its unit and its points.
#[derive(Debug)]
struct Curves {
    name: String,
    curves: Vec<(&'static str, &'static str, Curve)>,
}

impl BodyCurves {
    /// Looks every `interval`, `[s]`.
    pub fn every(interval: f64) -> Self {
        Self { interval, ..Self::default() }
    }

    /// Looks at the bodies at time `t`, `[s]`.
    pub fn add(&mut self, t: f64, bodies: &[HostBody]) {
        for (k, body) in bodies.iter().enumerate() {
            if k == self.bodies.len() {
                let curve =
                    |&(name, unit, _): &(&'static str, &'static str, f64)| (name, unit, Curve::default());
                let curves = body.numbers.iter().map(curve).collect();
                self.bodies.push(Curves { name: body.name.clone(), curves });
            }
            for ((_, _, curve), (_, _, value)) in self.bodies[k].curves.iter_mut().zip(&body.numbers) {
                curve.push(t, *value);
            }
        }
    }
}

impl Metric for BodyCurves {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        self.add(view.t, &view.bodies);
    }

    fn finish(&self) -> Outcome {
        let series = self.bodies.iter().flat_map(|body| {
            body.curves.iter().map(|(name, unit, curve)| {
                curve.series(
                    &format!("{} {name}", body.name),
                    SeriesGroup::Result,
                    ("time", "s"),
                    (name, unit),
                )
            })
        });
        Outcome { series: series.collect(), ..Outcome::default() }
    }
}
