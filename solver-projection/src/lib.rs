//! Incompressible flow by a variational projection on staggered particles: the pressure is what keeps the divergence of
//! the velocity zero.
//!
//! He et al. 2020 (arXiv 2001.09421, the framework), the public source of PeriDyno (weights and constants), Schechter &
//! Bridson 2012 (ghost particles of walls), Hestenes & Stiefel 1952 (conjugate gradients).
//!
//! The step stands in [`step`], the formulas in [`physics`], the iteration in [`cg`], the numbers in [`params`].
//!
//! # Symbols
//! `i` the particle that is written, `j` its fluid neighbor, `k` its wall neighbor (a ghost); `n_ij` the unit vector from
//! `j` to `i`; `α_i` the sum of its weights; `a_ij = 1/α_i + 1/α_j`; `D` divergence and `A` the negative Laplacian, both
//! over `d`, the number of dimensions.
//!
//! # Deviations
//! - Forces come first, then the projection, then the positions. PeriDyno moves first: the same cycle begun elsewhere.
//! - A particle is of the free surface when part of its diagonal is missing *and* its neighbors stand on one side, or
//!   when half of the diagonal or of α is missing; walls do not count for one with less than a tenth of the diagonal by the fluid. The published rule flags nearly every particle of a disordered fluid.
//! - Particles that the pressure would accelerate into a void get a Dirichlet term ([`physics::of_void`]), and walls act with a part of
//!   the pressure on fluid that leaves them fast ([`physics::Parting`]): without both, flat impacts gain energy.
//! - With the difference gradient particles in reach of the surface have the mirrored one, and a Dirichlet term no less than
//!   what it answers to a constant pressure: else the pressure of the whole fluid grows from step to step under tension.
//! - Beside walls matrix, divergence and gradient have a tangential correction ([`physics::WallCorrection`]): without it
//!   hydrostatic pressure is 3 to 8 percent too high.
//! - Walls stop particles that would pass them in the step ([`physics::Contact`]): the pressure of single ones answers a part of their
//!   approach, and they went through corners.
//! - Sums of a full neighborhood are those of the lattice, not the largest of the first frame; in 2D only particles of
//!   asymmetric neighborhoods have a floor, and close pairs are held at 0.3 h.
//! - The density error is taken out by a part for each step of `dt_max`, and by less where the pressure for it would throw
//!   neighbors past each other; a deficit counts up to 5 percent.
//! - The step has a limit by pressure: a particle that is out of its place is pushed back by its neighbors.
//! - The density takes part with both signs inside of the fluid. With the published one the fluid expands for ever.
//! - Tangential velocities of walls enter viscosity by each wall's own `slip`, unless `tangential` is given, and the divergence
//!   not at all: where a sliding wall ends they would be a source.
//! - A domain without a free surface leaves pressure open up to a constant: the mean of the right-hand side is removed, and the
//!   least pressure is zero.
#![warn(missing_docs)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

pub mod aggregation;
pub mod cg;
mod choices;
pub mod cpu;
mod derived;
pub mod gpu;
pub mod memory;
pub mod params;
pub mod physics;
mod setup;
pub mod step;

pub use params::Params;

use cpu::Cpu;
use memory::{Fields, Needs};
use physics::{FreeSurface, LatticeSums, Weight};
use sph_core::{
    Real,
    error::Error,
    fluid::{areas::Areas, material::Material},
    kernel::{CubicSpline, Kernel as _},
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

/// What follows from the parameters and the liquid, once for all steps.
#[derive(Clone, Copy, Debug)]
struct Constants {
    weight: Weight,
    /// Sums over the lattice.
    lattice: LatticeSums,
    /// What a particle of the surface lacks; its reference is that of the lattice.
    surface: FreeSurface,
    rest: Material,
    needs: Needs,
}

/// The staggered projection.
pub struct Projection<const D: usize> {
    params: Params,
    /// Of the density.
    kernel: CubicSpline<D>,
    constants: Constants,
    /// Whether the fluid has a free surface: found at the start of a scene.
    flow: Flow,
    /// Height of the fluid at the start, or of the walls where there is none, `[m]`.
    height: Real,
    /// Areas over which the pressure acts on the samples of each surface, with the difference gradient.
    areas: Vec<Areas>,
    shell: Shell<D>,
    /// For tests that do harm.
    #[doc(hidden)]
    pub fields: Fields<D>,
}

cuda_kernels::entry!(Projection, "variational pressure projection on staggered particles");

/// Factor of the acceleration limit `√(Δx/g)` `[convention]`.
const CFL_FORCE: f64 = 0.25;
/// Factor of the limit of compressed neighbors `√(ρ₀ h Δx/(2 d p))` `[measured]`.
const CFL_PRESSURE: Real = 0.35;

/// Size of gravity, `[m/s²]`.
fn gravity<const D: usize>(state: &State<D>) -> f64 {
    state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt()
}

impl<const D: usize> Projection<D> {
    /// Limits of the step at a speed `[m/s]` and a pressure `[Pa]`. A particle that is out of its place by a part of a
    /// spacing is pushed back with `2 d p/(ρ₀ h)` times this part.
    fn limits(&self, state: &State<D>, v_max: f64, p_max: f64) -> Limits<4> {
        let (p, spacing, gravity) = (&self.params, f64::from(state.rest.spacing), gravity(state));
        let compressed = (self.pressure_limit(state, 1.0) / p_max).sqrt();
        [
            ("particle speed", f64::from(p.cfl) * spacing / v_max),
            ("acceleration", CFL_FORCE * (spacing / gravity).sqrt()),
            ("compressed neighbors", f64::from(CFL_PRESSURE) * compressed),
            ("dt_max", f64::from(p.dt_max)),
        ]
    }

    /// The pressure that in a step of `dt` `[s]` moves a particle by as much as it is out of its place, `ρ₀ h Δx/(2 d dt²)`,
    /// `[Pa]`. PeriDyno's is not in Pa, and has no such limit.
    fn pressure_limit(&self, state: &State<D>, dt: f64) -> f64 {
        if self.params.gradient == params::Gradient::Peridyno {
            return f64::INFINITY;
        }
        let (h, rho_0) = (f64::from(self.kernel.support_radius()), f64::from(state.rest.rho_0));
        rho_0 * h * f64::from(state.rest.spacing) / (2.0 * D as f64 * dt * dt)
    }
}

impl<const D: usize> Method<D> for Projection<D> {
    type Params = Params;
    const FIELDS: &'static [FieldInfo] = &[FieldInfo { name: "pressure", unit: "Pa" }];
    /// Those of an aggregate of the second level.
    const CELLS_A_BLOCK: i32 = 2;

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

    fn change(&mut self, params: Params) {
        let reactions = self.constants.needs.reactions;
        self.constants = Constants::derive::<D>(&params, self.constants.rest, reactions);
        self.params = params;
    }

    fn support_radius(&self) -> Real {
        self.kernel.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        if self.shell.max_speed < 0.0 {
            let resting = f64::from(state.rest.rho_0 * state.height());
            self.fields.max_pressure = self.fields.max_pressure.max(resting * gravity(state));
        }
        let speed = self.shell.top_speed(state);
        method::least(state, self.limits(state, speed, self.fields.max_pressure))
    }

    fn advance(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let mut hook = self.shell.phase_hook.take();
        let mut phases = watched(Cpu::new(self, state), |cpu, phase| {
            hook.iter_mut().for_each(|hook| hook(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, dt);
        self.shell.phase_hook = hook;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.fields.chain(&state.fluid.rho)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        (name == "pressure").then_some(&self.fields.acting)
    }

    fn residuals(&self) -> &[f64] {
        &self.fields.residuals
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.numbers(state)
    }

    fn plan(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
        derived::plan::<D>(params, run, plan);
    }
}
