//! Viscoelastic fluids by double density relaxation: particles push and pull each other until their density is right,
//! springs between them make the fluid elastic, and rest lengths that flow make it plastic.
//!
//! Clavet, Beaudoin & Poulin 2005 (the method), with relaxation in parallel beside the published order.
//!
//! The step stands in [`step`], the formulas in [`physics`] and [`contact`], the numbers in [`params`], the pairs in [`springs`].
//!
//! # Symbols
//! `i` the particle that is moved, `j` its fluid neighbor, `b` its wall neighbor; `x_ij = x_i − x_j`, `r = |x_ij|`; `h`
//! the interaction radius; `g = (1 − r/h)₊` the closeness; `L` the rest length of a spring. Particles have unit mass, and
//! density is a sum of `g²`: a number without unit. In the state it stands as `ρ₀ Σg²/(Σg² of the lattice)`.
//!
//! # Deviations
//! - Pairs are relaxed by cells of one color at a time, or all at once, beside the published order (`relax_mode`); the
//!   order turns around in every other step, since a fixed one stirs the fluid.
//! - Double densities are divided by those of the lattice, and ρ₀ and k follow from the spacing and the depth of the
//!   fluid where they are left out, so that a scene need not know them (`normalized`, `rest_density`, `stiffness`).
//! - A pair that approaches is stopped at most: impulses are limited to its speed. Displacements are limited, too.
//! - All springs flow, also those that have become longer than `h`; new ones are free of stress (`L = r`, not `L = h`). By colors
//!   those of a particle act from where it is, not each from where the one before left it.
//! - Walls are samples that answer with the pressure of the particle that touches them, as fluid that goes on behind
//!   them would, but do not pull what is as near as a layer at rest. Collision impulses stop what comes through to the nominal surface, and
//!   hold, without slip, the whole first layer, whatever the sign of its normal velocity ([`contact`]).
//! - A body gets what the particles got from it, in one inelastic collision with all of them ([`contact::Meeting`]), and not
//!   impulses that are computed before and after it has changed its velocity.
//! - The velocity `(x − x_prev)/Δt` is computed as `v* + (x − x*)/Δt`, which is the same number: the difference of two
//!   places would lose the digits of slow motion.
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

/// True in the steps that go from the last particle to the first, since a fixed order stirs the fluid; `step` is the
/// number of those before.
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
    /// For tests that do harm.
    #[doc(hidden)]
    pub fields: Fields<D>,
    stopwatch: Stopwatch,
    behind: Option<Behind<D>>,
}

impl<const D: usize> Viscoelastic<D> {
    /// Steps that the speed of particles allows, and those at which relaxation, springs and stickiness explode, `[s]`.
    fn limits(&self, state: &State<D>, v_max: f64) -> [f64; 4] {
        let spacing = f64::from(state.rest.spacing);
        let at_once = self.params.relax_mode == RelaxMode::Jacobi;
        let waves = physics::stable_waves(D, at_once) * spacing / self.constants.sound_speed;
        let springs = (physics::stable_springs(self.params.relax_mode)
            / f64::from(self.params.spring_stiffness))
        .sqrt();
        let stickiness = (physics::STABLE_STICKINESS / f64::from(self.params.stick_stiffness)).sqrt();
        [f64::from(self.params.cfl) * spacing / v_max, waves, springs, stickiness]
    }

    /// Viscosity over the step `dt`, `[s]`. It may take all of its approach from a pair where the next pair sees that, else
    /// what all pairs of a particle together may take.
    fn viscosity(&self, dt: f64) -> Viscosity {
        Viscosity {
            linear: dt as Real * self.params.viscosity_linear,
            quadratic: dt as Real * self.params.viscosity_quadratic,
            most: match self.params.relax_mode {
                RelaxMode::Jacobi => 2.0 / self.constants.n_neighbors.max(2) as Real,
                _ => 1.0,
            },
        }
    }

    /// What springs do in the step `dt`, `[s]`.
    fn spring(&self, dt: f64) -> Spring {
        Spring { stiffness: (dt * dt) as Real * self.params.spring_stiffness, h: self.constants.h }
    }

    /// How springs flow in the step `dt`, `[s]`.
    fn flow(&self, dt: f64) -> Flow {
        Flow { rate: (dt as Real * self.params.plasticity).min(1.0), yield_ratio: self.params.yield_ratio }
    }

    /// True when pairs without a spring get one in this step.
    fn creates(&self) -> bool {
        self.params.spring_creation == SpringCreation::EveryStep || self.fields.springs.made == 0.0
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
        self.fields.springs.loosen();
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
