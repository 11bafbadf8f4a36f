//! The phases on a GPU: launchers of `cuda-kernels`, in the words of the listing.

mod constants;
mod memory;
mod plan;
mod solver;

use crate::{Pbf, physics, step::Phases};
use constants::bdf2;
use cuda_kernels::{
    common::{
        numerics::{Sets, reduce::DensityErrors},
        search::neighbors::Pairs,
    },
    device::{error::CudaError, executor::Executor},
    pbf::{Constants, Launcher, Near, Past},
};
use memory::{DeviceFields, Vortices};
pub use plan::memory_plan;
pub use solver::simulation;
use sph_core::{
    Real,
    kernel::Kernel as _,
    method::{failure::StepError, phases::Timed, report::StepReport, state::State, stopwatch::Stopwatch},
};

/// A step in progress: the method, what it holds on the GPU, and the state, of which time, bodies and motions are
/// those of now. Between prediction and [`Phases::update_positions`] the fluid on the GPU has `x*` and `v*`, while
/// `place` has the positions that are corrected.
pub(crate) struct Gpu<'a, const D: usize> {
    pub pbf: &'a mut Pbf<D>,
    pub executor: &'a dyn Executor,
    pub device: &'a mut DeviceFields<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// Substep, `[s]`.
    pub dt: f64,
    /// Change of velocity over the way that makes it, `[1/s]`.
    pub per_way: Real,
    /// Time at the end of the substep, `[s]`.
    pub end: f64,
    /// Corrections of the substep so far.
    pub corrections: u32,
    /// Mean density error of the last λ; infinite while no one asks for it, `[-]`.
    pub error: f64,
}

/// Neighbors of the fluid.
macro_rules! near {
    ($device:expr) => {
        Near {
            fluid: &$device.rows[Pairs::Fluid as usize],
            walls: &$device.rows[Pairs::Walls as usize],
            samples: &$device.samples,
            mu: &$device.mu,
        }
    };
}

/// The rigid sets of the samples.
macro_rules! sets {
    ($device:expr) => {
        Sets { flags: &$device.common.rigid.flags, body: &$device.common.walls.body }
    };
}

/// What the second-order update remembers.
macro_rules! past {
    ($device:expr) => {
        Past { way: &mut $device.way, gain: &mut $device.gain }
    };
}

impl<const D: usize> Timed for Gpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.pbf.stopwatch
    }
}

impl<const D: usize> Phases for Gpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        let moved = self.walls_to(self.end);
        self.lap("move_walls", moved)
    }

    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError> {
        (self.dt, self.per_way) = (dt, (1.0 / dt) as Real);
        (self.corrections, self.error) = (0, f64::INFINITY);
        self.constants.scorr.k = self.pbf.scorr(dt);
        let predicted = match self.pbf.constants.needs.past {
            false => self.predict(),
            true => self.predict_from_past(),
        };
        self.lap("predict_positions", predicted)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let sorted = self.sort();
        self.lap("find_neighbors", sorted)?;
        let packed = self.pack();
        self.lap("pack", packed)?;
        let listed = self.list();
        self.lap("find_neighbors", listed)?;
        if self.pbf.constants.needs.surface_constraint {
            let found = self.find_surface();
            self.lap("find_surface", found)?;
        }
        Ok(())
    }

    fn compute_lambda(&mut self) -> Result<(), StepError> {
        let done = self.lambda();
        self.pbf.fields.density_is_current = true;
        self.lap("compute_lambda", done)
    }

    fn is_solved(&mut self, corrections: u32) -> bool {
        let params = &self.pbf.params;
        corrections >= params.min_iterations && self.error < f64::from(params.density_tolerance)
    }

    fn compute_delta_x(&mut self) -> Result<(), StepError> {
        let done = self.correct();
        self.pbf.fields.report.iterations += 1;
        self.lap("compute_delta_x", done)
    }

    fn apply_delta_x(&mut self) -> Result<(), StepError> {
        let done = self.apply();
        self.corrections += 1;
        self.pbf.fields.density_is_current = false;
        self.lap("apply_delta_x", done)
    }

    fn compute_density(&mut self) -> Result<(), StepError> {
        if self.pbf.fields.density_is_current {
            return Ok(());
        }
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let done = launcher.density(
            near!(device),
            &device.place,
            device.common.fluid.n,
            &mut device.common.fluid.rho,
        );
        self.lap("compute_density", done)
    }

    fn update_velocities(&mut self, _dt: f64) -> Result<(), StepError> {
        let done = self.velocities();
        self.lap("update_velocities", done)
    }

    fn apply_vorticity_and_xsph(&mut self, dt: f64) -> Result<(), StepError> {
        let needs = self.pbf.constants.needs;
        if needs.velocities {
            let mixed = self.mix_velocities(dt as Real);
            self.lap("apply_vorticity_and_xsph", mixed)?;
        }
        if needs.surface_forces {
            let pulled = self.surface_forces(dt as Real);
            self.lap("surface_forces", pulled)?;
        }
        Ok(())
    }

    fn update_positions(&mut self) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let motion = self.pbf.constants.needs.velocities.then_some(&device.motion);
        let fluid = &mut device.common.fluid;
        let (v2, lost) = (&mut device.common.v2, &mut device.common.lost);
        let done = launcher.commit(&device.place, motion, fluid.n, &mut fluid.x, &mut fluid.v, v2, lost);
        self.lap("update_positions", done)
    }

    fn move_bodies(&mut self) -> Result<(), StepError> {
        if self.state.bodies.is_empty() {
            return Ok(());
        }
        let collected = self.collect();
        let damping = f64::from(self.damping());
        let State { bodies, walls, forces, rest, .. } = &mut *self.state;
        bodies.kick(forces, self.dt, damping);
        bodies.drift(walls, self.end, f64::from(rest.spacing), self.dt);
        self.lap("move_bodies", collected)
    }

    fn report(&mut self, dt: f64) -> StepReport {
        StepReport { dt, ..self.pbf.fields.report }
    }
}

/// Launches with the constants of the step and the smoothing kernel of the method.
fn launcher<'a, const D: usize>(
    executor: &'a dyn Executor,
    constants: &'a Constants<D>,
    pbf: &Pbf<D>,
) -> Launcher<'a, D> {
    Launcher { executor, constants, smoothing: pbf.params.kernel.type_name() }
}

/// Outcome of launches.
type Launched = Result<(), CudaError>;

impl<const D: usize> Gpu<'_, D> {
    /// Counts the time of a phase, and says in which one a launch failed.
    fn lap(&mut self, phase: &'static str, done: Launched) -> Result<(), StepError> {
        self.pbf.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
    }

    /// What a substep leaves of a velocity, `[-]`.
    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    /// Brings prescribed walls to where they are at time `t`, and samples of bodies to where these are.
    fn walls_to(&mut self, t: f64) -> Launched {
        let State { walls, bodies, .. } = &mut *self.state;
        if !walls.is_moving() {
            return Ok(());
        }
        if !bodies.is_empty() {
            // Bodies collide with walls as these are on the host.
            walls.move_to(t);
        }
        self.device.common.rigid.place(self.executor, self.state, t, &mut self.device.common.walls)
    }

    fn predict(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let (containers, dt) = (&device.common.containers, self.dt as Real);
        launcher.predict(containers, fluid.n, dt, &mut fluid.x, &mut fluid.v, &mut device.common.lost)
    }

    /// Prediction of the second-order update. A step much longer than the last begins anew.
    fn predict_from_past(&mut self) -> Launched {
        let last_dt = &mut self.pbf.fields.last_dt;
        let kappa = self.dt / *last_dt;
        let is_new = *last_dt == 0.0 || kappa > physics::Bdf2::MAX_GROWTH;
        let rates = physics::Bdf2::new(if is_new { 1.0 } else { kappa });
        *last_dt = self.dt;
        self.per_way /= rates.rate;
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let fluid = &mut device.common.fluid;
        launcher.predict_from_past(
            &device.common.containers,
            bdf2(rates),
            is_new,
            fluid.n,
            self.dt as Real,
            &mut fluid.x,
            &mut fluid.v,
            past!(device),
            &mut device.common.lost,
        )
    }

    fn sort(&mut self) -> Launched {
        let (executor, device) = (self.executor, &mut *self.device);
        match self.pbf.constants.needs.past {
            true => device.common.fluid.sort(executor, &mut [&mut device.way, &mut device.gain])?,
            false => device.common.fluid.sort(executor, &mut [])?,
        }
        if device.common.walls_sorted && !self.state.walls.is_moving() {
            return Ok(());
        }
        device.common.walls.sort(executor)?;
        (device.common.walls_sorted, device.common.walls_packed) = (true, false);
        Ok(())
    }

    /// The records that the iteration starts from.
    fn pack(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (fluid, walls) = (&device.common.fluid, &device.common.walls);
        device.common.rigid.clear(self.executor)?;
        launcher.pack(&fluid.x, &fluid.id, fluid.n, &mut device.place, &mut device.mu)?;
        if device.common.walls_packed {
            return Ok(());
        }
        device.common.walls_packed = true;
        let (samples, motion) = (&mut device.samples, &mut device.wall_motion);
        launcher.pack_walls(&walls.x, &walls.volume, &walls.v, sets!(device), walls.n, samples, motion)
    }

    /// Neighbors at the predicted positions.
    fn list(&mut self) -> Launched {
        let (executor, device, radius) = (self.executor, &mut *self.device, self.pbf.kernel.support_radius());
        device.list(
            executor,
            Pairs::needed(device.common.walls.n, self.pbf.constants.needs.reactions),
            radius,
        )
    }

    fn find_surface(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let [fluid, walls, _] = &device.rows;
        let (place, samples, n) = (&device.place, &device.samples, device.common.fluid.n);
        launcher.surface_normals(fluid, walls, place, samples, n, &mut device.normal)
    }

    fn lambda(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (n, rho) = (device.common.fluid.n, &mut device.common.fluid.rho);
        launcher.lambda(near!(device), &device.place, n, &mut device.push, rho, &mut device.lambda)?;
        // The host waits for the GPU only where it must decide.
        if self.corrections < self.pbf.params.min_iterations {
            return Ok(());
        }
        let (executor, rho_0, mut errors) = (self.executor, self.constants.rho_0, [DensityErrors::default()]);
        device.common.reduce.density_errors(
            executor,
            rho,
            Some(&device.lambda),
            rho_0,
            n,
            &mut device.errors,
        )?;
        executor.read(&device.errors, &mut errors)?;
        self.error = errors[0].mean;
        Ok(())
    }

    fn correct(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let n = device.common.fluid.n;
        launcher.delta_x(near!(device), &device.push, n, &mut device.delta)?;
        if !self.pbf.constants.needs.surface_constraint {
            return Ok(());
        }
        let rows = &device.rows[Pairs::Fluid as usize];
        launcher.pull_surface(rows, &device.place, &device.normal, n, &mut device.delta)
    }

    fn apply(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let n = device.common.fluid.n;
        if self.pbf.constants.needs.reactions {
            let (rest, solid) = (self.state.rest, self.pbf.params.solid_pressure);
            let factor = rest.m * solid / rest.rho_0 * self.per_way / self.dt as Real;
            launcher.relax_lambda(&device.delta, n, &mut device.push)?;
            let (rows, n_walls) = (&device.rows[Pairs::OfWalls as usize], device.common.walls.n);
            let force = &mut device.common.rigid.force;
            launcher.push_back(rows, &device.push, &device.samples, sets!(device), n_walls, factor, force)?;
        }
        launcher.apply(
            &device.common.containers,
            &device.delta,
            n,
            &mut device.place,
            &mut device.common.lost,
        )
    }

    fn velocities(&mut self) -> Launched {
        let (damping, per_way) = (self.damping(), self.per_way);
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let past = self.pbf.constants.needs.past.then_some(past!(device));
        launcher.velocities(
            &device.place,
            &fluid.x,
            &fluid.rho,
            fluid.n,
            per_way,
            damping,
            &mut fluid.v,
            past,
            &mut device.common.gain2,
            &mut device.common.lost,
        )
    }

    /// Vorticity confinement and XSPH.
    fn mix_velocities(&mut self, dt: Real) -> Launched {
        self.pack_velocities()?;
        if self.pbf.constants.needs.vorticity {
            self.confine_vorticity(dt)?;
            self.pack_velocities()?;
        }
        let params = &self.pbf.params;
        if params.xsph_viscosity == 0.0 && params.wall_viscosity == 0.0 {
            return Ok(());
        }
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let [fluid, walls, of_walls] = &device.rows;
        let (at, motion, samples, wall_motion) =
            (&device.at, &device.motion, &device.samples, &device.wall_motion);
        let v = &mut device.common.fluid.v;
        launcher.xsph(fluid, walls, at, motion, samples, wall_motion, device.common.fluid.n, v)?;
        if !self.pbf.constants.needs.reactions || params.wall_viscosity == 0.0 {
            return Ok(());
        }
        let (inv_dt, n_walls) = ((1.0 / self.dt) as Real, device.common.walls.n);
        let (sets, force) = (sets!(device), &mut device.common.rigid.force);
        launcher.rub_back(of_walls, at, motion, samples, wall_motion, sets, n_walls, inv_dt, force)
    }

    fn pack_velocities(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (fluid, at, motion) = (&device.common.fluid, &mut device.at, &mut device.motion);
        launcher.pack_velocities(
            &device.place,
            &device.mu,
            &fluid.v,
            &fluid.rho,
            fluid.n,
            at,
            motion,
            &mut device.common.lost,
        )
    }

    fn confine_vorticity(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (n, rows) = (device.common.fluid.n, &device.rows[Pairs::Fluid as usize]);
        let Vortices { whirl, spin, squares } = &mut device.vortices;
        launcher.vorticity(rows, &device.at, &device.motion, n, whirl, spin, squares)?;
        device.common.reduce.sum(self.executor, squares, n, &mut device.vorticity2)?;
        let strength = dt * self.pbf.params.vorticity_confinement;
        launcher.confine(rows, whirl, spin, &device.vorticity2, strength, n, &mut device.common.fluid.v)
    }

    /// Cohesion, curvature and adhesion, on velocities.
    fn surface_forces(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (n, [rows, walls, of_walls]) = (device.common.fluid.n, &device.rows);
        launcher.pack_densities(&device.place, &device.common.fluid.rho, n, &mut device.at)?;
        launcher.color_normals(rows, &device.at, n, &mut device.normal)?;
        launcher.tension(rows, walls, &device.at, &device.normal, &device.samples, n, &mut device.a)?;
        if self.pbf.constants.needs.reactions && self.pbf.params.adhesion > 0.0 {
            let (n_walls, force) = (device.common.walls.n, &mut device.common.rigid.force);
            launcher.pull_back(of_walls, &device.at, &device.samples, sets!(device), n_walls, force)?;
        }
        launcher.accelerate(&device.a, n, dt, &mut device.common.fluid.v, &mut device.common.lost)
    }

    /// What the fluid did to each body.
    fn collect(&mut self) -> Launched {
        self.device.common.rigid.collect(
            self.executor,
            &self.device.common.walls,
            &mut self.state.bodies.list,
        )
    }
}
