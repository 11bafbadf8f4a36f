//! Weakly compressible SPH: the liquid is a stiff gas, its pressure follows its density.
//!
//! Becker & Teschner 2007 (equation of state), Monaghan 1992 and 2005 (pressure force, continuity,
//! artificial viscosity), Morris, Fox & Zhu 1997 (laminar viscosity), Molteni & Colagrossi 2009 and
//! Antuono et al. 2010 (δ-SPH), Akinci et al. 2012 and Adami, Hu & Adams 2012 (walls).
//!
//! The step stands in [`step`], the formulas in [`physics`], the numbers in [`params`].
//!
//! # Symbols
//! `i` the particle that is written, `j` its fluid neighbor, `b` its wall neighbor; `x_ij = x_i − x_j`;
//! `h` the support radius and `h_s = h/2` the journals' smoothing length; `F` with `∇W_ij = F x_ij`.
//!
//! # Deviations
//! - Symplectic Euler advances the density first, then the velocity, then the position. This is the
//!   customary cycle (velocity, position, density) begun at another point.
//! - Shifting is computed with the accelerations and used by the drift that follows, as a correction of the drift
//!   velocity, which moves a particle by at most 0.05 spacings.
//! - Evolved density has a floor, at which the fluid cavitates and bears no tension ([`physics::CAVITATION`]): without
//!   it spray clumps under a tension that no liquid has, and blows up.
//! - Particles between the samples of a wall feel a contact force (`wall_contact`): an evolved density does not see
//!   how close they are, and a wall of irregular samples let them sink in.
//! - Laminar viscosity is divided by the factor that the rest lattice gives it (`viscosity_calibration`).
#![warn(missing_docs)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

mod cpu;
mod derived;
pub mod gpu;
mod memory;
pub mod params;
pub mod physics;
mod setup;
pub mod step;

pub use params::Params;

#[doc(hidden)]
pub use cpu::Wall;
use cpu::{Cpu, Extrapolated};
use memory::{Fields, Needs};
use params::Smoothing;
use physics::Eos;
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    kernel::Kernel as _,
    method::{
        failure::StepError,
        phases::watched,
        report::{Derived, FieldInfo, StepReport},
        solids::Flow,
        solver::{Link, Memory},
        state::State,
        stopwatch::Clock,
    },
    numerics::lane::Isa,
    run::method::{self, Limits, Method, Planned, Shell},
    scene::Scene,
    watch::plan::MemoryPlan,
};

/// What follows from the parameters, the kernel and the liquid, once for all steps.
#[derive(Clone, Copy, Debug)]
struct Constants {
    eos: Eos,
    viscosity: physics::Viscosity,
    wall: Wall,
    contact: physics::Contact,
    rest: Material,
    /// Sound speed c₀, `[m/s]`.
    c_0: Real,
    /// Kinematic viscosity of the step limit, `[m²/s]`.
    nu: Real,
    /// `0.01 h_s²`, `[m²]`.
    softening: Real,
    /// `2 δ h_s c₀`, `[m²/s]`.
    diffusion: Real,
    needs: Needs,
}

/// Weakly compressible SPH.
pub struct Wcsph<const D: usize> {
    params: Params,
    kernel: Smoothing<D>,
    constants: Constants,
    shell: Shell<D>,
    /// Public for fault injection in tests.
    #[doc(hidden)]
    pub fields: Fields<D>,
    extrapolated: Vec<Extrapolated>,
    /// Whether the fluid has a free surface: found at the start of a scene.
    flow: Flow,
}

cuda_kernels::entry!(Wcsph, "weakly compressible SPH");

/// Factor of the viscous limit of the step, λ_ν (Morris, Fox & Zhu 1997).
const CFL_VISCOUS: f64 = 0.25;

impl<const D: usize> Wcsph<D> {
    /// The limits of the step at a speed `[m/s]` and an acceleration `[m/s²]`.
    fn limits(&self, v_max: f64, a_max: f64) -> Limits<5> {
        let (p, spacing) = (&self.params, f64::from(self.constants.rest.spacing));
        let sound = f64::from(self.constants.c_0) + v_max;
        [
            ("particle speed", f64::from(p.cfl) * spacing / v_max),
            ("sound", f64::from(p.cfl_sound) * spacing / sound),
            ("acceleration", f64::from(p.cfl_force) * (spacing / a_max).sqrt()),
            ("viscosity", CFL_VISCOUS * spacing * spacing / f64::from(self.constants.nu)),
            ("dt_max", f64::from(p.dt_max)),
        ]
    }
}

impl<const D: usize> Method<D> for Wcsph<D> {
    type Params = Params;
    const FIELDS: &'static [FieldInfo] = &[FieldInfo { name: "pressure", unit: "Pa" }];

    fn of_scene(scene: &Scene, isa: Isa, clock: Box<dyn Clock>) -> Result<(State<D>, Self), Error> {
        setup::of_scene(scene, isa, clock)
    }

    fn shell(&self) -> &Shell<D> {
        &self.shell
    }

    fn shell_mut(&mut self) -> &mut Shell<D> {
        &mut self.shell
    }

    fn params(&self) -> &Params {
        &self.params
    }

    /// The sound speed that was derived from the first state stays.
    fn change(&mut self, params: Params) {
        let c_0 = params.sound_speed.unwrap_or(self.constants.c_0);
        self.constants = Constants::derive(&params, self.flow, &self.kernel, self.constants.rest, c_0);
        self.params = params;
    }

    fn support_radius(&self) -> Real {
        self.kernel.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        if self.shell.max_speed < 0.0 {
            self.fields.max_acceleration = state.max_outer_acceleration();
        }
        let speed = self.shell.top_speed(state);
        method::least(state, self.limits(speed, self.fields.max_acceleration))
    }

    fn advance(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let integrator = self.params.integrator;
        let mut hook = self.shell.phase_hook.take();
        let mut phases = watched(Cpu { method: self, state }, |cpu, phase| {
            hook.iter_mut().for_each(|hook| hook(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, integrator, dt);
        self.shell.phase_hook = hook;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
    }

    /// New particles have no acceleration yet.
    fn fluid_changed(&mut self) {
        self.fields.started = 0.0;
    }

    fn restored(&mut self, state: &State<D>) {
        self.take_pressures(&state.fluid.rho);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.fields.chain(&state.fluid.rho)
    }

    fn sound_speed(&self) -> Option<f64> {
        Some(f64::from(self.constants.c_0))
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        (name == "pressure").then_some(&self.fields.p)
    }

    fn internal_energy(&self, rho: f64) -> f64 {
        physics::internal_energy(self.constants.eos, rho, f64::from(self.constants.rest.rho_0))
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.numbers(state)
    }

    fn has_wall_rows(params: &Params, walls: f64, reactions: bool) -> bool {
        params.has_dummy_walls() && walls > 0.0 || reactions
    }

    fn plan(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
        derived::plan::<D>(params, run, plan);
    }
}
