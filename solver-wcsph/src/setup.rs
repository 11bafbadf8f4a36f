//! From a scene to a run.

use crate::{
    Constants, Params, Preset, Wcsph,
    cpu::Wall,
    memory::{Fields, Needs},
    params::{self, Density, Smoothing, ViscosityModel, WallPressure},
    physics::{self, Eos, SOFTENING, Viscosity},
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

/// Reads the parameters of a scene: its preset, changed by what it gives.
///
/// # Errors
/// Unknown keys or presets, wrong types, numbers out of range, choices that do not fit.
pub fn parameters(scene: &Scene) -> Result<Params, Error> {
    let preset = match scene.solver.preset() {
        None | Some("validation") => Preset::Validation,
        Some("graphics") => Preset::Graphics,
        Some(other) => {
            let error = Error::invalid("solver.preset", "is no preset of wcsph").value(format!("{other:?}"));
            return Err(scene.locate(error.hint("use \"validation\" or \"graphics\"")));
        }
    };
    let mut params: Params = scene.solver.parameters_over(&Params::preset(preset))?;
    if let Some(eta) = scene.support_ratio {
        params.support_ratio = eta as Real;
    }
    params.check().map_err(|error| scene.locate(error))?;
    Ok(params)
}

/// A run of the scene with weakly compressible SPH on the CPU, in two or three dimensions.
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

/// The state of the scene, and the method for it.
pub(crate) fn method<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Wcsph<D>), Error> {
    let params = parameters(scene)?;
    let h = params.support_ratio * scene.spacing as Real;
    let kernel = Smoothing::new(params.kernel, h).map_err(|error| scene.locate(error))?;
    let Setup { mut state, pressure } = setup::build(scene, &kernel)?;
    let skin = scene.neighbors.skin as Real;
    let settings = Settings {
        backend: scene.neighbors.backend,
        radius: h,
        skin,
        periodic: state.domain.periodic,
        isa,
        wall_rows: params.wall_pressure == WallPressure::Dummy && !state.walls.is_empty()
            || !state.bodies.is_empty(),
    };
    let mut solver =
        Wcsph::new(params, kernel, &state, settings, clock).map_err(|error| scene.locate(error))?;
    if solver.params.density == Density::Continuity {
        for (rho, p) in state.fluid.rho.iter_mut().zip(pressure) {
            *rho = physics::density_of_pressure(solver.constants.eos, p as Real, state.rest.rho_0);
        }
    }
    if solver.constants.wall.is_dummy() {
        // Dummy walls go on with the fluid's lattice, whatever their pseudo-mass would be (Adami et al. 2012).
        state.walls.volume.fill((scene.spacing.powi(D as i32)) as Real);
    }
    solver.take_pressures(&state.fluid.rho);
    Ok((state, solver))
}

impl<const D: usize> Wcsph<D> {
    /// The method for a state, with everything that can be known before the first step.
    ///
    /// # Errors
    /// When the sound speed is neither given nor derivable.
    pub fn new(
        params: Params,
        kernel: Smoothing<D>,
        state: &State<D>,
        settings: Settings<D>,
        clock: Box<dyn Clock>,
    ) -> Result<Self, Error> {
        let c_0 = sound_speed(&params, state)?;
        if !(state.rest.rho_0 * c_0 * c_0).is_finite() {
            let message = "makes a stiffness that is not finite in this precision";
            return Err(Error::invalid("solver.sound_speed", message).value(c_0));
        }
        Ok(Self {
            constants: Constants::derive(&params, &kernel, state.rest, c_0),
            isa: settings.isa,
            neighbors: Neighbors::new(settings),
            fields: Fields::default(),
            extrapolated: Vec::new(),
            stopwatch: Stopwatch::new(clock),
            behind: None,
            kernel,
            params,
        })
    }

    /// The pressure of a density: that of the equation of state, without the tension that is not wanted.
    pub(crate) fn pressure(&self) -> impl Fn(Real) -> Real + Copy + use<D> {
        let (eos, rho_0) = (self.constants.eos, self.constants.rest.rho_0);
        let clamp = self.params.clamps();
        move |rho| {
            let p = physics::pressure(eos, rho, rho_0);
            if clamp { p.max(0.0) } else { physics::tensile_cutoff(p, rho, rho_0) }
        }
    }

    /// Takes the pressures of these densities, as a step would.
    pub(crate) fn take_pressures(&mut self, rho: &[Real]) {
        let pressure = self.pressure();
        self.fields.p.clear();
        self.fields.p.extend(rho.iter().map(|&rho| pressure(rho)));
    }

    /// The parameters with one of them changed.
    ///
    /// # Errors
    /// When there is no such parameter, it cannot change in a run, or the value is refused.
    pub(crate) fn changed(&self, name: &str, value: &toml::Value) -> Result<Params, Error> {
        let fixed = ["kernel", "support_ratio", "density", "integrator", "eos", "wall_pressure"];
        if fixed.contains(&name) {
            let error = Error::invalid(format!("solver.{name}"), "cannot change in a run");
            return Err(error.hint("give it in the scene"));
        }
        let mut settings = SolverSettings::default();
        settings.set(name, value.clone());
        let params = settings.parameters_over(&self.params)?;
        params.check()?;
        Ok(params)
    }

    /// Takes new parameters. The sound speed that was derived from the first state stays.
    pub(crate) fn change(&mut self, params: Params) {
        let c_0 = params.sound_speed.unwrap_or(self.constants.c_0);
        self.constants = Constants::derive(&params, &self.kernel, self.constants.rest, c_0);
        self.params = params;
    }
}

impl Constants {
    /// Depends on nothing but its arguments.
    fn derive<const D: usize>(
        params: &Params,
        kernel: &dyn ScalarKernel<D>,
        rest: Material,
        c_0: Real,
    ) -> Self {
        let (h_s, rho_0) = (0.5 * kernel.support_radius(), rest.rho_0);
        let volume = f64::from(rest.m / rho_0);
        let dx = f64::from(rest.spacing);
        let inv_g_nu = match params.viscosity_calibration {
            true => (1.0 / lattice::viscosity_factor(kernel, dx, volume)) as Real,
            false => 1.0,
        };
        Self {
            eos: eos(params, c_0, rho_0),
            viscosity: viscosity::<D>(params, h_s, c_0, inv_g_nu),
            wall: match params.wall_pressure {
                WallPressure::Symmetric => Wall::Mirrored,
                WallPressure::Dummy => Wall::Dummy { tensile: !params.clamp_wall_pressure },
            },
            contact: physics::Contact::new(params.wall_contact, c_0, rest.spacing),
            rest,
            c_0,
            nu: kinematic_viscosity::<D>(params, h_s, c_0, rho_0),
            softening: SOFTENING as Real * h_s * h_s,
            diffusion: 2.0 * params.delta_sph * h_s * c_0,
            background: rho_0 * c_0 * c_0,
            needs: Needs::of(params),
        }
    }
}

/// `c₀`: given, or ten times the speed of a fall through the depth of the fluid.
fn sound_speed<const D: usize>(params: &Params, state: &State<D>) -> Result<Real, Error> {
    if let Some(c) = params.sound_speed {
        return Ok(c);
    }
    if state.fluid.is_empty() {
        let error = Error::missing("solver.sound_speed");
        return Err(error.hint("without fluid at the start it cannot be derived"));
    }
    let g = state.forces.gravity;
    let size = g.iter().map(|g| g * g).sum::<Real>().sqrt();
    if size == 0.0 {
        let error = Error::missing("solver.sound_speed");
        return Err(
            error.hint("without gravity it cannot be derived: give about ten times the largest speed")
        );
    }
    Ok(10.0 * (2.0 * size * state.height()).sqrt())
}

fn eos(params: &Params, c_0: Real, rho_0: Real) -> Eos {
    match params.eos {
        params::Eos::Linear => Eos::Linear { c2: c_0 * c_0 },
        params::Eos::Tait => Eos::Tait { b: rho_0 * c_0 * c_0 / 7.0 },
    }
}

fn viscosity<const D: usize>(params: &Params, h_s: Real, c_0: Real, inv_g_nu: Real) -> Viscosity {
    let mu = params.dynamic_viscosity;
    match params.viscosity_model {
        ViscosityModel::Monaghan => {
            Viscosity::Monaghan { alpha_h_c: params.artificial_viscosity_alpha * h_s * c_0 }
        }
        ViscosityModel::Morris => Viscosity::Morris { mu: mu * inv_g_nu },
        ViscosityModel::Solenoidal => Viscosity::Solenoidal { mu: 2.0 * (D as Real + 2.0) * mu * inv_g_nu },
    }
}

/// The kinematic viscosity that limits the step; Monaghan's counts as `α h_s c₀ / (2 (D + 2))`.
fn kinematic_viscosity<const D: usize>(params: &Params, h_s: Real, c_0: Real, rho_0: Real) -> Real {
    match params.viscosity_model {
        ViscosityModel::Monaghan => params.artificial_viscosity_alpha * h_s * c_0 / (2.0 * (D as Real + 2.0)),
        _ => params.dynamic_viscosity / rho_0,
    }
}
