//! Position Based Fluids: density constraints on positions, velocities from displacements.
//!
//! Macklin & Müller 2013 (constraint, tensile correction, vorticity, XSPH), Macklin, Müller, Chentanez & Kim 2014
//! (inequality, averaging, substeps), Akinci et al. 2012 (walls) and Akinci, Akinci & Teschner 2013 (surface).
//!
//! The step stands in [`step`], the formulas in [`physics`], the numbers in [`params`].
//!
//! # Symbols
//! `i` the particle that is moved, `j` its fluid neighbor, `b` its wall neighbor; `x_ij = x_i − x_j`; `x*` a predicted
//! or corrected position; `h` the support radius; `F` with `∇W_ij = F x_ij`; `λ̂ = λ/m`.
//!
//! # Deviations
//! - The velocity `(x^{n+1} − x^n)/Δt` is computed as `v* + (x^{n+1} − x*)/Δt`, which is equal and avoids the
//!   cancellation in the difference of two positions.
//! - ε (`cfm_mode`) and the strength of s_corr are relative to the rest lattice, so that they have the same effect at
//!   every spacing; s_corr also at every step and number of iterations.
//! - XSPH has the symmetric weight of Monaghan (1992), which conserves momentum.
//! - Walls are samples with pseudo-masses, in density and correction; containers clamp positions. A particle whose
//!   predicted position is inside of a container's wall keeps the velocity that restitution and friction leave.
//! - Vorticity has the volumes of particles, so that it is in 1/s, and its confinement is off by default.
//! - The second-order velocity has a prediction of its own, for variable steps: with that of the first order each
//!   acceleration would act twice. Changes of velocities alone, as by XSPH, are no part of its history.
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

use cpu::{Cpu, Relaxation};
use cuda_kernels::common::run::room;
use memory::{Fields, Needs};
use params::Smoothing;
use physics::Scorr;
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    kernel::Kernel as _,
    method::{
        failure::StepError,
        phases::{Behind, watched},
        report::{Derived, FieldInfo, StepReport},
        solver::{Link, Memory, Solver},
        state::State,
        stopwatch::Stopwatch,
    },
    neighbors::Neighbors,
    numerics::lane::Isa,
};

/// Constants of the run, from the parameters, the kernel and the liquid.
#[derive(Clone, Copy, Debug)]
struct Constants {
    rest: Material,
    /// Σ|∇C|² of the rest lattice, `[1/m²]`.
    reference: f64,
    /// ε, `[1/m²]`.
    epsilon: Real,
    /// Distance of s_corr; its strength depends on the step.
    scorr: Scorr,
    relaxation: Relaxation,
    /// Fraction of the full correction that an inner particle makes, `[-]`.
    effectiveness: f64,
    needs: Needs,
}

/// Depth of the fluid in its initial state, for its largest pressure.
#[derive(Clone, Copy, Debug)]
struct Depth {
    /// Extent of the fluid along gravity, `[m]`.
    height: f64,
    /// Largest squared distance from the center of a central force, `[m²]`.
    radius2: f64,
}

/// Position Based Fluids on the CPU.
pub struct Pbf<const D: usize> {
    params: Params,
    kernel: Smoothing<D>,
    constants: Constants,
    depth: Depth,
    isa: Isa,
    neighbors: Neighbors<D>,
    /// Public for tests that inject faults.
    #[doc(hidden)]
    pub fields: Fields<D>,
    stopwatch: Stopwatch,
    behind: Option<Behind<D>>,
    /// Warning about the fixed step of the scene.
    fixed_step_warning: Option<String>,
}

impl<const D: usize> Pbf<D> {
    /// Strength of s_corr in a substep of `dt` `[s]`, `[m²]`.
    fn scorr(&self, dt: f64) -> Real {
        let (k, n) = (f64::from(self.params.scorr_k), self.params.solver_iterations);
        physics::scaled_scorr(k, self.constants.reference, dt, n) as Real
    }

    /// Limits of the step by the speed of particles, the volume at rest and the surface forces, `[s]`.
    fn limits(&self, state: &State<D>, v_max: f64) -> [f64; 3] {
        let p = &self.params;
        let substeps = f64::from(p.substeps);
        let spacing = f64::from(state.rest.spacing);
        let over_step = |number: f64, most: f64| substeps * (most / number).sqrt();
        [
            substeps * f64::from(p.cfl) * spacing / v_max,
            over_step(self.stability_number(state, substeps), physics::S_VOLUME),
            over_step(self.cohesion_number(state, substeps), physics::S_COHESION),
        ]
    }

    /// S of a step of `dt`, `[s]`.
    fn stability_number(&self, state: &State<D>, dt: f64) -> f64 {
        let (depth, spacing) = (self.depth.pressure(state), f64::from(state.rest.spacing));
        let part = dt / f64::from(self.params.substeps);
        let s = physics::stability_number(depth, part, spacing, self.params.solver_iterations);
        // Half of a correction counts as half an iteration.
        s / self.constants.effectiveness.min(1.0)
    }

    /// S_c of a step of `dt`, `[s]`.
    fn cohesion_number(&self, state: &State<D>, dt: f64) -> f64 {
        let (h, rest) = (f64::from(self.kernel.support_radius()), state.rest);
        let part = dt / f64::from(self.params.substeps);
        let cohesion = f64::from(self.params.cohesion);
        physics::cohesion_number(cohesion, f64::from(rest.m), h, D, part, f64::from(rest.spacing))
    }
}

impl<const D: usize> Solver<D> for Pbf<D> {
    fn name(&self) -> &'static str {
        "pbf"
    }

    fn support_radius(&self) -> Real {
        self.kernel.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        if self.fields.max_speed < 0.0 {
            self.fields.max_speed = f64::from(cpu::max_speed(state));
        }
        let speed = self.fields.max_speed.max(state.bodies.top_speed());
        let [speed, volume, surface] = self.limits(state, speed);
        // Fast particles do not make a step unstable, but deep fluid does: `dt_min` limits the first only.
        let dt = speed.max(f64::from(self.params.dt_min));
        Ok(dt.min(volume).min(surface).min(f64::from(self.params.dt_max)))
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let iterations = self.params.iterations();
        let mut behind = self.behind.take();
        let mut phases = watched(Cpu::new(self, state), |cpu, phase| {
            behind.iter_mut().for_each(|behind| behind(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, iterations, dt);
        self.behind = behind;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
        self.neighbors.remembered().for_each(|(name, x)| visit(name, Memory::Array(x)));
    }

    fn fluid_changed(&mut self) {
        self.neighbors.forget();
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

    fn field(&self, name: &str) -> Option<&[Real]> {
        match name {
            "lambda" => Some(&self.fields.lambda),
            _ => None,
        }
    }

    fn fields(&self) -> &'static [FieldInfo] {
        &[FieldInfo { name: "lambda", unit: "m²" }]
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
