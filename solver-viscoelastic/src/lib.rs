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
pub use params::Params;

use cpu::{Cpu, colors::Colors};
use memory::{Fields, Needs};
use params::{RelaxMode, SpringCreation};
use physics::{Flow, Spring, Stiffness, Viscosity};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    method::{
        failure::StepError,
        phases::watched,
        report::{Derived, FieldInfo, StepReport},
        solver::{Link, Memory},
        state::State,
        stopwatch::Clock,
    },
    numerics::lane::Isa,
    run::method::{self, Limits, Method, Planned, Shell},
    scene::Scene,
    watch::plan::MemoryPlan,
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

/// The viscoelastic fluid.
pub struct Viscoelastic<const D: usize> {
    params: Params,
    constants: Constants,
    depth: Depth,
    shell: Shell<D>,
    colors: Colors,
    /// Public for fault injection.
    #[doc(hidden)]
    pub fields: Fields<D>,
}

cuda_kernels::entry!(Viscoelastic, "viscoelastic fluid by double density relaxation");

impl<const D: usize> Viscoelastic<D> {
    /// Limits of the step at a speed `[m/s]`.
    fn limits(&self, v_max: f64) -> Limits<5> {
        let (p, spacing) = (&self.params, f64::from(self.constants.rest.spacing));
        let waves = physics::stable_waves(D, p.relax_mode == RelaxMode::Jacobi) * spacing;
        let springs = physics::stable_springs(p.relax_mode) / f64::from(p.spring_stiffness);
        let stickiness = physics::STABLE_STICKINESS / f64::from(p.stick_stiffness);
        let stability = f64::from(p.stability);
        [
            ("particle speed", (f64::from(p.cfl) * spacing / v_max).max(f64::from(p.dt_min))),
            ("pressure waves", stability * waves / self.constants.sound_speed),
            ("springs", stability * springs.sqrt()),
            ("stickiness", stability * stickiness.sqrt()),
            ("dt_max", f64::from(p.dt_max)),
        ]
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

impl<const D: usize> Method<D> for Viscoelastic<D> {
    type Params = Params;
    const FIELDS: &'static [FieldInfo] = &[];

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

    /// Gauss-Seidel uses what other ranks would only have after they had done their part.
    fn refuses_ranks(params: &Params) -> Option<(&'static str, &'static str)> {
        let why = "particles would wait for those of other ranks in turns; use \"jacobi\"";
        (params.relax_mode != RelaxMode::Jacobi).then_some(("solver.relax_mode", why))
    }

    /// The depth of the first state stays.
    fn change(&mut self, params: Params) {
        let (reactions, rest) = (self.constants.needs.reactions, self.constants.rest);
        // Errors of the derivation were reported before the first step.
        if let Ok(constants) = Constants::derive::<D>(&params, rest, self.depth, reactions) {
            if !constants.needs.springs {
                // Rows are not permuted by sorts without springs.
                self.fields.springs.store_by_id();
            }
            self.constants = constants;
            self.params = params;
        }
    }

    fn support_radius(&self) -> Real {
        self.constants.h
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        let speed = self.shell.top_speed(state);
        method::least(state, self.limits(speed))
    }

    fn advance(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let mut hook = self.shell.phase_hook.take();
        let mut phases = watched(Cpu::new(self, state, dt), |cpu, phase| {
            hook.iter_mut().for_each(|hook| hook(cpu.method, cpu.state, phase));
        });
        let done = step::step(&mut phases, dt);
        self.shell.phase_hook = hook;
        done
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fields.memory(visit);
    }

    fn numbers(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        visit(&mut self.fields.springs.created);
    }

    fn fluid_changed(&mut self) {
        self.fields.springs.store_by_id();
    }

    fn restored(&mut self, state: &State<D>) {
        self.fields.springs.sort_by_owner(&state.fluid.id);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.fields.chain(&state.fluid.rho)
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.numbers(state)
    }

    fn plan(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
        derived::plan::<D>(params, run, plan);
    }
}
