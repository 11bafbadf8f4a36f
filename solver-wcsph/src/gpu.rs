//! The phases on a GPU: launchers of `cuda-kernels`, in the words of the listing.

mod constants;
#[doc(hidden)]
pub mod kept;
mod memory;
mod solver;

use crate::{Wcsph, cpu::SHIFTING, params, step::Phases};
use cuda_kernels::{
    common::{
        boundary::loads::given_by_container,
        numerics::Sets,
        run::Common,
        search::neighbors::{Around, Source},
        surface::{surface_forces, surface_normals, surface_reaction},
    },
    device::{error::CudaError, executor::Executor},
    wcsph::{Constants, Launcher, Walls},
};
use memory::{DeviceFields, Extrapolated};
use sph_core::{
    Real,
    kernel::Kernel as _,
    method::{failure::StepError, phases::Timed, report::StepReport, state::State, stopwatch::Stopwatch},
};

/// A step in progress: the method, what it holds on the GPU, and the state, of which time, bodies and motions are
/// those of now.
pub(crate) struct Gpu<'a, const D: usize> {
    pub wcsph: &'a mut Wcsph<D>,
    pub executor: &'a dyn Executor,
    pub device: &'a mut DeviceFields<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
}

/// The fluid as loops find it.
macro_rules! fluid {
    ($gpu:expr, $device:expr) => {
        Around {
            cells: &$device.common.fluid.cells,
            place: &$device.place,
            rows: $device.kept.as_ref().map(|kept| &kept.rows),
            radius: $gpu.constants.kernel.support.h,
        }
    };
}

/// The walls as loops find them, by these records.
macro_rules! walls {
    ($gpu:expr, $device:expr, $records:ident) => {
        Around {
            cells: &$device.common.walls.cells,
            place: &$device.$records,
            rows: None,
            radius: $gpu.constants.kernel.support.h,
        }
    };
}

/// The records of the walls in the momentum loop.
macro_rules! momentum_walls {
    ($gpu:expr, $device:expr) => {
        Walls {
            near: &walls!($gpu, $device, wall_place),
            motion: &$device.wall_motion,
            mass: &$device.wall_mass,
        }
    };
}

/// The rigid sets of the samples.
macro_rules! sets {
    ($device:expr) => {
        Sets { flags: &$device.common.rigid.flags, body: &$device.common.walls.body }
    };
}

impl<const D: usize> Timed for Gpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.wcsph.shell.stopwatch
    }
}

impl<const D: usize> Phases for Gpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        let moved = self.walls_to(self.state.t + dt);
        self.lap("move_walls", moved)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let sorted = self.sort();
        self.lap("find_neighbors", sorted)?;
        let packed = self.pack();
        self.lap("pack", packed)?;
        let listed = self.list();
        self.lap("find_neighbors", listed)
    }

    fn compute_density(&mut self, dt: f64) -> Result<(), StepError> {
        let done = match self.wcsph.params.density {
            params::Density::Summation => self.sum_density(),
            params::Density::Continuity if dt > 0.0 => self.integrate_density(dt as Real),
            params::Density::Continuity => Ok(()),
        };
        self.lap("compute_density", done)
    }

    fn compute_pressure(&mut self) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let (fluid, p) = (&device.common.fluid, &mut device.p);
        let done = launcher.pressure(
            &fluid.x,
            &fluid.v,
            &fluid.rho,
            fluid.n,
            p,
            &mut device.place,
            &mut device.motion,
        );
        self.lap("compute_pressure", done)
    }

    fn extrapolate_to_walls(&mut self) -> Result<(), StepError> {
        let done = self.extrapolate();
        self.lap("extrapolate_to_walls", done)
    }

    fn compute_acceleration(&mut self) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let (fluid, n) = (&fluid!(self, device), device.common.fluid.n);
        let done =
            launcher.acceleration(fluid, &device.motion, momentum_walls!(self, device), n, &mut device.a);
        self.wcsph.fields.started = 1.0;
        self.lap("compute_acceleration", done)?;
        if self.wcsph.constants.needs.surface {
            let done = self.surface_terms();
            self.lap("surface_terms", done)?;
        }
        Ok(())
    }

    fn compute_reaction(&mut self) -> Result<(), StepError> {
        if !self.state.needs_reactions() {
            return Ok(());
        }
        let done = self.reaction();
        self.lap("compute_reaction", done)
    }

    fn compute_drift_correction(&mut self) -> Result<(), StepError> {
        if !self.wcsph.constants.needs.drift_correction {
            return Ok(());
        }
        let done = self.shift();
        self.lap("compute_drift_correction", done)
    }

    fn kick(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let Common { fluid, v2, gain2: a2, .. } = &mut device.common;
        let done = launcher.kick(&device.a, fluid.n, dt as Real, damping, &mut fluid.v, v2, a2);
        self.state.bodies.kick(&self.state.forces, dt, f64::from(damping));
        self.lap("kick", done)
    }

    fn drift(&mut self, dt: f64) -> Result<(), StepError> {
        let moved = self.advance(dt as Real);
        let State { bodies, walls, rest, t, .. } = &mut *self.state;
        bodies.drift(walls, *t, f64::from(rest.spacing), dt);
        self.lap("drift", moved)
    }

    fn is_first_step(&mut self) -> bool {
        self.wcsph.fields.started == 0.0
    }

    fn report(&mut self, dt: f64) -> StepReport {
        StepReport { dt, ..self.wcsph.shell.report }
    }
}

/// Launches with the constants of the step and the smoothing kernel of the method.
fn launcher<'a, const D: usize>(
    executor: &'a dyn Executor,
    constants: &'a Constants<D>,
    wcsph: &Wcsph<D>,
) -> Launcher<'a, D> {
    Launcher { executor, constants, smoothing: wcsph.params.kernel.type_name() }
}

/// Outcome of launches.
type Launched = Result<(), CudaError>;

impl<const D: usize> Gpu<'_, D> {
    /// Counts the time of a phase, and says in which one a launch failed.
    fn lap(&mut self, phase: &'static str, done: Launched) -> Result<(), StepError> {
        self.wcsph.shell.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
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

    fn sort(&mut self) -> Launched {
        let (device, walls) = (&mut *self.device, &self.state.walls);
        // Symplectic Euler computes both anew before it uses them.
        let kept = self.wcsph.params.integrator == params::Integrator::VelocityVerlet;
        let has_w = self.wcsph.constants.needs.drift_correction;
        if let Some(kept) = &mut device.kept {
            kept.travel.settle();
        }
        match (device.is_in_order(), kept, has_w) {
            (true, ..) => (),
            (false, true, true) => {
                device.common.fluid.sort(self.executor, &mut [&mut device.a, &mut device.w])?
            }
            (false, true, false) => device.common.fluid.sort(self.executor, &mut [&mut device.a])?,
            (false, false, _) => device.common.fluid.sort(self.executor, &mut [])?,
        }
        if !device.common.walls_sorted || walls.is_moving() {
            device.common.walls.sort(self.executor)?;
            device.common.walls_packed = false;
        }
        Ok(())
    }

    /// The records of the density loops.
    fn pack(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let fluid = &device.common.fluid;
        launcher.pack(&fluid.x, &fluid.v, &fluid.rho, fluid.n, &mut device.place, &mut device.motion)?;
        if device.common.walls_packed {
            return Ok(());
        }
        device.common.walls_sorted = true;
        launcher.pack_samples(
            &device.common.walls.x,
            &device.common.walls.volume,
            device.common.walls.n,
            &mut device.samples,
        )
    }

    /// The rows of the fluid, if the variant keeps them and those of before do not serve any more.
    fn list(&mut self) -> Launched {
        let device = &mut *self.device;
        match &mut device.kept {
            Some(kept) if kept.travel.is_over() => {
                let fluid = Source { cells: &device.common.fluid.cells, records: &device.place };
                kept.list(self.executor, &fluid, device.common.fluid.n)
            }
            _ => Ok(()),
        }
    }

    fn sum_density(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let (fluid, samples) = (&fluid!(self, device), &walls!(self, device, samples));
        let n = device.common.fluid.n;
        launcher.summation(fluid, samples, n, &mut device.common.fluid.rho)
    }

    /// `ρ ← ρ + dt dρ/dt`.
    fn integrate_density(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let n = device.common.fluid.n;
        if self.constants.diffusion > 0.0 {
            launcher.gradient(&fluid!(self, device), n, &mut device.extra)?;
        }
        let (wall_v, extra) = (&device.common.walls.v, &device.extra);
        let (fluid, samples, motion) =
            (&fluid!(self, device), &walls!(self, device, samples), &device.motion);
        launcher.continuity(fluid, samples, motion, extra, wall_v, n, dt, &mut device.common.fluid.rho)
    }

    fn extrapolate(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let (dummy, n) = (self.wcsph.constants.wall.is_dummy(), device.common.walls.n);
        if dummy {
            let samples = &device.common.walls;
            let Extrapolated { p, v, found } = &mut device.extrapolated;
            launcher.extrapolate(
                &fluid!(self, device),
                &device.motion,
                &samples.x,
                &samples.a,
                n,
                p,
                v,
                found,
            )?;
        }
        // Records of walls at rest that take nothing from the fluid stay as they are.
        if dummy || self.state.walls.is_moving() || !device.common.walls_packed {
            launcher.pack_walls(
                &device.samples,
                &device.common.walls.v,
                sets!(device),
                &device.extrapolated.p,
                &device.extrapolated.v,
                &device.extrapolated.found,
                n,
                &mut device.wall_place,
                &mut device.wall_motion,
                &mut device.wall_mass,
            )?;
            device.common.walls_packed = true;
        }
        Ok(())
    }

    fn surface_terms(&mut self) -> Launched {
        let (executor, smoothing, device) =
            (self.executor, self.wcsph.params.kernel.type_name(), &mut *self.device);
        let Constants { kernel, surface, m, rho_0, .. } = self.constants;
        let (fluid, walls, n) =
            (&fluid!(self, device), &walls!(self, device, samples), device.common.fluid.n);
        let (rho, normal) = (&device.common.fluid.rho, &mut device.extra);
        surface_normals(executor, smoothing, kernel, fluid, rho, m, n, normal)?;
        surface_forces(executor, smoothing, surface, fluid, normal, walls, m, rho_0, n, &mut device.a)
    }

    /// Forces on samples, and their sums over each body.
    fn reaction(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let (executor, n) = (self.executor, device.common.walls.n);
        let (fluid, walls) = (&fluid!(self, device), momentum_walls!(self, device));
        launcher.reaction(fluid, &device.motion, walls, sets!(device), n, &mut device.common.rigid.force)?;
        if self.wcsph.params.adhesion > 0.0 {
            let Constants { surface, m, .. } = self.constants;
            let (samples, force) = (&device.samples, &mut device.common.rigid.force);
            let smoothing = launcher.smoothing;
            surface_reaction(executor, smoothing, surface, fluid, samples, sets!(device), m, n, force)?;
        }
        device.common.rigid.collect(executor, &device.common.walls, &mut self.state.bodies)
    }

    fn shift(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let n = device.common.fluid.n;
        let Common { reduce, fluid, .. } = &mut device.common;
        reduce.max_norms2(self.executor, &fluid.v, n, &mut device.v2_max)?;
        let (fluid, samples) = (&fluid!(self, device), &walls!(self, device, samples));
        let factor = SHIFTING * 0.5 * self.wcsph.kernel.support_radius();
        launcher.shifting(fluid, samples, n, factor, &device.v2_max, &mut device.w)
    }

    fn advance(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.device);
        let DeviceFields { common, kept, w, .. } = device;
        let Common { fluid, lost, containers, container_loads, .. } = common;
        if let Some(kept) = kept {
            kept.travel.drift(f64::from(dt));
        }
        let w = self.wcsph.constants.needs.drift_correction.then_some(&*w);
        launcher.drift(&fluid.v, w, fluid.n, dt, &mut fluid.x, lost)?;
        if containers.is_empty() {
            return Ok(());
        }
        let (executor, n) = (self.executor, fluid.n);
        container_loads.add(executor, self.state, f64::from(dt), |last, partial, result| {
            given_by_container(executor, containers, last, &fluid.x, &fluid.v, n, partial, result)
        })?;
        containers.contain(executor, n, &mut fluid.x, &mut fluid.v)
    }
}
