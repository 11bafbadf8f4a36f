//! The phases on a GPU: launchers of `cuda-kernels`.

mod constants;
mod contact;
mod memory;
mod solver;

use crate::{Viscoelastic, is_reversed, params::RelaxMode, step::Phases};
use cuda_kernels::{
    common::{
        numerics::{Sets, fields},
        run::{Common, resident::Fluid},
        search::{
            colors::{Color, colors},
            neighbors::Pairs,
        },
    },
    device::{error::CudaError, executor::Executor},
    viscoelastic::{Constants, Launcher, Near, Swept},
};
use memory::DeviceFields;
use sph_core::{
    Real,
    method::{failure::StepError, phases::Timed, report::StepReport, state::State, stopwatch::Stopwatch},
};

/// A step in progress: the method, its fields on the GPU, and the state, of which time and bodies are up to date.
/// Between prediction and [`Phases::update_velocities`] the fluid on the GPU has `x*` and `v*`, and `position` the
/// relaxed positions.
pub(crate) struct Gpu<'a, const D: usize> {
    pub method: &'a mut Viscoelastic<D>,
    pub executor: &'a dyn Executor,
    pub device: &'a mut DeviceFields<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// The step, `[s]`.
    pub dt: f64,
    /// Time at its end, `[s]`.
    pub end: f64,
}

/// Neighbors of the fluid.
macro_rules! near {
    ($device:expr) => {
        Near {
            fluid: &$device.rows[Pairs::Fluid as usize],
            walls: &$device.rows[Pairs::Walls as usize],
            samples: &$device.samples,
        }
    };
}

impl<const D: usize> Timed for Gpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.shell.stopwatch
    }
}

impl<const D: usize> Phases for Gpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        let moved = self.walls_to(self.end);
        self.lap("move_walls", moved)
    }

    fn apply_gravity(&mut self, dt: f64) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let done = launcher.kick(&fluid.x, fluid.n, dt as Real, &mut fluid.v, &mut device.common.lost);
        self.lap("apply_gravity", done)
    }

    fn apply_viscosity(&mut self, _dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.viscosity {
            return Ok(());
        }
        let listed = self.find(&[Pairs::Fluid]);
        self.lap("find_neighbors", listed)?;
        let done = self.viscous_impulses();
        self.lap("apply_viscosity", done)
    }

    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let done = launcher.predict(&fluid.v, fluid.n, dt as Real, &mut fluid.x, &mut device.common.lost);
        self.lap("predict_positions", done)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let packed = self.sort_walls();
        self.lap("pack", packed)?;
        let pairs = Pairs::needed(self.device.common.walls.n, self.state.needs_reactions());
        let listed = self.find(pairs);
        self.lap("find_neighbors", listed)
    }

    fn adjust_springs(&mut self, _dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.springs {
            return Ok(());
        }
        let done = self.device.adjust(&launcher(self.executor, &self.constants));
        self.method.fields.springs.created = 1.0;
        self.lap("adjust_springs", done)
    }

    fn apply_spring_displacements(&mut self, _dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.springs {
            return Ok(());
        }
        let done = self.displace_by_springs();
        self.lap("apply_spring_displacements", done)
    }

    fn double_density_relaxation(&mut self, _dt: f64) -> Result<(), StepError> {
        let done = match self.method.params.relax_mode {
            RelaxMode::Jacobi => self.relax_jacobi(),
            _ => self.relax_gauss_seidel(),
        };
        self.lap("double_density_relaxation", done)
    }

    fn resolve_collisions(&mut self, _dt: f64) -> Result<(), StepError> {
        let done = self.collide();
        self.lap("resolve_collisions", done)
    }

    fn update_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let (inv_dt, damping) = ((1.0 / dt) as Real, self.damping());
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let Common { fluid: Fluid { n, x, v, .. }, v2, gain2, lost, .. } = &mut device.common;
        let n = *n;
        let done = launcher.update_velocities(&device.position, n, inv_dt, damping, x, v, v2, gain2, lost);
        self.lap("update_velocities", done)
    }

    fn move_bodies(&mut self) -> Result<(), StepError> {
        if !self.state.bodies.is_empty() {
            let damping = f64::from(self.damping());
            let State { bodies, walls, forces, rest, .. } = &mut *self.state;
            bodies.kick(forces, self.dt, damping);
            bodies.drift(walls, self.end, f64::from(rest.spacing), self.dt);
            self.method.shell.stopwatch.lap("move_bodies");
        }
        Ok(())
    }

    fn report(&mut self, dt: f64) -> StepReport {
        StepReport { dt, ..self.method.shell.report }
    }
}

/// Launches with the constants of the step.
fn launcher<'a, const D: usize>(executor: &'a dyn Executor, constants: &'a Constants<D>) -> Launcher<'a, D> {
    Launcher { executor, constants }
}

/// Outcome of launches.
type Launched = Result<(), CudaError>;

impl<const D: usize> Gpu<'_, D> {
    /// Records the time of a phase, and names it where a launch failed.
    fn lap(&mut self, phase: &'static str, done: Launched) -> Result<(), StepError> {
        self.method.shell.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
    }

    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    /// Moves prescribed walls to their pose at time `t`, and samples of bodies to theirs.
    fn walls_to(&mut self, t: f64) -> Launched {
        if !self.state.walls.is_moving() {
            return Ok(());
        }
        // Contacts and bodies use the poses on the host.
        self.state.walls.move_to(t);
        self.device.common.rigid.place(self.executor, self.state, t, &mut self.device.common.walls)
    }

    /// Sorts the wall samples by cell, and packs their records.
    fn sort_walls(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        if !device.common.walls_sorted || self.state.walls.is_moving() {
            device.common.walls.sort(self.executor)?;
            (device.common.walls_sorted, device.common.walls_packed) = (true, false);
        }
        if device.common.walls_packed {
            return Ok(());
        }
        device.common.walls_packed = true;
        let walls = &device.common.walls;
        launcher.pack_walls(&walls.x, &walls.volume, walls.n, &mut device.samples)
    }

    /// Sorts particles by cell, and their springs with them, and lists their neighbors at the present positions.
    fn find(&mut self, pairs: &[Pairs]) -> Launched {
        let (executor, device, h) = (self.executor, &mut *self.device, self.method.constants.h);
        device.common.fluid.sort(executor, &mut [])?;
        if self.method.constants.needs.springs {
            device.follow(&launcher(executor, &self.constants))?;
        }
        fields::pack_positions(
            executor,
            &device.common.fluid.x,
            device.common.fluid.n,
            &mut device.position,
        )?;
        device.list(executor, pairs, h)
    }

    /// The cells in the order of the relaxation.
    fn colors(&self) -> Vec<Color<D>> {
        colors(self.executor, &self.device.common.fluid.cells, is_reversed(self.state.step))
    }

    fn viscous_impulses(&mut self) -> Launched {
        let colors = self.colors();
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, rows, v) =
            (device.common.fluid.n, &device.rows[Pairs::Fluid as usize], &mut device.common.fluid.v);
        launcher.pack_velocities(v, n, &mut device.velocity)?;
        if self.method.params.relax_mode == RelaxMode::Jacobi {
            return launcher.impulses(rows, &device.position, &device.velocity, n, v);
        }
        for color in &colors {
            launcher.sweep_impulses(*color, rows, &device.position, &mut device.velocity, n)?;
        }
        launcher.unpack_velocities(&device.velocity, n, v)
    }

    fn displace_by_springs(&mut self) -> Launched {
        let (jacobi, colors) = (self.method.params.relax_mode == RelaxMode::Jacobi, self.colors());
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, springs) = (device.common.fluid.n, &device.springs);
        if !jacobi {
            let sweep = |color| launcher.sweep_short(color, springs, &mut device.position, n);
            colors.into_iter().try_for_each(sweep)?;
        }
        // Springs that reach beyond the adjacent cells are treated by Jacobi.
        launcher.spring_displacements(springs, &device.position, n, !jacobi, &mut device.delta)?;
        launcher.displace(&device.delta, n, &mut device.position)
    }

    /// Jacobi: all displacements from the same positions.
    fn relax_jacobi(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let n = device.common.fluid.n;
        let (near, rho, pressure, p_near) =
            (near!(device), &mut device.common.fluid.rho, &mut device.pressure, &mut device.p_near);
        launcher.densities(near, &device.position, n, pressure, p_near, rho)?;
        launcher.displacements(near, pressure, p_near, n, &mut device.delta, &mut device.displacement2)?;
        launcher.displace(&device.delta, n, &mut device.position)
    }

    /// Gauss-Seidel: each particle uses the positions that the previous one has left.
    fn relax_gauss_seidel(&mut self) -> Launched {
        let colors = self.colors();
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let n = device.common.fluid.n;
        let with_pressure = self.method.constants.needs.pressure;
        for color in colors {
            let swept = Swept {
                position: &mut device.position,
                rho: &mut device.common.fluid.rho,
                displacement2: &mut device.displacement2,
                pressure: with_pressure.then_some(&mut device.pressure),
                p_near: with_pressure.then_some(&mut device.p_near),
            };
            launcher.sweep(color, near!(device), swept, n)?;
        }
        Ok(())
    }

    /// Forces and torques of the relaxation on bodies and measured walls, then contacts with bodies, walls and containers.
    fn collide(&mut self) -> Launched {
        self.place_surfaces()?;
        if self.state.needs_reactions() {
            let factor = self.state.rest.m / self.constants.dt2;
            let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
            let sets = Sets { flags: &device.common.rigid.flags, body: &device.common.walls.body };
            let (rows, n_walls) = (&device.rows[Pairs::OfWalls as usize], device.common.walls.n);
            let force = &mut device.common.rigid.force;
            let (pressure, p_near, samples) = (&device.pressure, &device.p_near, &device.samples);
            launcher.reaction_forces(rows, pressure, p_near, samples, sets, n_walls, factor, force)?;
            device.common.rigid.collect(self.executor, &device.common.walls, &mut self.state.bodies)?;
            self.resolve_bodies()?;
        }
        self.add_contact_loads()?;
        self.contacts()
    }
}
