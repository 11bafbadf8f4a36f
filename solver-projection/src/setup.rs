//! From a scene to a run.

use crate::{
    Constants, Params, Preset, Projection,
    memory::{Fields, Needs},
    physics::{self, LatticeSums, Surface},
};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    kernel::{CubicSpline, Formula as _, Kernel},
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

/// Reads the parameters of a scene: its preset, changed by what it gives.
///
/// # Errors
/// Unknown keys or presets, wrong types, numbers out of range, choices that do not fit.
pub fn parameters(scene: &Scene) -> Result<Params, Error> {
    let preset = match scene.solver.preset() {
        None | Some("consistent") => Preset::Consistent,
        Some("peridyno_compat") => Preset::PeridynoCompat,
        Some(other) => {
            let error =
                Error::invalid("solver.preset", "is no preset of projection").value(format!("{other:?}"));
            return Err(scene.locate(error.hint("use \"consistent\" or \"peridyno_compat\"")));
        }
    };
    let mut params: Params = scene.solver.parameters_over(&Params::preset(preset, scene.dim))?;
    if let Some(eta) = scene.support_ratio {
        params.support_ratio = eta as Real;
    }
    params.check().map_err(|error| scene.locate(error))?;
    Ok(params)
}

/// A run of the scene with the staggered projection on the CPU, in two or three dimensions.
///
/// # Errors
/// When the scene or the solver's parameters are refused.
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

/// The first state of a scene, and the method for it.
///
/// # Errors
/// When the scene or the solver's parameters are refused.
pub fn method<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Projection<D>), Error> {
    let params = parameters(scene)?;
    let kernel = CubicSpline::<D>::new(params.support_ratio * scene.spacing as Real);
    let Setup { state, .. } = setup::build(scene, &kernel)?;
    let settings = Settings {
        backend: scene.neighbors.backend,
        radius: kernel.support_radius(),
        skin: scene.neighbors.skin as Real,
        periodic: state.domain.periodic,
        isa,
        wall_rows: !state.bodies.is_empty(),
    };
    let solver = Projection::new(params, kernel, &state, settings, clock);
    Ok((state, solver))
}

impl<const D: usize> Projection<D> {
    /// The method for a state, with everything that can be known before the first step.
    pub fn new(
        params: Params,
        kernel: CubicSpline<D>,
        state: &State<D>,
        settings: Settings<D>,
        clock: Box<dyn Clock>,
    ) -> Self {
        Self {
            constants: Constants::derive::<D>(&params, state.rest, !state.bodies.is_empty()),
            isa: settings.isa,
            neighbors: Neighbors::new(settings),
            fields: Fields::default(),
            stopwatch: Stopwatch::new(clock),
            behind: None,
            kernel,
            params,
        }
    }

    /// The parameters with one of them changed.
    ///
    /// # Errors
    /// When there is no such parameter, it cannot change in a run, or the value is refused.
    pub(crate) fn changed(&self, name: &str, value: &toml::Value) -> Result<Params, Error> {
        if ["support_ratio", "reference"].contains(&name) {
            let error = Error::invalid(format!("solver.{name}"), "cannot change in a run");
            return Err(error.hint("give it in the scene"));
        }
        let mut settings = SolverSettings::default();
        settings.set(name, value.clone());
        let params = settings.parameters_over(&self.params)?;
        params.check()?;
        Ok(params)
    }

    /// Takes new parameters.
    pub(crate) fn change(&mut self, params: Params) {
        let has_bodies = self.constants.needs.reactions;
        self.constants = Constants::derive::<D>(&params, self.constants.rest, has_bodies);
        self.params = params;
    }
}

impl Constants {
    /// Depends on nothing but its arguments.
    fn derive<const D: usize>(params: &Params, rest: Material, has_bodies: bool) -> Self {
        let h = params.support_ratio * rest.spacing;
        let weight = physics::Weight::new(params.projection_weight, h, params.clamp(D));
        let lattice = LatticeSums::new::<D>(weight, f64::from(params.support_ratio));
        Self {
            weight,
            lattice,
            surface: Surface {
                reference: (lattice.diagonal_h2 / f64::from(h).powi(2)) as Real,
                threshold: params.surface_threshold,
                asymmetry: params.surface_asymmetry,
                at_wall: params.wall_surface_factor,
            },
            rest,
            needs: Needs::of(params, has_bodies),
        }
    }
}
