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
//! - Shifting and transport velocity are computed with the accelerations and used by the drift that
//!   follows, as a correction of the drift velocity, which moves a particle by at most 0.05 spacings.
//! - The transport velocity is used with the pressure force `p_i/ρ_i² + p_j/ρ_j²`, as everything else here,
//!   not with the density-weighted mean of Adami et al. 2013.
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

pub use derived::memory_plan;
pub use params::{Params, Preset};
pub use setup::{parameters, simulation};

#[doc(hidden)]
pub use cpu::Wall;
use cpu::{Cpu, Extrapolated};
use cuda_kernels::common::run::room;
use memory::{Fields, Needs};
use params::Smoothing;
use physics::Eos;
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    kernel::Kernel as _,
    method::{
        failure::{Cause, StepError},
        phases::{Behind, watched},
        report::{Derived, FieldInfo, StepReport},
        solver::{Link, Memory, Solver},
        state::State,
        stopwatch::Stopwatch,
    },
    neighbors::Neighbors,
    numerics::lane::Isa,
};
use std::slice::from_ref;

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
    /// `ρ₀ c₀²`, `[Pa]`.
    background: Real,
    needs: Needs,
}

/// Weakly compressible SPH on the CPU.
pub struct Wcsph<const D: usize> {
    params: Params,
    kernel: Smoothing<D>,
    constants: Constants,
    isa: Isa,
    neighbors: Neighbors<D>,
    /// Public for fault injection in tests.
    #[doc(hidden)]
    pub fields: Fields<D>,
    extrapolated: Vec<Extrapolated>,
    stopwatch: Stopwatch,
    behind: Option<Behind<D>>,
}

/// Factor of the viscous limit of the step, λ_ν (Morris, Fox & Zhu 1997).
const CFL_VISCOUS: f64 = 0.25;

/// Smallest step, `[s]`; the run stops below it.
const MIN_DT: f64 = 1e-9;

/// Names of [`Wcsph::limits`].
const LIMITS: [&str; 4] = ["particle speed", "sound", "acceleration", "viscosity"];

impl<const D: usize> Wcsph<D> {
    /// The four limits of the step: speed, sound, acceleration, viscosity (in this order), `[s]`.
    pub fn limits(&self, spacing: f64, v_max: f64, a_max: f64) -> [f64; 4] {
        let p = &self.params;
        [
            f64::from(p.cfl) * spacing / v_max,
            f64::from(p.cfl_sound) * spacing / (f64::from(self.constants.c_0) + v_max),
            f64::from(p.cfl_force) * (spacing / a_max).sqrt(),
            CFL_VISCOUS * spacing * spacing / f64::from(self.constants.nu),
        ]
    }
}

impl<const D: usize> Solver<D> for Wcsph<D> {
    fn name(&self) -> &'static str {
        "wcsph"
    }

    fn support_radius(&self) -> Real {
        self.kernel.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        if self.fields.max_speed < 0.0 {
            self.fields.max_speed = f64::from(cpu::max_speed(state));
            let gravity = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>();
            self.fields.max_acceleration = gravity.sqrt();
        }
        let spacing = f64::from(state.rest.spacing);
        let speed = self.fields.max_speed.max(state.bodies.top_speed());
        let limits = self.limits(spacing, speed, self.fields.max_acceleration);
        let dt = limits.into_iter().fold(f64::from(self.params.dt_max), f64::min);
        if dt < MIN_DT {
            let binding = LIMITS.into_iter().zip(limits).find(|(_, limit)| *limit == dt);
            let cause =
                Cause::StepTooSmall { dt, floor: MIN_DT, limit: binding.map_or("dt_max", |(name, _)| name) };
            return Err(StepError::new(state, "max_dt", None, cause));
        }
        Ok(dt)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let integrator = self.params.integrator;
        let mut behind = self.behind.take();
        let mut phases = watched(Cpu { method: self, state, dt }, |cpu, phase| {
            behind.iter_mut().for_each(|behind| behind(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, integrator, dt);
        self.behind = behind;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
        self.neighbors.remembered().for_each(|(name, x)| visit(name, Memory::Array(x)));
    }

    fn fluid_changed(&mut self) {
        self.neighbors.forget();
        // New particles have no acceleration yet, and may be the fastest.
        (self.fields.started, self.fields.max_speed) = (0.0, -1.0);
        self.fields.room = room::Room::default();
    }

    fn walls_changed(&mut self) {
        self.neighbors.forget();
        self.fields.walls_packed = false;
        self.fields.room = room::Room::default();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.changed(name, value).map(drop)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        let params = self.changed(name, value)?;
        self.change(params);
        self.fields.walls_packed = false;
        Ok(())
    }

    fn restored(&mut self, state: &State<D>) {
        self.neighbors.restored();
        self.take_pressures(&state.fluid.rho);
        self.fields.walls_packed = false;
        self.fields.room = room::Room::default();
    }

    fn moves_bodies(&self) -> bool {
        true
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        let mut chain = vec![Link::fluid("compute_density", "density", from_ref(&state.fluid.rho))];
        chain.extend(self.fields.chain());
        chain
    }

    fn sound_speed(&self) -> Option<f64> {
        Some(f64::from(self.constants.c_0))
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        match name {
            "pressure" => Some(&self.fields.p),
            _ => None,
        }
    }

    fn fields(&self) -> &'static [FieldInfo] {
        &[FieldInfo { name: "pressure", unit: "Pa" }]
    }

    fn neighbors(&self) -> &Neighbors<D> {
        &self.neighbors
    }

    fn internal_energy(&self, rho: f64) -> f64 {
        physics::internal_energy(self.constants.eos, rho, f64::from(self.constants.rest.rho_0))
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.numbers(state)
    }

    fn watch(&mut self, behind: Behind<D>) {
        self.behind = Some(behind);
    }

    fn stopwatch(&self) -> &Stopwatch {
        &self.stopwatch
    }

    fn reset_stopwatch(&mut self) {
        self.stopwatch.reset();
    }
}
