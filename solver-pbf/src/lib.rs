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

pub use params::Params;

use cpu::{Cpu, Relaxation};
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
        phases::watched,
        report::{Derived, FieldInfo, StepReport},
        solver::{Link, Memory},
        state::State,
        stopwatch::Clock,
    },
    numerics::{field::Sizing, lane::Isa},
    run::method::{self, Limits, Method, Planned, Shell},
    scene::Scene,
    watch::plan::MemoryPlan,
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

/// Position Based Fluids.
pub struct Pbf<const D: usize> {
    params: Params,
    kernel: Smoothing<D>,
    constants: Constants,
    depth: Depth,
    shell: Shell<D>,
    /// Public for tests that inject faults.
    #[doc(hidden)]
    pub fields: Fields<D>,
    /// Warning about the fixed step of the scene.
    fixed_step_warning: Option<String>,
    /// True where forces of the fluid are needed, on containers, too.
    needs_forces: bool,
}

cuda_kernels::entry!(Pbf, "Position Based Fluids");

impl<const D: usize> Pbf<D> {
    /// Strength of s_corr in a substep of `dt` `[s]`, `[m²]`.
    fn scorr(&self, dt: f64) -> Real {
        let (k, n) = (f64::from(self.params.scorr_k), self.params.solver_iterations);
        physics::scaled_scorr(k, self.constants.reference, dt, n) as Real
    }

    /// Limits of the step at a speed `[m/s]`. Fast particles do not make a step unstable, but deep fluid does: `dt_min`
    /// bounds the first only.
    fn limits(&self, state: &State<D>, v_max: f64) -> Limits<4> {
        let p = &self.params;
        let substeps = f64::from(p.substeps);
        let speed = substeps * f64::from(p.cfl) * f64::from(state.rest.spacing) / v_max;
        let over_step = |number: f64, most: f64| substeps * (most / number).sqrt();
        [
            ("particle speed", speed.max(f64::from(p.dt_min))),
            ("volume", over_step(self.stability_number(state, substeps), physics::S_VOLUME)),
            ("surface forces", over_step(self.cohesion_number(state, substeps), physics::S_COHESION)),
            ("dt_max", f64::from(p.dt_max)),
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

impl<const D: usize> Method<D> for Pbf<D> {
    type Params = Params;
    const FIELDS: &'static [FieldInfo] = &[FieldInfo { name: "lambda", unit: "m²" }];

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

    fn check_change(&self, params: &Params) -> Result<(), Error> {
        setup::check_forces(params, self.needs_forces)
    }

    /// The depth remains that of the first state.
    fn change(&mut self, params: Params) {
        let reactions = self.constants.needs.reactions;
        self.constants = Constants::derive(&params, &self.kernel, self.constants.rest, reactions);
        self.params = params;
    }

    fn support_radius(&self) -> Real {
        self.kernel.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        let speed = self.shell.top_speed(state);
        method::least(state, self.limits(state, speed))
    }

    fn advance(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let iterations = self.params.iterations();
        let mut hook = self.shell.phase_hook.take();
        let mut phases = watched(Cpu::new(self, state), |cpu, phase| {
            hook.iter_mut().for_each(|hook| hook(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, iterations, dt);
        self.shell.phase_hook = hook;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.fields.chain(&state.fluid.rho)
    }

    fn substeps(&self) -> u32 {
        self.params.substeps
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        (name == "lambda").then_some(&self.fields.lambda)
    }

    fn field_mut(&mut self, name: &str) -> Option<&mut Vec<Real>> {
        (name == "lambda").then_some(&mut self.fields.lambda)
    }

    fn moved(&self, phase: &str) -> Option<&[[Real; 4]]> {
        let corrected = [
            "compute_lambda",
            "compute_delta_x",
            "apply_delta_x",
            "compute_density",
            "update_velocities",
            "apply_vorticity_and_xsph",
        ];
        corrected.contains(&phase).then_some(&self.fields.x_star)
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.numbers(state)
    }

    fn plan(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
        let mut fields = Sizing::Count(0.0);
        let needs = Needs::of(params, run.reactions);
        Fields::<D>::default().resize(&mut fields, run.fluid, run.walls, needs);
        plan.add("fields of pbf", fields.bytes());
    }
}
