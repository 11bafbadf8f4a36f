//! The phases on a GPU: launchers of `cuda-kernels`, in the words of the listing.

use crate::{
    Projection,
    cg::Outcome,
    choices::peridyno_part,
    params::{Gradient, Reference},
    step::Phases,
};
use cuda_kernels::{
    common::{
        numerics::{Sets, fields},
        search::neighbors::Pairs,
    },
    device::{error::CudaError, executor::Executor},
    projection::{Constants, Gains, Launcher, Near, WallCorrections, Walls},
};
use memory::{DeviceFields, surfaces};
use sph_core::{
    Real,
    kernel::Kernel,
    method::{
        failure::{Cause, StepError},
        phases::Timed,
        report::StepReport,
        state::State,
        stopwatch::Stopwatch,
    },
};

/// A step in progress: the method, what it holds on the GPU, and the state, of which time, bodies and motions are
/// those of now.
pub(crate) struct Gpu<'a, const D: usize> {
    pub method: &'a mut Projection<D>,
    pub executor: &'a dyn Executor,
    pub device: &'a mut DeviceFields<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// Time at the end of the step, `[s]`.
    pub end: f64,
    /// Part of the density error that the source takes out, of what it usually would.
    pub source_part: f64,
    /// How often this step has searched for voids.
    pub searches: u32,
}

/// Records of the samples.
macro_rules! ghosts {
    ($device:expr) => {
        Walls {
            samples: &$device.ghosts.samples,
            motion: &$device.ghosts.motion,
            normal: &$device.ghosts.normal,
        }
    };
}

/// The tangential wall correction.
macro_rules! wall_correction {
    ($device:expr) => {
        WallCorrections {
            upper: &mut $device.wall_correction.upper,
            lower: &mut $device.wall_correction.lower,
        }
    };
}

/// Neighbors of the fluid.
macro_rules! near {
    ($device:expr) => {
        Near {
            fluid: &$device.rows[Pairs::Fluid as usize],
            walls: &$device.rows[Pairs::Walls as usize],
            ghosts: ghosts!($device),
        }
    };
}

/// The rigid sets of the samples.
macro_rules! sets {
    ($device:expr) => {
        Sets { flags: &$device.common.rigid.flags, body: &$device.common.walls.body }
    };
}

/// A launch that adds to the forces on the samples of dynamic bodies, from a field of the fluid.
macro_rules! react {
    ($launcher:ident.$launch:ident($device:expr, [$($field:expr),+], $factor:expr)) => {
        $launcher.$launch(
            &$device.rows[Pairs::OfWalls as usize],
            ghosts!($device),
            sets!($device),
            &$device.place,
            $($field,)+
            $device.common.walls.n,
            $factor,
            &mut $device.common.rigid.force,
        )
    };
}

/// Velocities that change.
macro_rules! gains {
    ($device:expr) => {
        Gains {
            v: &mut $device.common.fluid.v,
            gain2: &mut $device.common.gain2,
            lost: &mut $device.common.lost,
        }
    };
}

// Behind the macros that they use.
mod constants;
mod contact;
mod equation;
mod memory;
mod motion;
mod solve;
mod solver;
mod surface;
mod viscosity;

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

    fn apply_forces(&mut self, dt: f64) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let fluid = &mut device.common.fluid;
        let done = launcher.kick(&fluid.x, fluid.n, dt as Real, &mut fluid.v, &mut device.common.lost);
        self.lap("apply_forces", done)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let sorted = self.sort();
        self.lap("find_neighbors", sorted)?;
        let packed = self.pack();
        self.lap("pack", packed)?;
        let listed = self.list();
        self.lap("find_neighbors", listed)
    }

    fn compute_alpha(&mut self) -> Result<(), StepError> {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, rho) = (device.common.fluid.n, &mut device.common.fluid.rho);
        let done = launcher.moments(
            near!(device),
            &device.place,
            n,
            &mut device.moments,
            rho,
            &mut device.common.lost,
        );
        self.lap("compute_alpha", done)
    }

    fn assemble_matrix(&mut self) -> Result<(), StepError> {
        let done = self.find_full(0).and_then(|()| self.assemble());
        self.lap("assemble_matrix", done)
    }

    fn detect_free_surface(&mut self) -> Result<(), StepError> {
        let done = self.find_full(1).and_then(|()| self.find_surface());
        self.lap("detect_free_surface", done)
    }

    fn build_right_hand_side(&mut self, dt: f64) -> Result<(), StepError> {
        let done = self.right_hand_side(dt);
        self.lap("build_right_hand_side", done)
    }

    fn solve_pressure(&mut self) -> Result<(), StepError> {
        let acting = self.conjugate_gradients().and_then(|solved| self.act().map(|()| solved));
        let outcome = acting.map(|solved| {
            self.method.count(&solved);
            solved.outcome
        });
        self.method.shell.stopwatch.lap("solve_pressure");
        self.check_outcome("solve_pressure", outcome)
    }

    fn limit_density_source(&mut self, dt: f64) -> Result<bool, StepError> {
        let Some(source_part) = self.method.source_limit(self.state, dt) else { return Ok(false) };
        self.source_part = source_part;
        let (launching, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let smaller = launching.scale(source_part as Real, device.common.fluid.n, &mut device.p);
        self.lap("limit_density_source", smaller)?;
        self.build_right_hand_side(dt)?;
        Ok(true)
    }

    fn open_voids(&mut self, dt: f64) -> Result<bool, StepError> {
        let may = self.method.may_throw(self.state, dt, self.searches);
        self.searches += 1;
        if !may {
            return Ok(false);
        }
        let opened = self.open(dt as Real);
        self.method.shell.stopwatch.lap("open_voids");
        let opened = opened.map_err(|error| error.in_phase(self.state, "open_voids"))?;
        if opened {
            self.build_right_hand_side(dt)?;
        }
        Ok(opened)
    }

    fn correct_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let mut done = self.project(dt as Real);
        if self.state.needs_reactions() {
            done = done.and_then(|()| self.react_pressure(dt as Real));
        }
        self.lap("correct_velocities", done)
    }

    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        let needs = self.method.constants.needs;
        if needs.viscosity {
            let outcome = self.diffuse(dt as Real);
            self.method.shell.stopwatch.lap("implicit_viscosity");
            self.check_outcome("apply_viscosity", outcome)?;
        }
        if needs.xsph {
            let done = self.mix_velocities(dt as Real);
            self.lap("xsph", done)?;
        }
        Ok(())
    }

    fn stop_at_walls(&mut self, dt: f64) -> Result<(), StepError> {
        let done = self.stop(dt);
        self.lap("stop_at_walls", done)
    }

    fn update_positions(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let done = self.drift(dt as Real, damping);
        self.lap("update_positions", done)
    }

    fn move_bodies(&mut self, dt: f64) -> Result<(), StepError> {
        if !self.state.needs_reactions() {
            return Ok(());
        }
        let device = &mut *self.device;
        let (common, rho_0) = (&mut device.common, self.state.rest.rho_0);
        let collected = self.method.collect(&mut self.state.bodies, rho_0, |bodies| {
            common.rigid.collect(self.executor, &common.walls, bodies)
        });
        self.state.bodies.react(&self.method.fields.given, f64::from(self.state.rest.m) / dt);
        let damping = f64::from(self.state.forces.damping_of(self.state.t, dt));
        let State { bodies, walls, forces, rest, .. } = &mut *self.state;
        bodies.kick(forces, dt, damping);
        let finite = bodies.list.iter().all(|body| body.is_finite() && body.top_speed().is_finite());
        if finite {
            bodies.drift(walls, self.end, f64::from(rest.spacing), dt);
        }
        self.lap("move_bodies", collected)?;
        if finite {
            return Ok(());
        }
        let cause = Cause::NotFinite { field: "velocity of a body" };
        Err(StepError::new(self.state, "move_bodies", None, cause))
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
    /// Counts the time of a phase, and says in which one a launch failed.
    fn lap(&mut self, phase: &'static str, done: Launched) -> Result<(), StepError> {
        self.method.shell.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
    }

    /// Fails if a launch did, or an iteration met what no step can mend.
    fn check_outcome(
        &mut self,
        phase: &'static str,
        outcome: Result<Outcome, CudaError>,
    ) -> Result<(), StepError> {
        let outcome = outcome.map_err(|error| error.in_phase(self.state, phase))?;
        self.method.check_outcome(self.state, phase, outcome)
    }

    /// Brings prescribed walls to where they are at time `t`, and samples of bodies to where these are. The host
    /// finds where surfaces are, from a few samples each.
    fn walls_to(&mut self, t: f64) -> Launched {
        if !self.state.walls.is_moving() {
            return Ok(());
        }
        self.state.walls.move_to(t);
        let device = &mut *self.device;
        self.executor.write(&surfaces(&self.state.walls, t, &device.facets), &mut device.surfaces)?;
        device.common.rigid.place(self.executor, self.state, t, &mut device.common.walls)
    }

    fn sort(&mut self) -> Launched {
        let (executor, device) = (self.executor, &mut *self.device);
        device.sort(executor)?;
        if device.common.walls_sorted && !self.state.walls.is_moving() {
            return Ok(());
        }
        device.common.walls.sort(executor)?;
        (device.common.walls_sorted, device.common.walls_packed) = (true, false);
        Ok(())
    }

    fn pack(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        fields::pack_positions(
            self.executor,
            &device.common.fluid.x,
            device.common.fluid.n,
            &mut device.place,
        )?;
        if device.common.walls_packed {
            return Ok(());
        }
        device.common.walls_packed = true;
        let (walls, out) = (&device.common.walls, &mut device.ghosts);
        launcher.pack_walls(
            &walls.x,
            &walls.x_0,
            &walls.v,
            sets!(device),
            &device.surface,
            &device.surfaces,
            &device.areas,
            walls.n,
            &mut out.samples,
            &mut out.motion,
            &mut out.normal,
        )
    }

    fn list(&mut self) -> Launched {
        let pairs = Pairs::needed(self.device.common.walls.n, self.state.needs_reactions());
        self.device.list(self.executor, pairs, self.method.kernel.support_radius())
    }

    /// In the first step, if the largest sums of it are those of a full neighborhood: that of weights (0), or the
    /// diagonal (1).
    fn find_full(&mut self, which: usize) -> Launched {
        let full = &mut self.method.fields.full[which];
        if self.method.params.reference != Reference::FirstStep || *full != 0.0 {
            return Ok(());
        }
        let (records, k) = if which == 0 { (&self.device.moments, 3) } else { (&self.device.sums, 0) };
        let records = self.executor.download(records)?;
        *full = records.iter().map(|record| f64::from(record.0[k])).fold(0.0, f64::max);
        if which == 0 {
            self.constants.alpha = *full as Real;
        } else {
            self.constants.surface.reference = *full as Real;
        }
        Ok(())
    }

    fn assemble(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, v) = (device.common.fluid.n, &device.common.fluid.v);
        launcher.beside(
            near!(device),
            &device.moments,
            v,
            n,
            &mut device.place,
            &mut device.motion,
            wall_correction!(device),
            &mut device.common.lost,
        )?;
        let (place, motion, entries, sums) =
            (&device.place, &device.motion, &mut device.entries, &mut device.sums);
        launcher.assemble(near!(device), place, motion, n, entries, sums, &mut device.share)?;
        if self.constants.wall_correction == 0 {
            return Ok(());
        }
        launcher.make_up(near!(device), place, motion, wall_correction!(device), n, entries, sums)
    }

    /// The right-hand side, without its mean in a domain that has no free surface.
    fn right_hand_side(&mut self, dt: f64) -> Launched {
        let [rate, excess_rate] = self.method.rates(self.state, dt, self.source_part);
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (fluid, lost, vectors) = (&device.common.fluid, &mut device.common.lost, &mut device.vectors);
        let (sums, dirichlet, diagonal, n) = (&device.sums, &device.dirichlet, &vectors.diagonal, fluid.n);
        let b = &mut vectors.b;
        let (rho, surface_region) = (&fluid.rho, &device.surface_region);
        launcher.right_hand_side(
            sums,
            dirichlet,
            diagonal,
            rho,
            surface_region,
            rate,
            excess_rate,
            n,
            b,
            lost,
        )?;
        device.common.reduce.sum(self.executor, b, n, &mut device.number)?;
        launcher.remove_mean(&device.number, &device.dirichlet_sum, n, b)
    }

    fn project(&mut self, dt: Real) -> Launched {
        let needs = self.method.constants.needs;
        let factor = D as Real * dt / self.state.rest.rho_0;
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let n = device.common.fluid.n;
        match self.method.params.gradient {
            Gradient::Adjoint => {
                let (near, place, p, wall_correction) =
                    (near!(device), &device.place, &device.p, wall_correction!(device));
                let tangential_gradient = (needs.tangential_reaction && device.common.walls.n > 0)
                    .then_some(&mut device.tangential_gradient);
                launcher.adjoint(
                    near,
                    place,
                    &device.motion,
                    p,
                    wall_correction,
                    factor,
                    n,
                    gains!(device),
                    tangential_gradient,
                )
            }
            Gradient::Difference => {
                let (near, place, motion) = (near!(device), &device.place, &device.motion);
                let surface_region = &device.surface_region;
                launcher.difference(near, place, motion, &device.p, surface_region, factor, n, gains!(device))
            }
            Gradient::Peridyno => {
                let (near, place, motion, dirichlet) =
                    (near!(device), &device.place, &device.motion, &device.dirichlet);
                launcher.peridyno(
                    near,
                    place,
                    motion,
                    &device.p,
                    dirichlet,
                    factor,
                    peridyno_part::<D>(),
                    n,
                    gains!(device),
                )
            }
        }
    }

    /// Begins the forces of a step on bodies with those of the pressure.
    fn react_pressure(&mut self, dt: Real) -> Launched {
        let (params, needs, rest) = (&self.method.params, self.method.constants.needs, self.state.rest);
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        device.common.rigid.clear(self.executor)?;
        let factor = D as Real * rest.m / rest.rho_0;
        let (motion, part) = (&device.motion, factor * self.method.sum_part());
        react!(launcher.react_pressure(device, [motion, &device.p, &device.surface_region], part))?;
        if needs.tangential_reaction {
            react!(launcher.react_tangential(device, [&device.tangential_gradient], factor))?;
        }
        if params.gradient == Gradient::Peridyno {
            react!(launcher.react_peridyno(device, [&device.motion], rest.m / dt))?;
        }
        Ok(())
    }
}
