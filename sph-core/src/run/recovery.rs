//! What follows a failed step: the run stops, or goes back to an earlier state and on with smaller steps.

use crate::{
    method::{
        failure::{Cause, Retry, StepError},
        report::{Number, StepReport},
        solver::Solver,
        state::State,
    },
    run::{interaction::Interaction, snapshot::Snapshot},
    scene::{self, OnFailure},
    watch::{diagnosis::Facts, plan::SNAPSHOTS},
};

/// What a scene says about failures; see [`scene::Run`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Largest ρ/ρ₀ − 1 of a particle, `[-]`.
    pub density_limit: f64,
    /// What a failed step leads to.
    pub on_failure: OnFailure,
    /// How often in a row a run goes back before it gives up, `[-]`.
    pub max_retries: u32,
    /// Steps between two snapshots, `[-]`.
    pub snapshot_every: u64,
}

impl From<&scene::Run> for Policy {
    fn from(run: &scene::Run) -> Self {
        Self {
            density_limit: run.density_limit,
            on_failure: run.on_failure,
            max_retries: run.max_retries,
            snapshot_every: run.snapshot_every,
        }
    }
}

/// Where a run is in its recovery: with state and solver memory all that its next steps depend on, as long as
/// they do not fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// What the step size is multiplied with, a power of two, at most 1, `[-]`.
    pub scale: f64,
    /// Good steps since the last failure or change of scale.
    pub good_steps: u64,
    /// Failures in a row.
    pub failures: u32,
}

impl Default for Recovery {
    fn default() -> Self {
        Self { scale: 1.0, good_steps: 0, failures: 0 }
    }
}

/// After this many snapshots' worth of good steps the scale doubles, and the failures count anew. Must exceed
/// the two that a run goes back at most, or a failure would repeat forever.
const CALM: u64 = 5;

/// Residual over the right-hand side above which a solution that ended at its iteration limit is none `[convention]`.
pub const MOST_RESIDUAL: f64 = 0.1;
/// A run fails after this many such steps in a row `[convention]`.
pub const MOST_UNCONVERGED: u32 = 10;

/// Watches the steps of a run: keeps snapshots if the policy asks for them, and what a diagnosis must know.
#[derive(Debug)]
pub struct Guard<const D: usize> {
    /// What the scene says.
    pub policy: Policy,
    /// Where the run is in its recovery.
    pub recovery: Recovery,
    /// All failures that the run went back from.
    pub retries: Vec<Retry>,
    /// The older and the newer snapshot. The newer may lie in the last moments before a failure, when all is
    /// lost already; so it is the older that a run goes back to.
    snapshots: [Snapshot<D>; SNAPSHOTS],
    /// The limit that bound at the first step.
    at_start: Option<Number>,
    /// What is known of the step that is being done.
    facts: Facts,
    /// Steps in a row that ended far from convergence.
    unconverged: u32,
}

impl<const D: usize> Guard<D> {
    /// A guard at the start of a run.
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            recovery: Recovery::default(),
            retries: Vec::new(),
            snapshots: Default::default(),
            at_start: None,
            facts: Facts::default(),
            unconverged: 0,
        }
    }

    /// Forgets all snapshots, as when something outside of the steps has changed the state: a run that went
    /// back beyond the change would lose it.
    pub fn forget(&mut self) {
        self.snapshots = Default::default();
    }

    /// Before a step: takes a snapshot if one is due, and gives the step size that the recovery leaves of
    /// `fixed_dt` or of the solver's.
    pub(crate) fn begin(
        &mut self,
        state: &State<D>,
        solver: &mut dyn Solver<D>,
        interaction: &Interaction<D>,
        fixed_dt: Option<f64>,
    ) -> Result<f64, StepError> {
        if self.keeps_now(state.step) {
            self.snapshots.swap(0, 1);
            self.snapshots[1].take(state, solver, interaction);
        }
        if self.at_start.is_none() {
            let limits = solver.derived(state).step_limits;
            self.at_start = limits.into_iter().min_by(|a, b| a.value.total_cmp(&b.value));
        }
        let chosen = solver.max_dt(state);
        let allowed = match &chosen {
            Ok(dt) | Err(StepError { cause: Cause::StepTooSmall { dt, .. }, .. }) => Some(*dt),
            Err(_) => None,
        };
        let dt = fixed_dt.or(allowed).unwrap_or(f64::NAN);
        self.facts = Facts { dt, fixed: fixed_dt.is_some(), allowed, at_start: self.at_start };
        let largest = match fixed_dt {
            Some(dt) => dt,
            None => chosen?,
        };
        Ok(largest * self.recovery.scale)
    }

    /// The size of the step that is about to be done, NaN while it is not known, `[s]`.
    pub(crate) fn settle(&mut self, dt: f64) {
        self.facts.dt = dt;
    }

    /// What is known of the step.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// After a step: fails it if it compressed the fluid too much, or is one too many that ended far from convergence.
    pub(crate) fn judge(&mut self, state: &State<D>, report: &StepReport) -> Result<(), StepError> {
        let is_far = report.unconverged > 0 && report.residual > MOST_RESIDUAL;
        self.unconverged = if is_far { self.unconverged + 1 } else { 0 };
        if self.unconverged >= MOST_UNCONVERGED {
            // A run that goes back counts anew.
            self.unconverged = 0;
            let cause = Cause::NotConverged(Box::new(*report));
            return Err(StepError::new(state, "solve_pressure", None, cause));
        }
        let (error, limit) = (report.density_error_max, self.policy.density_limit);
        if error <= limit {
            return Ok(());
        }
        Err(StepError::new(state, "compute_density", None, Cause::TooDense { error, limit }))
    }

    /// After a good step: counts it, and doubles the scale after a stretch of them.
    pub(crate) fn succeed(&mut self) {
        let recovery = &mut self.recovery;
        if recovery.failures == 0 && recovery.scale >= 1.0 {
            return;
        }
        recovery.good_steps += 1;
        if recovery.good_steps >= CALM * self.policy.snapshot_every {
            *recovery = Recovery { scale: (2.0 * recovery.scale).min(1.0), ..Recovery::default() };
        }
    }

    /// After a failed step: puts back the older snapshot, with half the scale.
    ///
    /// # Errors
    /// The same failure, with the history of those before it, when the policy does not ask for another try,
    /// when too many have failed, or when smaller steps cannot help.
    pub(crate) fn recover(
        &mut self,
        mut error: StepError,
        state: &mut State<D>,
        solver: &mut dyn Solver<D>,
        interaction: &mut Interaction<D>,
    ) -> Result<(), StepError> {
        let curable = error.diagnosis.as_ref().is_some_and(|d| d.likely_cause.is_cured_by_smaller_steps());
        let try_again = self.policy.on_failure == OnFailure::ReduceDt
            && curable
            && self.recovery.failures < self.policy.max_retries;
        let [older, newer] = &mut self.snapshots;
        let from = if older.step().is_some() { older } else { newer };
        let Some(back_to) = from.step().filter(|_| try_again) else {
            if let Some(diagnosis) = &mut error.diagnosis {
                let in_a_row = self.retries.len().saturating_sub(self.recovery.failures as usize);
                diagnosis.retries = self.retries[in_a_row..].to_vec();
            }
            return Err(error);
        };
        from.restore(state, solver, interaction);
        // The newer one lies ahead now: the next is due as if it had never been taken.
        if self.snapshots[0].step().is_some() {
            self.snapshots.swap(0, 1);
            self.snapshots[0] = Snapshot::default();
        }
        let recovery = &mut self.recovery;
        let scale = 0.5 * recovery.scale;
        *recovery = Recovery { scale, good_steps: 0, failures: recovery.failures + 1 };
        self.retries.push(Retry {
            step: error.step,
            t: error.t,
            dt: self.facts.dt,
            back_to,
            scale,
            reason: error.line(),
        });
        Ok(())
    }

    /// Whether a snapshot is due before this step.
    pub(crate) fn keeps_now(&self, step: u64) -> bool {
        let old = |kept: u64| step >= kept + self.policy.snapshot_every;
        self.policy.on_failure == OnFailure::ReduceDt && self.snapshots[1].step().is_none_or(old)
    }
}
