//! From a scene to a run.

use crate::{
    Constants, Params, Wcsph,
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
    method::{solids::Flow, state::State, stopwatch::Clock},
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
/// When the scene or the solver's parameters are refused.
pub fn of_scene<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Wcsph<D>), Error> {
    let params = Params::of_scene(scene)?;
    let h = params.support_ratio * scene.spacing as Real;
    let kernel = Smoothing::new(params.kernel, h).map_err(|error| scene.locate(error))?;
    let Setup { mut state, pressure } = setup::build(scene, &kernel)?;
    let flow = scene.flow_of(&state);
    let c_0 = sound_speed(&params, &state).map_err(|error| scene.locate(error))?;
    if !(state.rest.rho_0 * c_0 * c_0).is_finite() {
        let message = "makes a stiffness that is not finite in this precision";
        return Err(scene.locate(Error::invalid("solver.sound_speed", message).value(c_0)));
    }
    let mut settings = method::search::<D, Wcsph<D>>(scene, &state, &params, h, isa);
    settings.wall_rows |= params.has_dummy_walls() && !state.walls.is_empty();
    let mut solver = Wcsph {
        constants: Constants::derive(&params, flow, &kernel, state.rest, c_0),
        shell: Shell::new(settings, clock),
        fields: Fields::default(),
        extrapolated: Vec::new(),
        kernel,
        flow,
        params,
    };
    if solver.params.density == Density::Continuity {
        for (rho, p) in state.fluid.rho.iter_mut().zip(pressure) {
            *rho = physics::density_of_pressure(solver.constants.eos, p as Real, state.rest.rho_0);
        }
    }
    if solver.params.has_dummy_walls() {
        // They go on with the fluid's lattice (Adami et al. 2012), whatever their pseudo-mass would be.
        state.walls.volume.fill((scene.spacing.powi(D as i32)) as Real);
    }
    solver.take_pressures(&state.fluid.rho);
    Ok((state, solver))
}

impl<const D: usize> Wcsph<D> {
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
}

impl Constants {
    /// Depends on nothing but its arguments.
    pub(crate) fn derive<const D: usize>(
        params: &Params,
        flow: Flow,
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
        let model = params.viscosity_in(flow);
        Self {
            eos: eos(params, c_0, rho_0),
            viscosity: viscosity::<D>(params, model, h_s, c_0, inv_g_nu),
            wall: match params.wall_pressure {
                WallPressure::Symmetric => Wall::Mirrored,
                WallPressure::Dummy => Wall::Dummy { tensile: !params.clamp_wall_pressure },
            },
            contact: physics::Contact::new(params.wall_contact, c_0, rest.spacing),
            rest,
            c_0,
            nu: kinematic_viscosity::<D>(params, model, h_s, c_0, rho_0),
            softening: SOFTENING as Real * h_s * h_s,
            diffusion: 2.0 * params.delta_sph * h_s * c_0,
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

fn viscosity<const D: usize>(
    params: &Params,
    model: ViscosityModel,
    h_s: Real,
    c_0: Real,
    inv_g_nu: Real,
) -> Viscosity {
    let mu = params.dynamic_viscosity.unwrap_or(0.0);
    match model {
        ViscosityModel::Monaghan => Viscosity::Monaghan { alpha_h_c: params.alpha() * h_s * c_0 },
        ViscosityModel::Morris => Viscosity::Morris { mu: mu * inv_g_nu },
        ViscosityModel::Solenoidal => Viscosity::Solenoidal { mu: 2.0 * (D as Real + 2.0) * mu * inv_g_nu },
    }
}

/// The kinematic viscosity that limits the step; Monaghan's counts as `α h_s c₀ / (2 (D + 2))`.
fn kinematic_viscosity<const D: usize>(
    params: &Params,
    model: ViscosityModel,
    h_s: Real,
    c_0: Real,
    rho_0: Real,
) -> Real {
    match model {
        ViscosityModel::Monaghan => params.alpha() * h_s * c_0 / (2.0 * (D as Real + 2.0)),
        _ => params.dynamic_viscosity.unwrap_or(0.0) / rho_0,
    }
}
