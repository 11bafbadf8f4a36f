//! Why a step failed: the field, phase and particle where it began, and the likely cause.
//!
//! All of this is done after a failure, from the state as it was left. A method helps in three ways: its
//! integration leaves a particle as it was when the new velocity or position is not finite, [`Solver::chain`]
//! shows its fields in the order of cause and effect, and [`Solver::neighbors`] the neighbors of each particle.

mod culprit;
mod enclosure;
mod escape;
mod likely_cause;
mod root;

pub use root::check_inputs;

use crate::method::{
    failure::{BEFORE, Cause, Diagnosis, StepError},
    likely_cause::LikelyCause,
    report::Number,
    solver::Solver,
    state::State,
};

/// Facts of a failed step that the run provides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Its size, `[s]`.
    pub dt: f64,
    /// True when the scene has fixed it.
    pub fixed: bool,
    /// The largest size that the method's limits allowed when it began, `[s]`.
    pub allowed: Option<f64>,
    /// The limit that bound at the first step of the run.
    pub at_start: Option<Number>,
}

/// Finds where a failure began and its likely cause. Takes time, once.
pub fn explain<const D: usize>(
    mut error: StepError,
    state: &State<D>,
    solver: &dyn Solver<D>,
    facts: &Facts,
) -> StepError {
    let index = root::find(&mut error, state, solver);
    let culprit = index.map(|index| culprit::of(index, state, solver));
    error.particle = culprit.as_ref().map(|c| c.id).or(error.particle);
    let case = likely_cause::Case { error: &error, culprit: culprit.as_ref(), state, solver, facts };
    let likely_cause = case.likely_cause();
    let also_fits = case.also_fits(&likely_cause);
    let suggested_dt = suggest(&likely_cause, facts);
    let diagnosis =
        Diagnosis { dt: facts.dt, culprit, likely_cause, also_fits, suggested_dt, retries: Vec::new() };
    error.diagnosis = Some(Box::new(diagnosis));
    error
}

/// `min(dt/2, limit)`, where the limit is that of the start for steps that were always too large, and that of
/// the failed step otherwise. Walls that were jumped over also want four steps within their thickness.
fn suggest(likely_cause: &LikelyCause, facts: &Facts) -> Option<f64> {
    let half = 0.5 * facts.dt;
    let limit = match likely_cause {
        LikelyCause::TooStiff { .. } => return None,
        _ if !likely_cause.is_cured_by_smaller_steps() => return None,
        LikelyCause::StepTooLarge { allowed, .. } => *allowed,
        LikelyCause::WallTooThin { thickness, speed, .. } => {
            facts.allowed.unwrap_or(half).min(0.25 * thickness / speed)
        }
        _ => facts.allowed.unwrap_or(half),
    };
    Some(half.min(limit)).filter(|dt| dt.is_finite() && *dt > 0.0)
}

/// True for failures that are the input's own, not a step's.
fn is_before(error: &StepError) -> bool {
    error.phase == BEFORE && matches!(error.cause, Cause::NotFinite { .. })
}
