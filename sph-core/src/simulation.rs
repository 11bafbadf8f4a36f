//! The run loop: step size, solver, observers.

use crate::{
    solver::{Solver, StepError, StepReport},
    state::State,
};

/// What an observer sees between two steps.
pub struct View<'a, const D: usize> {
    /// The state after the step.
    pub state: &'a State<D>,
    /// The method, for its fields.
    pub solver: &'a dyn Solver<D>,
    /// What the step did; all zero before the first one.
    pub report: &'a StepReport,
}

/// Looks at a run between steps. It cannot change anything.
pub trait Observer<const D: usize> {
    /// Called before the first step and after every step. Returns false to end the run.
    fn observe(&mut self, view: &View<'_, D>) -> bool;
}

impl<const D: usize, F: FnMut(&View<'_, D>) -> bool> Observer<D> for F {
    fn observe(&mut self, view: &View<'_, D>) -> bool {
        self(view)
    }
}

/// A state and the method that advances it.
pub struct Simulation<const D: usize> {
    /// The state.
    pub state: State<D>,
    /// The method.
    pub solver: Box<dyn Solver<D>>,
    /// A step size that replaces the adaptive one, `[s]`.
    pub fixed_dt: Option<f64>,
}

impl<const D: usize> Simulation<D> {
    /// Does one step, no further than `end`, `[s]`.
    ///
    /// # Errors
    /// What the solver found.
    pub fn step(&mut self, end: f64) -> Result<StepReport, StepError> {
        let largest = match self.fixed_dt {
            Some(dt) => dt,
            None => self.solver.max_dt(&self.state)?,
        };
        let left = end - self.state.t;
        // The last steps share what is left, rather than leave a sliver.
        let dt = match left / largest {
            steps if steps < 1.0 + 1e-9 => left,
            steps if steps < 2.0 && self.fixed_dt.is_none() => 0.5 * left,
            _ => largest,
        };
        let report = self.solver.step(&mut self.state, dt)?;
        // Landing on `end` by name, not by sum: a run then has as many steps as its step sizes say.
        self.state.t = if dt == left { end } else { self.state.t + dt };
        self.state.step += 1;
        Ok(report)
    }

    /// Runs to `end`, `[s]`, or until `max_steps` are done or an observer ends it.
    ///
    /// # Errors
    /// What the solver found.
    pub fn run(
        &mut self,
        end: f64,
        max_steps: u64,
        observers: &mut [&mut dyn Observer<D>],
    ) -> Result<(), StepError> {
        let mut report = StepReport::default();
        loop {
            let view = View { state: &self.state, solver: &*self.solver, report: &report };
            // All observers see the last state, also when an earlier one ends the run.
            let mut go_on = true;
            for observer in &mut *observers {
                go_on &= observer.observe(&view);
            }
            if !go_on || self.state.t >= end || self.state.step >= max_steps {
                return Ok(());
            }
            report = self.step(end)?;
        }
    }
}
