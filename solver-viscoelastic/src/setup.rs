//! From a scene to a run.

use crate::{
    Constants, Depth, Params, Preset, Viscoelastic,
    cpu::colors::Colors,
    memory::{Fields, Needs},
    physics::{self, LatticeSums, Stiffness},
};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    geometry::lattice,
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

/// Near stiffness over stiffness where it is left out, `[-]`.
const NEAR: f64 = 1.5;
/// Compression at the bottom of the fluid that a stiffness which is left out allows, `[-]`.
const COMPRESSION: Real = 0.03;

/// Reads the parameters of a scene: its preset, changed by what it gives.
///
/// # Errors
/// Unknown keys or presets, wrong types, numbers out of range, choices that do not fit.
pub fn parameters(scene: &Scene) -> Result<Params, Error> {
    let preset = match scene.solver.preset() {
        None | Some("standard") => Preset::Standard,
        Some("circle_demo") => Preset::CircleDemo,
        Some(other) => {
            let error = Error::invalid("solver.preset", "is no preset of viscoelastic");
            let error = error.value(format!("{other:?}")).hint("use \"standard\" or \"circle_demo\"");
            return Err(scene.locate(error));
        }
    };
    let mut params: Params = scene.solver.parameters_over(&Params::preset(preset))?;
    if let Some(eta) = scene.support_ratio {
        params.support_ratio = eta as Real;
    }
    params.check().map_err(|error| scene.locate(error))?;
    Ok(params)
}

/// A run of the scene with the viscoelastic fluid on the CPU, in two or three dimensions.
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
pub(crate) fn method<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Viscoelastic<D>), Error> {
    let params = parameters(scene)?;
    // Masses, and volumes of wall samples, are those of this kernel.
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
    let solver = Viscoelastic::new(params, &state, settings, clock).map_err(|error| scene.locate(error))?;
    Ok((state, solver))
}

impl<const D: usize> Viscoelastic<D> {
    /// The method for a state.
    ///
    /// # Errors
    /// When the stiffness is left out and there is no depth to derive it from.
    pub fn new(
        params: Params,
        state: &State<D>,
        settings: Settings<D>,
        clock: Box<dyn Clock>,
    ) -> Result<Self, Error> {
        let depth = Depth::of(state);
        Ok(Self {
            constants: Constants::derive::<D>(&params, state.rest, depth, !state.bodies.is_empty())?,
            depth,
            isa: settings.isa,
            neighbors: Neighbors::new(settings),
            colors: Colors::default(),
            fields: Fields::default(),
            stopwatch: Stopwatch::new(clock),
            behind: None,
            params,
        })
    }

    /// The parameters with one of them changed.
    ///
    /// # Errors
    /// When there is no such parameter, it cannot change in a run, or the value is refused.
    pub(crate) fn changed(&self, name: &str, value: &toml::Value) -> Result<Params, Error> {
        if name == "support_ratio" {
            let error = Error::invalid("solver.support_ratio", "cannot change in a run");
            return Err(error.hint("give it in the scene"));
        }
        let mut settings = SolverSettings::default();
        settings.set(name, value.clone());
        let params = settings.parameters_over(&self.params)?;
        params.check()?;
        Ok(params)
    }

    /// Sets new parameters. The depth of the first state stays.
    pub(crate) fn change(&mut self, params: Params) {
        let (has_bodies, rest) = (self.constants.needs.reactions, self.constants.rest);
        // Errors of the derivation were reported before the first step.
        if let Ok(constants) = Constants::derive::<D>(&params, rest, self.depth, has_bodies) {
            if !constants.needs.springs {
                // Rows are not permuted by sorts without springs.
                self.fields.springs.store_by_id();
            }
            self.constants = constants;
            self.params = params;
        }
    }
}

impl Constants {
    fn derive<const D: usize>(
        params: &Params,
        rest: Material,
        depth: Depth,
        has_bodies: bool,
    ) -> Result<Self, Error> {
        let eta = f64::from(params.support_ratio);
        let h = params.support_ratio * rest.spacing;
        let sums = LatticeSums::new::<D>(eta);
        let weights = if params.normalized { [1.0 / sums.rho, 1.0 / sums.near] } else { [1.0; 2] };
        let of = |k: f64| stiffness(params, &sums, weights, k);
        let k = match params.stiffness {
            Some(k) => f64::from(k),
            None => {
                // c² is proportional to k, and c² = g H/ε holds a depth H with the compression ε.
                let unit = physics::sound_speed2::<D>(&of(1.0), eta, f64::from(h));
                depth.pressure / (f64::from(COMPRESSION) * unit)
            }
        };
        if k == 0.0 && params.stiffness.is_none() {
            let error =
                Error::invalid("solver.stiffness", "cannot be derived: there is no depth without gravity");
            return Err(error.hint("give solver.stiffness"));
        }
        let stiffness = of(k);
        Ok(Self {
            h,
            rest,
            stiffness,
            lattice_rho: sums.rho as Real,
            n_neighbors: lattice::n_neighbors::<D>(eta),
            sound_speed: physics::sound_speed2::<D>(&stiffness, eta, f64::from(h)).max(0.0).sqrt(),
            needs: Needs::of(params, has_bodies),
        })
    }
}

/// The stiffnesses of a `k`, `[m/s²]`, with densities that are multiplied by `weights`.
fn stiffness(params: &Params, sums: &LatticeSums, weights: [f64; 2], k: f64) -> Stiffness {
    let k_near = params.stiffness_near.map_or(NEAR * k, f64::from);
    let rho_0 = params.rest_density.map_or_else(
        || sums.rest_density([weights[0] * sums.rho, weights[1] * sums.near], k, k_near),
        f64::from,
    );
    Stiffness {
        k: (k * weights[0]) as Real,
        k_near: (k_near * weights[1]) as Real,
        k_rest: (k * rho_0) as Real,
        balance: sums.balance() as Real,
    }
}

impl Depth {
    /// Depth of the initial state.
    fn of<const D: usize>(state: &State<D>) -> Self {
        let height = if state.fluid.is_empty() { 0.0 } else { f64::from(state.height()) };
        let g = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
        Self { height, pressure: g * height }
    }
}
