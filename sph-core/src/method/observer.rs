//! Observers of a run between its steps.

use super::{report::StepReport, solver::Solver, state::State};

/// The view of a run between two steps that observers get.
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

    /// Whether it will read particles, walls or fields of this step. If no observer will, these may be those of an
    /// earlier step: a run on a GPU then copies nothing to the host. Time, step and report are always those of now.
    fn is_due(&self, _view: &View<'_, D>) -> bool {
        true
    }
}

impl<const D: usize, F: FnMut(&View<'_, D>) -> bool> Observer<D> for F {
    fn observe(&mut self, view: &View<'_, D>) -> bool {
        self(view)
    }
}
