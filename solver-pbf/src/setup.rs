//! From a scene to a run.

use crate::{
    Constants, Depth, Params, Pbf,
    cpu::Relaxation,
    memory::{Fields, Needs},
    params::{CfmMode, RelaxationMode, Smoothing, VelocityUpdate},
    physics::{self, Scorr},
};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    geometry::lattice,
    kernel::choice::ScalarKernel,
    method::{state::State, stopwatch::Clock},
    numerics::lane::Isa,
    run::method::{self, Shell},
    scene::{
        Parameters as _, Scene,
        setup::{self, Setup},
    },
};

/// The first state of a scene, and the method for it.
///
/// # Errors
/// When the scene or the solver's parameters are refused, or a fixed step explodes.
pub fn of_scene<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Pbf<D>), Error> {
    let params = Params::of_scene(scene)?;
    check_forces(&params, scene.needs_forces()).map_err(|error| scene.locate(error))?;
    let h = params.support_ratio * scene.spacing as Real;
    let kernel = Smoothing::new(params.kernel, h).map_err(|error| scene.locate(error))?;
    let Setup { state, .. } = setup::build(scene, &kernel)?;
    let mut solver = Pbf {
        constants: Constants::derive(&params, &kernel, state.rest, state.bodies.may_be_loaded()),
        depth: Depth::of(&state),
        shell: Shell::new(method::search::<D, Pbf<D>>(scene, &state, &params, h, isa), clock),
        fields: Fields::default(),
        fixed_step_warning: None,
        needs_forces: scene.needs_forces(),
        kernel,
        params,
    };
    solver.check_fixed_step(scene, &state).map_err(|error| scene.locate(error))?;
    Ok((state, solver))
}

/// Refuses the second-order update where forces on bodies, walls or containers are needed: its history applies impulses
/// again of which these get no reaction.
///
/// # Errors
/// With `velocity_update = "second_order"` and such `forces`.
pub fn check_forces(params: &Params, forces: bool) -> Result<(), Error> {
    if !forces || params.velocity_update == VelocityUpdate::FirstOrder {
        return Ok(());
    }
    let error = Error::invalid(
        "solver.velocity_update",
        "does not conserve the momentum of fluid and what it acts on",
    );
    Err(error
        .value("\"second_order\"")
        .hint("use \"first_order\" with bodies, and where a force on a wall or a container is measured"))
}

impl Constants {
    /// The constants of these parameters.
    pub(crate) fn derive<const D: usize>(
        params: &Params,
        kernel: &dyn ScalarKernel<D>,
        rest: Material,
        reactions: bool,
    ) -> Self {
        let (h, dx) = (kernel.support_radius(), f64::from(rest.spacing));
        let rho_0 = f64::from(rest.rho_0);
        let volume = lattice::calibrated_mass(kernel, dx, rho_0) / rho_0;
        let reference = lattice::gradient_squares(kernel, dx, volume);
        let dq = params.scorr_dq * h;
        let constraints = lattice::n_neighbors::<D>(f64::from(h) / dx) + 1;
        let epsilon = match params.cfm_mode {
            CfmMode::Relative => f64::from(params.cfm()) * reference,
            CfmMode::Absolute => f64::from(params.cfm()),
        };
        let averages = params.relaxation_mode == RelaxationMode::Local;
        let radius = lattice::jacobi_radius(kernel, dx) * reference / (reference + epsilon);
        let stable =
            if averages { 1.0 } else { (physics::stable_radius(params.unilateral) / radius).min(1.0) };
        let relaxation = Relaxation { factor: stable as Real * params.relaxation_factor, averages };
        Self {
            rest,
            reference,
            epsilon: epsilon as Real,
            scorr: Scorr { k: 0.0, inv_w_dq: 1.0 / kernel.w(dq * dq) },
            relaxation,
            effectiveness: f64::from(relaxation.of(constraints as Real)) * reference / (reference + epsilon),
            needs: Needs::of(params, reactions),
        }
    }
}

impl Depth {
    /// Depth of an initial state.
    fn of<const D: usize>(state: &State<D>) -> Self {
        let height = if state.fluid.is_empty() { 0.0 } else { f64::from(state.height()) };
        let radius2 = state.forces.central.map_or(0.0, |(center, _)| {
            let far = |i: usize| -> f64 {
                (0..D).map(|a| f64::from(state.fluid.x[a][i] - center[a]).powi(2)).sum()
            };
            (0..state.fluid.len()).map(far).fold(0.0, f64::max)
        });
        Self { height, radius2 }
    }

    /// Largest pressure at rest over ρ₀ under the current forces: `g H + B² R²/2`, `[m²/s²]`.
    pub(crate) fn pressure<const D: usize>(&self, state: &State<D>) -> f64 {
        let g = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
        let strength = state.forces.central.map_or(0.0, |(_, b)| f64::from(b));
        g * self.height + 0.5 * strength * strength * self.radius2
    }
}
