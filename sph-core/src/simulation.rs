//! The run loop: step size, solver, observers.

use crate::{
    diagnosis,
    recovery::Guard,
    solver::{BEFORE, Cause, Solver, StepError, StepReport},
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
    /// What it does about failures.
    pub guard: Guard<D>,
}

impl<const D: usize> Simulation<D> {
    /// Does one step, no further than `end`, `[s]`. After a failure that the policy answers with smaller steps
    /// it goes back, and on until it has passed the failed step's start: time never runs backwards for the
    /// caller.
    ///
    /// # Errors
    /// What the solver found, explained. The state is then the one that failed.
    pub fn step(&mut self, end: f64) -> Result<StepReport, StepError> {
        let (seen, before) = (self.state.t, self.guard.retries.len());
        loop {
            match self.attempt(end) {
                Ok(mut report) => {
                    self.guard.succeed();
                    report.retries = (self.guard.retries.len() - before) as u32;
                    if report.retries == 0 || self.state.t > seen {
                        return Ok(report);
                    }
                }
                Err(error) => {
                    let error = diagnosis::explain(error, &self.state, &*self.solver, self.guard.facts());
                    self.guard.recover(error, &mut self.state, &mut *self.solver)?;
                }
            }
        }
    }

    /// One step that may fail.
    fn attempt(&mut self, end: f64) -> Result<StepReport, StepError> {
        self.guard.settle(f64::NAN);
        diagnosis::check_inputs(&self.state)?;
        let largest = self.guard.begin(&self.state, &mut *self.solver, self.fixed_dt)?;
        let left = end - self.state.t;
        // The last steps share what is left, rather than leave a sliver.
        let dt = match left / largest {
            steps if steps < 1.0 + 1e-9 => left,
            steps if steps < 2.0 && self.fixed_dt.is_none() => 0.5 * left,
            _ => largest,
        };
        self.guard.settle(dt);
        if !dt.is_finite() {
            return Err(StepError::new(&self.state, BEFORE, None, Cause::NotFinite { field: "dt" }));
        }
        let report = self.solver.step(&mut self.state, dt)?;
        self.guard.judge(&self.state, &report)?;
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
