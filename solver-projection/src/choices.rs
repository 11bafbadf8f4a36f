//! What a step chooses by its parameters and its numbers, alike on every backend.

use crate::{
    Projection,
    cg::{Limits, Outcome, Solved},
    gravity,
    params::{Gradient, Reference, Tolerance},
    physics::{FreeSurface, LEAST_OF_ALPHA, Parting, SPRAY, STEEPEST},
};
use sph_core::{
    Real,
    method::{
        failure::{Cause, StepError},
        solids::Flow,
        state::State,
    },
    rigid::Bodies,
};

/// A pressure above this part of [`Projection::pressure_limit`] throws neighbors past each other.
const OVERSHOT: f64 = 0.25;
/// Residual of the viscous velocities over their size.
const VISCOUS_TOLERANCE: f64 = 1e-5;
/// The largest displacement by shifting in a step, in spacings.
pub const LONGEST_SHIFT: Real = 0.05;
/// V over the largest speed.
const PART: f64 = 0.1;
/// The most searches for voids in a step.
const VOIDS: u32 = 4;
/// A particle is never nearer to a wall than this in viscosity, in spacings.
pub const NEAREST: Real = 0.25;

/// Part of the full gradient in each of PeriDyno's two gradients: one of its constants, over d `[PeriDyno]`.
pub fn peridyno_part<const D: usize>() -> Real {
    (0.1 / D as f64) as Real
}

impl<const D: usize> Projection<D> {
    /// Sum of weights and diagonal of a full neighborhood, `[-]` and `[1/m²]`; 0 before the first step has found them.
    pub(crate) fn full(&self) -> [Real; 2] {
        match self.params.reference {
            Reference::Lattice => [self.constants.lattice.alpha as Real, self.constants.surface.reference],
            Reference::FirstStep => self.fields.full.map(|full| full as Real),
        }
    }

    /// The least sum of weights in the viscosity along lines of centers, `[-]`: that of the tip of a spray.
    pub(crate) fn least_central(&self) -> Real {
        LEAST_OF_ALPHA * self.constants.lattice.central as Real
    }

    /// True where every α is at least that of the lattice, false where only those of the free surface are: in 2D, if the
    /// asymmetry tells which these are. In disorder half of the particles inside have a smaller α, and a floor would weaken
    /// their pressure gradient; in 3D it gains little and makes the pressure noisier `[measured]`.
    pub(crate) fn has_floor_everywhere(&self) -> bool {
        D == 3 || self.params.surface_asymmetry == 0.0
    }

    /// Part of the pressure with which the fluid pushes walls.
    pub(crate) fn sum_part(&self) -> Real {
        match self.params.gradient {
            Gradient::Adjoint | Gradient::Difference => 1.0,
            Gradient::Peridyno => peridyno_part::<D>(),
        }
    }

    /// True where the pressure acts on closed surfaces by their areas. Pairs of a particle and a sample give a body too much or too
    /// little where particles lie in disorder, by a part of the pressure itself; but they keep momentum, which the difference
    /// gradient does not.
    pub(crate) fn has_areas(&self) -> bool {
        self.params.gradient == Gradient::Difference
    }

    /// Does `collect`. Where no fluid keeps its momentum, bodies need not take up at once what it answers to their motion.
    pub(crate) fn collect<R>(
        &self,
        bodies: &mut Bodies<D>,
        rho_0: Real,
        collect: impl FnOnce(&mut Bodies<D>) -> R,
    ) -> R {
        match self.has_areas() && self.flow == Flow::Closed {
            true => bodies.collect_with_added_mass(f64::from(rho_0), collect),
            false => collect(bodies),
        }
    }

    /// The least pressure with which walls are pushed, `[Pa]`: with the difference gradient they are pulled, too.
    pub(crate) fn least_pushed(&self) -> Real {
        if self.params.gradient == Gradient::Difference { Real::MIN } else { 0.0 }
    }

    /// Part of the tangential velocity of walls, of that which viscosity feels, in the divergence. What slides along a wall
    /// brings no fluid; where a moving one ends, its ghosts would be a source of it.
    pub(crate) fn slide(&self) -> Real {
        if self.params.gradient == Gradient::Peridyno { 1.0 } else { 0.0 }
    }

    /// What divergence `[kg/(m³ s)]` and density error `[kg/(m³ s²)]` are multiplied by in the right-hand side of a step `dt`
    /// `[s]`; `source_part` is the part of the second that acts.
    pub(crate) fn rates(&self, state: &State<D>, dt: f64, source_part: f64) -> [Real; 2] {
        let (params, rho_0) = (&self.params, f64::from(state.rest.rho_0));
        let compensation = f64::from(params.density_compensation) * source_part;
        // A part of a step of the usual length, however short this one is: else what comes fast makes steps short, and
        // short ones push the harder.
        let usual = dt.max(f64::from(params.dt_max));
        [(rho_0 / dt) as Real, (compensation * rho_0 / (D as f64 * dt * usual)) as Real]
    }

    /// Part of the density error that may be taken out in a step `dt` `[s]` whose pressure has been found; `None` if all.
    pub(crate) fn source_limit(&self, state: &State<D>, dt: f64) -> Option<f64> {
        let (params, largest) = (&self.params, self.fields.max_pressure);
        let most = OVERSHOT * self.pressure_limit(state, dt);
        (params.density_compensation > 0.0 && largest > most).then(|| most / largest)
    }

    /// What makes a particle one of the surface. Beside a container, which has no ghosts, half of α is no sign of a spray.
    pub(crate) fn surface(&self, state: &State<D>) -> FreeSurface {
        let spray = if state.containers.is_empty() { SPRAY } else { 0.0 };
        FreeSurface { reference: self.full()[1], spray, ..self.constants.surface }
    }

    /// The speed V beyond which fluid that leaves a wall, or that the pressure accelerates in a step `dt` `[s]`, has a void beside it: 0.1 of
    /// the largest speed, and at least what hydrostatic pressure gives a particle with neighbors on one side only, `|σ| = 1/h`.
    /// Infinite for other gradients than the adjoint.
    pub(crate) fn parting(&self, state: &State<D>, dt: f64) -> Parting {
        let fastest = self.shell.max_speed.max(state.bodies.top_speed());
        let hydrostatic = gravity(state) * f64::from(self.height);
        let at_rest = D as f64 * dt * hydrostatic * f64::from(self.constants.weight.inv_h);
        let speed = (PART * fastest).max(at_rest).max(f64::from(Real::MIN_POSITIVE));
        let opens = self.params.gradient == Gradient::Adjoint;
        Parting { separation: self.params.separation, speed: if opens { speed as Real } else { Real::MAX } }
    }

    /// Whether the pressure of a step `dt` `[s]` may accelerate a particle beyond V, and the step has searched for voids less than
    /// [`VOIDS`] times. Not without a free surface, since the pressure then is open up to a constant; and not in scenes with
    /// containers, which have no ghosts, so that all particles beside them would count.
    pub(crate) fn may_throw(&self, state: &State<D>, dt: f64, searches: u32) -> bool {
        let is_bound =
            self.flow == Flow::FreeSurface && !self.fields.is_closed && state.containers.is_empty();
        let push = D as f64 * dt / f64::from(state.rest.rho_0) * self.fields.max_pressure;
        let thrown = push * f64::from(STEEPEST * self.constants.weight.inv_h);
        is_bound && searches < VOIDS && thrown > f64::from(self.parting(state, dt).speed)
    }

    /// When the pressure of `n` particles has converged.
    pub(crate) fn pressure_limits(&self, n: usize) -> Limits {
        let params = &self.params;
        Limits {
            tolerance: f64::from(params.cg_tolerance),
            absolute: (params.cg_tolerance_mode == Tolerance::Absolute).then(|| (n as f64).sqrt()),
            iterations: params.cg_max_iter,
        }
    }

    /// When the viscous velocities have converged.
    pub(crate) fn viscous_limits(&self) -> Limits {
        Limits { tolerance: VISCOUS_TOLERANCE, absolute: None, iterations: self.params.cg_max_iter }
    }

    /// Counts a solution for the pressure. One with a limited density source adds to it.
    pub(crate) fn count(&mut self, solved: &Solved) {
        let report = &mut self.shell.report;
        report.iterations += solved.iterations;
        report.residual =
            if solved.right_hand_side > 0.0 { solved.residual / solved.right_hand_side } else { 0.0 };
        self.fields.residuals.iter_mut().for_each(|r2| *r2 = r2.sqrt() / solved.right_hand_side);
    }

    /// Fails if the matrix was indefinite or the iteration broke down. At the iteration limit the step goes on, and counts it.
    pub(crate) fn check_outcome(
        &mut self,
        state: &State<D>,
        phase: &'static str,
        outcome: Outcome,
    ) -> Result<(), StepError> {
        match outcome {
            Outcome::Converged => Ok(()),
            Outcome::IterationLimitReached => {
                self.shell.report.unconverged += 1;
                Ok(())
            }
            Outcome::Indefinite | Outcome::Singular => {
                let cause = Cause::NotConverged(Box::new(self.shell.report));
                Err(StepError::new(state, phase, None, cause))
            }
        }
    }
}
