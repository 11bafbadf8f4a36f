//! Iterations and residuals of the steps of a run.

use crate::{
    metrics::Curve,
    result::{Series, SeriesGroup, series_name},
};
use sph_core::method::report::StepReport;

/// Counts the iterations of steps.
#[derive(Debug, Default)]
pub struct Solved {
    steps: u64,
    iterations: u64,
    /// Steps of which an equation ended at its iteration limit.
    unconverged: u64,
    /// Steps and iterations up to the last look.
    seen: (u64, u64),
    curve: Curve,
}

impl Solved {
    /// A step was done.
    pub fn count(&mut self, step: &StepReport) {
        self.steps += 1;
        self.iterations += u64::from(step.iterations);
        self.unconverged += u64::from(step.unconverged > 0);
    }

    /// A warning of steps that did not converge.
    pub fn warning(&self) -> Option<String> {
        let Self { steps, unconverged, .. } = self;
        let text = || {
            format!(
                "{unconverged} of {steps} steps ended at the iteration limit, above the tolerance of their equation; raise \
                 the limit, or make the steps smaller"
            )
        };
        (*unconverged > 0).then(text)
    }

    /// Notes the mean over the steps since the last look.
    pub fn look(&mut self, t: f64) {
        let (steps, iterations) = (self.steps - self.seen.0, self.iterations - self.seen.1);
        if steps > 0 {
            self.curve.push(t, iterations as f64 / steps as f64);
            self.seen = (self.steps, self.iterations);
        }
    }

    /// Mean number of iterations over so many steps, if the method iterates.
    pub fn mean(&self, steps: u64) -> Option<f64> {
        (self.iterations > 0).then(|| self.iterations as f64 / steps as f64)
    }

    /// What a report draws of it: nothing of a method that does not iterate, and no residuals where there are none.
    pub fn series(&self, residuals: &[f64]) -> Vec<Series> {
        let draw = |curve: &Curve, name, x, y| curve.series(name, SeriesGroup::Iteration, x, y);
        let mut series = Vec::new();
        if self.iterations > 0 {
            series.push(draw(
                &self.curve,
                series_name::ITERATIONS,
                ("time", "s"),
                ("iterations of a step", "-"),
            ));
        }
        if !residuals.is_empty() {
            let x = (1..=residuals.len()).map(|k| k as f64).collect();
            let curve = Curve { x, y: residuals.to_vec() };
            let y = ("residual over right-hand side", "-");
            series.push(draw(&curve, series_name::RESIDUAL, ("iteration", "-"), y));
        }
        series
    }
}
