//! What a step chooses by its parameters and its numbers, alike on every backend.

use crate::{
    Projection,
    cg::{Limits, Outcome, Solved},
    params::{AlphaFloor, Compensation, Reference, Tolerance},
};
use sph_core::{
    Real,
    method::{
        failure::{Cause, StepError},
        state::State,
    },
};

/// A pressure above this part of [`Projection::pressure_limit`] throws neighbors past each other.
const OVERSHOT: f64 = 0.25;
/// Residual of the viscous velocities over their size.
const VISCOUS_TOLERANCE: f64 = 1e-5;
/// The longest way of shifting in a step, in spacings.
pub const LONGEST_SHIFT: Real = 0.05;
/// A particle is never nearer to a wall than this in the viscous Laplacian, in spacings.
pub const NEAREST: Real = 0.25;

impl<const D: usize> Projection<D> {
    /// Sum of weights and diagonal of a full neighborhood, `[-]` and `[1/m²]`; 0 before the first step has found them.
    pub(crate) fn full(&self) -> [Real; 2] {
        match self.params.reference {
            Reference::Lattice => [self.constants.lattice.alpha as Real, self.constants.surface.reference],
            Reference::FirstStep => self.fields.full.map(|full| full as Real),
        }
    }

    /// Where sums of weights have a floor: without the flag for it nobody knows who is one-sided.
    pub(crate) fn floor(&self) -> AlphaFloor {
        if self.params.surface_asymmetry == 0.0 { AlphaFloor::All } else { self.params.floor(D) }
    }

    /// What divergence `[kg/(m³ s)]` and density error `[kg/(m³ s²)]` are multiplied by in the right side of a step `dt`
    /// `[s]`; `softness` is the part of the second that acts.
    pub(crate) fn rates(&self, state: &State<D>, dt: f64, softness: f64) -> [Real; 2] {
        let (params, rho_0) = (&self.params, f64::from(state.rest.rho_0));
        let compensation = match params.compensation_mode {
            Compensation::Off => 0.0,
            _ => f64::from(params.density_compensation) * softness,
        };
        // A part of a step of the usual length, however short this one is: else what comes fast makes steps short, and
        // those push the harder.
        let usual = dt.max(f64::from(params.dt_max));
        [(rho_0 / dt) as Real, (compensation * rho_0 / (D as f64 * dt * usual)) as Real]
    }

    /// Part of the density error that may be taken out in a step `dt` `[s]` whose pressure has been found; `None` if all.
    pub(crate) fn softness(&self, state: &State<D>, dt: f64) -> Option<f64> {
        let (params, largest) = (&self.params, self.fields.max_pressure);
        let most = OVERSHOT * self.pressure_limit(state, dt);
        let acts = params.compensation_mode != Compensation::Off && params.density_compensation > 0.0;
        (acts && largest > most).then(|| most / largest)
    }

    /// When the pressure of `n` particles is good enough.
    pub(crate) fn pressure_limits(&self, n: usize) -> Limits {
        let params = &self.params;
        Limits {
            tolerance: f64::from(params.cg_tolerance),
            absolute: (params.cg_tolerance_mode == Tolerance::Absolute).then(|| (n as f64).sqrt()),
            iterations: params.cg_max_iter,
        }
    }

    /// When viscous velocities are good enough.
    pub(crate) fn viscous_limits(&self) -> Limits {
        Limits { tolerance: VISCOUS_TOLERANCE, absolute: None, iterations: self.params.cg_max_iter }
    }

    /// Part θ_d of the difference gradient that the exact one has not taken.
    pub(crate) fn difference_part(&self) -> Real {
        if self.params.grad_correction { 0.0 } else { self.params.grad_difference }
    }

    /// Counts an iteration for the pressure. One for a softened source comes on top.
    pub(crate) fn count(&mut self, solved: &Solved) {
        let report = &mut self.fields.report;
        report.iterations += solved.iterations;
        report.residual = if solved.right_side > 0.0 { solved.residual / solved.right_side } else { 0.0 };
        self.fields.residuals.iter_mut().for_each(|r2| *r2 = r2.sqrt() / solved.right_side);
    }

    /// Fails if an iteration met what no step can mend. One that only took too long goes on with what it has.
    pub(crate) fn check_outcome(
        &self,
        state: &State<D>,
        phase: &'static str,
        outcome: Outcome,
    ) -> Result<(), StepError> {
        match outcome {
            Outcome::Converged | Outcome::CapReached => Ok(()),
            Outcome::Indefinite | Outcome::Singular => {
                let cause = Cause::NotConverged(Box::new(self.fields.report));
                Err(StepError::new(state, phase, None, cause))
            }
        }
    }
}
