//! The phases on a GPU, by the launchers of `cuda-kernels`.

mod constants;
mod memory;
mod solver;

use crate::{Pbf, step::Phases};
use constants::bdf2;
use cuda_kernels::{
    common::{
        numerics::{Sets, fields::Packed, reduce::DensityErrors},
        run::Common,
        search::neighbors::{NeighborRows, Pairs},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
    pbf::{Constants, Launcher, Near, Past},
};
use memory::{Confinement, DeviceFields};
use sph_core::{
    Real,
    kernel::Kernel as _,
    method::{failure::StepError, phases::Timed, report::StepReport, state::State, stopwatch::Stopwatch},
};

/// A step in progress: the method, its fields on the GPU, and the state, of which time, bodies and wall motions are
/// current. Between prediction and [`Phases::update_positions`] the fluid on the GPU has the predicted `x*` and `v*`,
/// while `x_star` has the positions that are corrected.
pub(crate) struct Gpu<'a, const D: usize> {
    pub pbf: &'a mut Pbf<D>,
    pub executor: &'a dyn Executor,
    pub device: &'a mut DeviceFields<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// Substep, `[s]`.
    pub dt: f64,
    /// Change of velocity over the displacement that makes it, `[1/s]`.
    pub per_displacement: Real,
    /// Time at the end of the substep, `[s]`.
    pub end: f64,
    /// Corrections of the substep so far.
    pub corrections: u32,
    /// Mean density error of the last λ; infinite before it is read, `[-]`.
    pub error: f64,
}

impl<const D: usize> Timed for Gpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.pbf.shell.stopwatch
    }
}

impl<const D: usize> Phases for Gpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        let moved = self.walls_to(self.end);
        self.lap("move_walls", moved)
    }

    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError> {
        (self.dt, self.per_displacement) = (dt, (1.0 / dt) as Real);
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
        self.lap("find_neighbors", listed)
    }

    fn compute_lambda(&mut self) -> Result<(), StepError> {
        let done = self.lambda();
        self.pbf.fields.density_is_current = true;
        self.lap("compute_lambda", done)
    }

    fn is_solved(&mut self, corrections: u32) -> bool {
        self.pbf.params.is_solved(corrections, self.error)
    }

    fn compute_delta_x(&mut self) -> Result<(), StepError> {
        let done = self.correct();
        self.pbf.shell.report.iterations += 1;
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
            near(&device.rows, &device.x_psi),
            &device.x_star,
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
            let mixed = self.confine_and_mix(dt as Real);
            self.lap("apply_vorticity_and_xsph", mixed)?;
        }
        if needs.surface_forces {
            let accelerated = self.surface_forces(dt as Real);
            self.lap("surface_forces", accelerated)?;
        }
        Ok(())
    }

    fn update_positions(&mut self) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let v_rho = self.pbf.constants.needs.velocities.then_some(&device.v_rho);
        let fluid = &mut device.common.fluid;
        let (v2, lost) = (&mut device.common.v2, &mut device.common.lost);
        let done =
            launcher.store_positions(&device.x_star, v_rho, fluid.n, &mut fluid.x, &mut fluid.v, v2, lost);
        self.lap("update_positions", done)
    }

    fn move_bodies(&mut self) -> Result<(), StepError> {
        if !self.state.needs_reactions() {
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
        StepReport { dt, ..self.pbf.shell.report }
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

/// The fluid's neighbors.
fn near<'a>([fluid, walls, _]: &'a [NeighborRows; 3], x_psi: &'a Field<Packed>) -> Near<'a> {
    Near { fluid, walls, x_psi }
}

/// Outcome of launches.
type Launched = Result<(), CudaError>;

impl<const D: usize> Gpu<'_, D> {
    /// Counts the time of a phase, and names it in the error of a launch.
    fn lap(&mut self, phase: &'static str, done: Launched) -> Result<(), StepError> {
        self.pbf.shell.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
    }

    /// Damping factor of velocities in a substep, `[-]`.
    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    /// Moves prescribed walls to their position at time `t`, and samples of bodies to theirs.
    fn walls_to(&mut self, t: f64) -> Launched {
        let State { walls, bodies, .. } = &mut *self.state;
        if !walls.is_moving() {
            return Ok(());
        }
        if !bodies.is_empty() {
            // Collisions of bodies are computed on the host.
            walls.move_to(t);
        }
        self.device.common.rigid.place(self.executor, self.state, t, &mut self.device.common.walls)
    }

    fn predict(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let (containers, dt) = (&device.common.containers, self.dt as Real);
        let step = self.dt * f64::from(self.pbf.params.substeps);
        device.common.container_loads.add(self.executor, self.state, step, |last, partial, result| {
            let (x, v) = (&fluid.x, &fluid.v);
            launcher.given_in_prediction(containers, last, fluid.n, dt, x, v, partial, result)
        })?;
        launcher.predict(containers, fluid.n, dt, &mut fluid.x, &mut fluid.v, &mut device.common.lost)
    }

    /// Prediction of the second-order update.
    fn predict_from_past(&mut self) -> Launched {
        let (rates, is_new) = self.pbf.fields.bdf2(self.dt);
        self.per_displacement /= rates.rate;
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
            Past { displacement: &mut device.displacement, velocity_change: &mut device.velocity_change },
            &mut device.common.lost,
        )
    }

    fn sort(&mut self) -> Launched {
        let (executor, device) = (self.executor, &mut *self.device);
        match self.pbf.constants.needs.past {
            true => {
                let past = &mut [&mut device.displacement, &mut device.velocity_change];
                device.common.fluid.sort(executor, past)?;
            }
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
        launcher.pack_positions(&fluid.x, fluid.n, &mut device.x_star)?;
        if device.common.walls_packed {
            return Ok(());
        }
        device.common.walls_packed = true;
        launcher.pack_walls(&walls.x, &walls.volume, walls.n, &mut device.x_psi)
    }

    /// Neighbors at the predicted positions.
    fn list(&mut self) -> Launched {
        let (executor, device, radius) = (self.executor, &mut *self.device, self.pbf.kernel.support_radius());
        device.list(executor, Pairs::needed(device.common.walls.n, self.state.needs_reactions()), radius)
    }

    fn lambda(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (n, rho) = (device.common.fluid.n, &mut device.common.fluid.rho);
        launcher.lambda(
            near(&device.rows, &device.x_psi),
            &device.x_star,
            n,
            &mut device.x_lambda,
            rho,
            &mut device.lambda,
        )?;
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
        let (n, near) = (device.common.fluid.n, near(&device.rows, &device.x_psi));
        launcher.delta_x(near, &device.x_lambda, n, &mut device.delta)
    }

    fn apply(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let n = device.common.fluid.n;
        if self.state.needs_reactions() {
            let rest = self.state.rest;
            let factor = rest.m / rest.rho_0 * self.per_displacement / self.dt as Real;
            launcher.relax_lambda(&device.delta, n, &mut device.x_lambda)?;
            let (rows, n_walls) = (&device.rows[Pairs::OfWalls as usize], device.common.walls.n);
            let sets = Sets { flags: &device.common.rigid.flags, body: &device.common.walls.body };
            let (x_lambda, force) = (&device.x_lambda, &mut device.common.rigid.force);
            launcher.correction_reaction(rows, x_lambda, &device.x_psi, sets, n_walls, factor, force)?;
        }
        let (containers, delta, x_star) = (&device.common.containers, &device.delta, &mut device.x_star);
        let (step, rate) = (self.dt * f64::from(self.pbf.params.substeps), f64::from(self.per_displacement));
        device.common.container_loads.add(self.executor, self.state, step, |last, partial, result| {
            launcher.given_in_correction(containers, last, rate, delta, n, x_star, partial, result)
        })?;
        launcher.apply(containers, delta, n, x_star, &mut device.common.lost)
    }

    fn velocities(&mut self) -> Launched {
        let (damping, per_displacement) = (self.damping(), self.per_displacement);
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let past = self.pbf.constants.needs.past.then_some(Past {
            displacement: &mut device.displacement,
            velocity_change: &mut device.velocity_change,
        });
        launcher.velocities(
            &device.x_star,
            &fluid.x,
            &fluid.rho,
            fluid.n,
            per_displacement,
            damping,
            &mut fluid.v,
            past,
            &mut device.common.gain2,
            &mut device.common.lost,
        )
    }

    /// Vorticity confinement and XSPH.
    fn confine_and_mix(&mut self, dt: Real) -> Launched {
        self.pack_velocities()?;
        if self.pbf.constants.needs.vorticity {
            self.confine_vorticity(dt)?;
            self.pack_velocities()?;
        }
        if self.pbf.params.xsph_viscosity == 0.0 {
            return Ok(());
        }
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (rows, v) = (&device.rows[Pairs::Fluid as usize], &mut device.common.fluid.v);
        launcher.xsph(rows, &device.x_star, &device.v_rho, device.common.fluid.n, v)
    }

    fn pack_velocities(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (fluid, v_rho, lost) = (&device.common.fluid, &mut device.v_rho, &mut device.common.lost);
        launcher.pack_velocities(&device.x_star, &fluid.v, &fluid.rho, fluid.n, v_rho, lost)
    }

    fn confine_vorticity(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (n, rows) = (device.common.fluid.n, &device.rows[Pairs::Fluid as usize]);
        let Confinement { x_volume, vorticity, squares } = &mut device.confinement;
        launcher.vorticity(rows, &device.x_star, &device.v_rho, n, x_volume, vorticity, squares)?;
        device.common.reduce.sum(self.executor, squares, n, &mut device.vorticity2)?;
        let strength = dt * self.pbf.params.vorticity_confinement;
        launcher.confine(
            rows,
            x_volume,
            vorticity,
            &device.vorticity2,
            strength,
            n,
            &mut device.common.fluid.v,
        )
    }

    /// Cohesion, curvature and adhesion, on velocities.
    fn surface_forces(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.device);
        let (n, [rows, walls, of_walls]) = (device.common.fluid.n, &device.rows);
        launcher.pack_densities(&device.x_star, &device.common.fluid.rho, n, &mut device.x_rho)?;
        launcher.color_normals(rows, &device.x_rho, n, &mut device.normal)?;
        launcher.tension(rows, walls, &device.x_rho, &device.normal, &device.x_psi, n, &mut device.a)?;
        if self.state.needs_reactions() && self.pbf.params.adhesion > 0.0 {
            let (n_walls, force) = (device.common.walls.n, &mut device.common.rigid.force);
            let sets = Sets { flags: &device.common.rigid.flags, body: &device.common.walls.body };
            launcher.adhesion_reaction(of_walls, &device.x_rho, &device.x_psi, sets, n_walls, force)?;
        }
        launcher.accelerate(&device.a, n, dt, &mut device.common.fluid.v, &mut device.common.lost)
    }

    /// Forces of the fluid on each body, and on walls.
    fn collect(&mut self) -> Launched {
        let Common { rigid, walls, .. } = &mut self.device.common;
        let k = ((self.end - self.state.t) / self.dt).round();
        self.state.bodies.collect_substep(k, |bodies| rigid.collect(self.executor, walls, bodies))
    }
}
