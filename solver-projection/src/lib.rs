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
//!   when half of the diagonal is missing. The published rule flags nearly every particle of a disordered fluid.
//! - Beside walls matrix, divergence and gradient have a tangential correction ([`physics::WallCorrection`]): without it
//!   hydrostatic pressure is 3 to 8 percent too high.
//! - Sums of a full neighborhood are those of the lattice, not the largest of the first frame; in 2D only particles of
//!   asymmetric neighborhoods have a floor, and close pairs are held at 0.3 h.
//! - The density error is taken out by a part for each step of `dt_max`, and by less where the pressure for it would throw
//!   neighbors past each other; a deficit counts up to 5 percent.
//! - The step has a limit by pressure: a particle that is out of its place is pushed back by its neighbors.
//! - The density takes part with both signs inside of the fluid. With the published one the fluid expands for ever.
//! - Tangential velocities of walls enter by each wall's own `slip`, unless `tangential` is given.
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

pub use derived::memory_plan;
pub use params::{Params, Preset};
pub use setup::{method, parameters, simulation};

use cpu::Cpu;
use cuda_kernels::common::run::room;
use memory::{Fields, Needs};
use physics::{LatticeSums, Surface, Weight};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    kernel::{CubicSpline, Kernel},
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

/// What follows from the parameters and the liquid, once for all steps.
#[derive(Clone, Copy, Debug)]
struct Constants {
    weight: Weight,
    /// Sums over the lattice.
    lattice: LatticeSums,
    /// What a particle of the surface lacks; its reference is that of the lattice.
    surface: Surface,
    rest: Material,
    needs: Needs,
}

/// The staggered projection on the CPU.
pub struct Projection<const D: usize> {
    params: Params,
    /// Of the density.
    kernel: CubicSpline<D>,
    constants: Constants,
    isa: Isa,
    /// Rows of neighbors.
    pub neighbors: Neighbors<D>,
    /// For tests that do harm.
    #[doc(hidden)]
    pub fields: Fields<D>,
    stopwatch: Stopwatch,
    behind: Option<Behind<D>>,
}

/// Names of [`Projection::limits`].
const LIMITS: [&str; 3] = ["particle speed", "acceleration", "compressed neighbors"];
/// Factor of the acceleration limit `√(Δx/g)` `[convention]`.
const CFL_FORCE: f64 = 0.25;
/// Factor of the limit of compressed neighbors `√(ρ₀ h Δx/(2 d p))` `[measured]`.
const CFL_PRESSURE: Real = 0.35;
/// Smallest step; the run stops below it `[convention]`, `[s]`.
const DT_MIN: f64 = 1e-9;

impl<const D: usize> Projection<D> {
    /// The three limits of the step: speed, acceleration and pressure (in this order), `[s]`. A particle that is out of
    /// its place by a part of a spacing is pushed back with `2 d p/(ρ₀ h)` times this part.
    pub fn limits(&self, state: &State<D>, v_max: f64, p_max: f64) -> [f64; 3] {
        let (p, spacing) = (&self.params, f64::from(state.rest.spacing));
        let gravity = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
        [
            f64::from(p.cfl) * spacing / v_max,
            CFL_FORCE * (spacing / gravity).sqrt(),
            f64::from(CFL_PRESSURE) * (self.pressure_limit(state, 1.0) / p_max).sqrt(),
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

impl<const D: usize> Solver<D> for Projection<D> {
    fn name(&self) -> &'static str {
        "projection"
    }

    fn support_radius(&self) -> Real {
        self.kernel.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        if self.fields.max_speed < 0.0 {
            self.fields.max_speed = f64::from(cpu::max_speed(state));
            let resting = f64::from(state.rest.rho_0 * state.height());
            let gravity = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
            self.fields.max_pressure = self.fields.max_pressure.max(resting * gravity);
        }
        let speed = self.fields.max_speed.max(state.bodies.top_speed());
        let limits = self.limits(state, speed, self.fields.max_pressure);
        let dt = limits.into_iter().fold(f64::from(self.params.dt_max), f64::min);
        if dt < DT_MIN {
            let binding = LIMITS.into_iter().zip(limits).find(|(_, limit)| *limit == dt);
            let cause =
                Cause::StepTooSmall { dt, floor: DT_MIN, limit: binding.map_or("dt_max", |(name, _)| name) };
            return Err(StepError::new(state, "max_dt", None, cause));
        }
        Ok(dt)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let mut behind = self.behind.take();
        let mut phases = watched(Cpu::new(self, state), |cpu, phase| {
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
            "pressure" => Some(&self.fields.acting),
            _ => None,
        }
    }

    fn fields(&self) -> &'static [FieldInfo] {
        &[FieldInfo { name: "pressure", unit: "Pa" }]
    }

    fn residuals(&self) -> &[f64] {
        &self.fields.residuals
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
