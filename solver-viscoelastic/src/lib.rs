//! Viscoelastic fluids by double density relaxation: pair displacements restore the rest density, springs between
//! particles make the fluid elastic, and plastic flow of their rest lengths makes it plastic.
//!
//! Clavet, Beaudoin & Poulin 2005 (the method), with multicolor Gauss-Seidel and Jacobi besides the published order.
//!
//! The step is in [`step`], the formulas are in [`physics`] and [`contact`], the parameters in [`params`], the
//! springs in [`springs`].
//!
//! # Symbols
//! `i` a particle, `j` its fluid neighbor, `b` its wall neighbor; `x_ij = x_i − x_j`, `r = |x_ij|`; `h` the
//! interaction radius; `g = (1 − r/h)₊` the closeness; `L` the rest length of a spring. Particles have unit mass, and
//! density is a sum of `g²`, dimensionless. The state holds `ρ₀ Σg²/(Σg² of the lattice)`.
//!
//! # Deviations
//! - Multicolor Gauss-Seidel over cells, and Jacobi, besides the published sequence (`relax_mode`); the order is
//!   reversed in every other step, since a fixed one stirs the fluid.
//! - Double densities are divided by those of the lattice, and ρ₀ and k follow from the spacing and the depth of the
//!   fluid where they are left out (`normalized`, `rest_density`, `stiffness`).
//! - Impulses are limited to the approach speed of the pair. Displacements are limited, too.
//! - All springs flow, also those that have become longer than `h`; new ones are free of stress (`L = r`, not `L =
//!   h`). In multicolor Gauss-Seidel those of a particle use its old position, not that which the previous spring has
//!   left.
//! - Wall samples have the pressure of the particle that they act on, as if the fluid continued behind them, but do
//!   not attract a layer at rest. Collision impulses stop particles at the nominal surface, and no-slip holds the
//!   whole first layer for either sign of its normal velocity ([`contact`]).
//! - A body gets the opposite of the impulses of its particles, in one inelastic collision with all of them
//!   ([`contact::ContactSystem`]), and not impulses that are computed before and after it has changed its velocity.
//! - The velocity `(x − x_prev)/Δt` is computed as `v* + (x − x*)/Δt`, which is equal: the difference of two
//!   positions would lose the digits of slow motion.
#![warn(missing_docs)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

pub mod contact;
mod cpu;
mod derived;
pub mod gpu;
mod memory;
pub mod params;
pub mod physics;
mod setup;
pub mod springs;
pub mod step;

#[doc(hidden)]
pub use cpu::colors::of_axis;
pub use derived::memory_plan;
pub use params::{Params, Preset};
pub use setup::{parameters, simulation};

use cpu::{Cpu, colors::Colors};
use cuda_kernels::common::run::room;
use memory::{Fields, Needs};
use params::{RelaxMode, SpringCreation};
use physics::{Flow, Spring, Stiffness, Viscosity};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    method::{
        failure::StepError,
        phases::{Behind, watched},
        report::{Derived, StepReport},
        solver::{Link, Memory, Solver},
        state::State,
        stopwatch::Stopwatch,
    },
    neighbors::Neighbors,
    numerics::lane::Isa,
};

/// What follows from the parameters, the lattice and the depth, once for all steps.
#[derive(Clone, Copy, Debug)]
struct Constants {
    /// Interaction radius h, `[m]`.
    h: Real,
    rest: Material,
    stiffness: Stiffness,
    /// Σg² of the lattice, `[-]`.
    lattice_rho: Real,
    /// Neighbors of an inner particle of the lattice.
    n_neighbors: usize,
    /// Speed of pressure waves, `[m/s]`.
    sound_speed: f64,
    needs: Needs,
}

/// True in every other step, which has the reversed order of particles, since a fixed order stirs the fluid; `step` is
/// the number of previous steps.
fn is_reversed(step: u64) -> bool {
    step % 2 == 1
}

/// The depth of the fluid in its first state.
#[derive(Clone, Copy, Debug)]
struct Depth {
    /// Extent of the fluid along gravity, `[m]`.
    height: f64,
    /// Gravity times depth, `[m²/s²]`.
    pressure: f64,
}

/// The viscoelastic fluid on the CPU.
pub struct Viscoelastic<const D: usize> {
    params: Params,
    constants: Constants,
    depth: Depth,
    isa: Isa,
    neighbors: Neighbors<D>,
    colors: Colors,
    /// Public for fault injection.
    #[doc(hidden)]
    pub fields: Fields<D>,
    stopwatch: Stopwatch,
    behind: Option<Behind<D>>,
}

impl<const D: usize> Viscoelastic<D> {
    /// Limits of the step by particle speed, pressure waves, springs and stickiness, `[s]`.
    fn limits(&self, state: &State<D>, v_max: f64) -> [f64; 4] {
        let spacing = f64::from(state.rest.spacing);
        let jacobi = self.params.relax_mode == RelaxMode::Jacobi;
        let waves = physics::stable_waves(D, jacobi) * spacing / self.constants.sound_speed;
        let springs = (physics::stable_springs(self.params.relax_mode)
            / f64::from(self.params.spring_stiffness))
        .sqrt();
        let stickiness = (physics::STABLE_STICKINESS / f64::from(self.params.stick_stiffness)).sqrt();
        [f64::from(self.params.cfl) * spacing / v_max, waves, springs, stickiness]
    }

    /// Viscosity over the step `dt`, `[s]`. In Gauss-Seidel a pair may lose all of its approach velocity, in Jacobi its
    /// share of what all pairs of a particle may lose.
    fn viscosity(&self, dt: f64) -> Viscosity {
        Viscosity {
            linear: dt as Real * self.params.viscosity_linear,
            quadratic: dt as Real * self.params.viscosity_quadratic,
            max_fraction: match self.params.relax_mode {
                RelaxMode::Jacobi => 2.0 / self.constants.n_neighbors.max(2) as Real,
                _ => 1.0,
            },
        }
    }

    /// Springs over the step `dt`, `[s]`.
    fn spring(&self, dt: f64) -> Spring {
        Spring { stiffness: (dt * dt) as Real * self.params.spring_stiffness, h: self.constants.h }
    }

    /// Plastic flow over the step `dt`, `[s]`.
    fn flow(&self, dt: f64) -> Flow {
        Flow { rate: (dt as Real * self.params.plasticity).min(1.0), yield_ratio: self.params.yield_ratio }
    }

    /// True when springs are created in this step.
    fn creates(&self) -> bool {
        self.params.spring_creation == SpringCreation::EveryStep || self.fields.springs.created == 0.0
    }
}

impl<const D: usize> Solver<D> for Viscoelastic<D> {
    fn name(&self) -> &'static str {
        "viscoelastic"
    }

    fn support_radius(&self) -> Real {
        self.constants.h
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        if self.fields.max_speed < 0.0 {
            self.fields.max_speed = f64::from(cpu::max_speed(state));
        }
        let speed = self.fields.max_speed.max(state.bodies.top_speed());
        let [speed, waves, springs, stickiness] = self.limits(state, speed);
        let stable = f64::from(self.params.stability) * waves.min(springs).min(stickiness);
        Ok(speed.max(f64::from(self.params.dt_min)).min(stable).min(f64::from(self.params.dt_max)))
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let mut behind = self.behind.take();
        let mut phases = watched(Cpu::new(self, state, dt), |cpu, phase| {
            behind.iter_mut().for_each(|behind| behind(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, dt);
        self.behind = behind;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
        self.neighbors.remembered().for_each(|(name, x)| visit(name, Memory::Array(x)));
    }

    fn fluid_changed(&mut self) {
        self.neighbors.forget();
        self.fields.springs.store_by_id();
        // New particles may be the fastest.
        self.fields.max_speed = -1.0;
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

    fn restored(&mut self, _state: &State<D>) {
        self.neighbors.restored();
        self.fields.walls_packed = false;
        self.fields.room = room::Room::default();
    }

    fn moves_bodies(&self) -> bool {
        true
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.fields.chain(&state.fluid.rho)
    }

    fn field(&self, _name: &str) -> Option<&[Real]> {
        None
    }

    fn neighbors(&self) -> &Neighbors<D> {
        &self.neighbors
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
