//! From a scene to a run.

use crate::{
    Constants, Depth, Params, Pbf, Preset,
    cpu::Relaxation,
    memory::{Fields, Needs},
    params::{CfmMode, RelaxationMode, Smoothing, VelocityUpdate},
    physics::Scorr,
};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    geometry::lattice,
    kernel::choice::ScalarKernel,
    method::{
        solver::Solver,
        state::State,
        stopwatch::{Clock, Stopwatch},
    },
    neighbors::{Neighbors, Settings},
    numerics::lane::Isa,
    run::simulation::Simulation,
    scene::{
        Scene, SolverSettings,
        setup::{self, Setup},
    },
};

/// Reads the parameters of a scene: its preset, overridden by its keys.
///
/// # Errors
/// Unknown keys or presets, wrong types, numbers out of range, choices that do not fit.
pub fn parameters(scene: &Scene) -> Result<Params, Error> {
    let preset = match scene.solver.preset() {
        None | Some("standard") => Preset::Standard,
        Some("fluid_demo") => Preset::FluidDemo,
        Some("flex") => Preset::Flex,
        Some("accurate") => Preset::Accurate,
        Some(other) => {
            let error = Error::invalid("solver.preset", "is no preset of pbf").value(format!("{other:?}"));
            let hint = "use \"standard\", \"fluid_demo\", \"flex\" or \"accurate\"";
            return Err(scene.locate(error.hint(hint)));
        }
    };
    let mut params: Params = scene.solver.parameters_over(&Params::preset(preset))?;
    if let Some(eta) = scene.support_ratio {
        params.support_ratio = eta as Real;
    }
    params.check().map_err(|error| scene.locate(error))?;
    Ok(params)
}

/// A run of the scene with Position Based Fluids on the CPU, in two or three dimensions.
///
/// # Errors
/// When the scene or the solver's parameters are refused, or a fixed step explodes.
pub fn simulation<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    Simulation::of_dimension(clock, |clock| in_2d(scene, isa, clock), |clock| in_3d(scene, isa, clock))
}

fn in_2d(scene: &Scene, isa: Isa, clock: Box<dyn Clock>) -> Result<Simulation<2>, Error> {
    build(scene, isa, clock)
}

fn in_3d(scene: &Scene, isa: Isa, clock: Box<dyn Clock>) -> Result<Simulation<3>, Error> {
    build(scene, isa, clock)
}

fn build<const D: usize>(scene: &Scene, isa: Isa, clock: Box<dyn Clock>) -> Result<Simulation<D>, Error> {
    let (state, solver) = method(scene, isa, clock)?;
    Simulation::new(scene, state, Box::new(solver) as Box<dyn Solver<D>>)
}

/// The state of the scene, and the method for it.
pub(crate) fn method<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Pbf<D>), Error> {
    let params = parameters(scene)?;
    if !scene.body.is_empty() {
        moves_bodies(&params).map_err(|error| scene.locate(error))?;
    }
    let h = params.support_ratio * scene.spacing as Real;
    let kernel = Smoothing::new(params.kernel, h).map_err(|error| scene.locate(error))?;
    let Setup { state, .. } = setup::build(scene, &kernel)?;
    let settings = Settings {
        backend: scene.neighbors.backend,
        radius: h,
        skin: scene.neighbors.skin as Real,
        periodic: state.domain.periodic,
        isa,
        wall_rows: !state.bodies.is_empty(),
    };
    let mut solver = Pbf::new(params, kernel, &state, settings, clock);
    solver.check_fixed_step(scene, &state).map_err(|error| scene.locate(error))?;
    Ok((state, solver))
}

/// Refuses the second-order update: its history applies impulses again of which bodies get no reaction.
fn moves_bodies(params: &Params) -> Result<(), Error> {
    if params.velocity_update == VelocityUpdate::FirstOrder {
        return Ok(());
    }
    let error =
        Error::invalid("solver.velocity_update", "does not conserve the momentum of fluid and bodies");
    Err(error.value("\"second_order\"").hint("use \"first_order\" in scenes with bodies"))
}

impl<const D: usize> Pbf<D> {
    /// The method for a state, with all constants of the run.
    pub fn new(
        params: Params,
        kernel: Smoothing<D>,
        state: &State<D>,
        settings: Settings<D>,
        clock: Box<dyn Clock>,
    ) -> Self {
        Self {
            constants: Constants::derive(&params, &kernel, state.rest, !state.bodies.is_empty()),
            depth: Depth::of(state),
            isa: settings.isa,
            neighbors: Neighbors::new(settings),
            fields: Fields::default(),
            stopwatch: Stopwatch::new(clock),
            behind: None,
            fixed_step_warning: None,
            kernel,
            params,
        }
    }

    /// The parameters with one of them changed.
    ///
    /// # Errors
    /// When there is no such parameter, it cannot change in a run, or the value is refused.
    pub(crate) fn changed(&self, name: &str, value: &toml::Value) -> Result<Params, Error> {
        // The calibrated mass and the grid depend on them.
        let fixed = ["kernel", "support_ratio"];
        if fixed.contains(&name) {
            let error = Error::invalid(format!("solver.{name}"), "cannot change in a run");
            return Err(error.hint("give it in the scene"));
        }
        let mut settings = SolverSettings::default();
        settings.set(name, value.clone());
        let params = settings.parameters_over(&self.params)?;
        params.check()?;
        if self.constants.needs.reactions {
            moves_bodies(&params)?;
        }
        Ok(params)
    }

    /// Replaces the parameters. The depth remains that of the first state.
    pub(crate) fn change(&mut self, params: Params) {
        let has_bodies = self.constants.needs.reactions;
        self.constants = Constants::derive(&params, &self.kernel, self.constants.rest, has_bodies);
        self.params = params;
    }
}

impl Constants {
    /// The constants of these parameters.
    fn derive<const D: usize>(
        params: &Params,
        kernel: &dyn ScalarKernel<D>,
        rest: Material,
        has_bodies: bool,
    ) -> Self {
        let (h, dx) = (kernel.support_radius(), f64::from(rest.spacing));
        let rho_0 = f64::from(rest.rho_0);
        let volume = lattice::calibrated_mass(kernel, dx, rho_0) / rho_0;
        let reference = lattice::gradient_squares(kernel, dx, volume);
        let dq = params.scorr_dq * h;
        let relaxation = Relaxation {
            factor: params.relaxation_factor,
            averages: params.relaxation_mode == RelaxationMode::Local,
        };
        let constraints = lattice::n_neighbors::<D>(f64::from(h) / dx) + 1;
        let epsilon = match params.cfm_mode {
            CfmMode::Relative => f64::from(params.cfm()) * reference,
            CfmMode::Absolute => f64::from(params.cfm()),
        };
        Self {
            rest,
            reference,
            epsilon: epsilon as Real,
            scorr: Scorr { k: 0.0, inv_w_dq: 1.0 / kernel.w(dq * dq) },
            relaxation,
            effectiveness: f64::from(relaxation.of(constraints as Real)) * reference / (reference + epsilon),
            needs: Needs::of(params, has_bodies),
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
