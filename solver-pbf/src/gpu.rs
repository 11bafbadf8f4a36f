//! The phases on a card: launchers of `cuda-kernels`, in the words of the listing.

mod card;
mod constants;
mod plan;
mod solver;

use crate::{Pbf, physics, step::Phases};
use card::Card;
use constants::bdf2;
use cuda_kernels::{
    error::CudaError,
    executor::Executor,
    kernels::pbf::{self as kernels, Bodies, Launcher, Near, Past, WallFields},
    neighbors::Pairs,
    physics::pbf::Constants,
    reduce::DensityErrors,
    walls::Sets,
};
pub use plan::memory_plan;
pub use solver::simulation;
use sph_core::{
    Real,
    kernel::Kernel as _,
    method::{failure::StepError, phases::Timed, report::StepReport, state::State, stopwatch::Stopwatch},
};

/// A step in progress: the method, what it holds on the card, and the state, of which time, bodies and motions are
/// those of now. Between prediction and [`Phases::update_positions`] the fluid on the card has `x*` and `v*`, while
/// `place` has the positions that are corrected.
pub(crate) struct Gpu<'a, const D: usize> {
    pub pbf: &'a mut Pbf<D>,
    pub executor: &'a dyn Executor,
    pub card: &'a mut Card<D>,
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
    ($card:expr) => {
        Near {
            fluid: &$card.rows[Pairs::Fluid as usize],
            walls: &$card.rows[Pairs::Walls as usize],
            samples: &$card.samples,
            mu: &$card.mu,
        }
    };
}

/// The rigid sets of the samples.
macro_rules! sets {
    ($card:expr) => {
        Sets { flags: &$card.common.rigid.flags, body: &$card.common.walls.body }
    };
}

/// Samples of dynamic bodies.
macro_rules! bodies {
    ($card:expr) => {
        Bodies { rows: &$card.rows[Pairs::OfWalls as usize], samples: &$card.samples, sets: sets!($card) }
    };
}

/// Records of the fluid with velocities.
macro_rules! moving {
    ($card:expr) => {
        kernels::Moving { at: &$card.at, motion: &$card.motion }
    };
}

/// What the second-order update remembers.
macro_rules! past {
    ($card:expr) => {
        Past { way: &mut $card.way, gain: &mut $card.gain }
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
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let done =
            launcher.density(near!(card), &card.place, card.common.fluid.n, &mut card.common.fluid.rho);
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
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let motion = self.pbf.constants.needs.velocities.then_some(&card.motion);
        let fluid = &mut card.common.fluid;
        let (v2, lost) = (&mut card.common.v2, &mut card.common.lost);
        let done = launcher.commit(&card.place, motion, fluid.n, &mut fluid.x, &mut fluid.v, v2, lost);
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
            // Bodies collide with walls as these are at home.
            walls.move_to(t);
        }
        self.card.common.rigid.place(self.executor, self.state, t, &mut self.card.common.walls)
    }

    fn predict(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let fluid = &mut card.common.fluid;
        let (containers, dt) = (&card.common.containers, self.dt as Real);
        launcher.predict(containers, fluid.n, dt, &mut fluid.x, &mut fluid.v, &mut card.common.lost)
    }

    /// Prediction of the second-order update. A step much longer than the last begins anew.
    fn predict_from_past(&mut self) -> Launched {
        let last_dt = &mut self.pbf.fields.last_dt;
        let kappa = self.dt / *last_dt;
        let is_new = *last_dt == 0.0 || kappa > physics::Bdf2::MAX_GROWTH;
        let rates = physics::Bdf2::new(if is_new { 1.0 } else { kappa });
        *last_dt = self.dt;
        self.per_way /= rates.rate;
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let fluid = &mut card.common.fluid;
        launcher.predict_from_past(
            &card.common.containers,
            bdf2(rates),
            is_new,
            fluid.n,
            self.dt as Real,
            &mut fluid.x,
            &mut fluid.v,
            past!(card),
            &mut card.common.lost,
        )
    }

    fn sort(&mut self) -> Launched {
        let (executor, card) = (self.executor, &mut *self.card);
        match self.pbf.constants.needs.past {
            true => card.common.fluid.sort(executor, &mut [&mut card.way, &mut card.gain])?,
            false => card.common.fluid.sort(executor, &mut [])?,
        }
        if card.common.walls_sorted && !self.state.walls.is_moving() {
            return Ok(());
        }
        card.common.walls.sort(executor)?;
        (card.common.walls_sorted, card.common.walls_packed) = (true, false);
        Ok(())
    }

    /// The records that the iteration starts from.
    fn pack(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let (fluid, walls) = (&card.common.fluid, &card.common.walls);
        card.common.rigid.clear(self.executor)?;
        launcher.pack(&fluid.x, &fluid.id, fluid.n, &mut card.place, &mut card.mu)?;
        if card.common.walls_packed {
            return Ok(());
        }
        card.common.walls_packed = true;
        let fields = WallFields { x: &walls.x, volume: &walls.volume, v: &walls.v, sets: sets!(card) };
        launcher.pack_walls(fields, walls.n, &mut card.samples, &mut card.wall_motion)
    }

    /// Neighbors at the predicted positions.
    fn list(&mut self) -> Launched {
        let (executor, card, radius) = (self.executor, &mut *self.card, self.pbf.kernel.support_radius());
        card.list(executor, Pairs::needed(card.common.walls.n, self.pbf.constants.needs.reactions), radius)
    }

    fn find_surface(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        launcher.surface_normals(near!(card), &card.place, card.common.fluid.n, &mut card.normal)
    }

    fn lambda(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let (n, rho) = (card.common.fluid.n, &mut card.common.fluid.rho);
        launcher.lambda(near!(card), &card.place, n, &mut card.push, rho, &mut card.lambda)?;
        // The host waits for the card only where it must decide.
        if self.corrections < self.pbf.params.min_iterations {
            return Ok(());
        }
        let (executor, rho_0, mut errors) = (self.executor, self.constants.rho_0, [DensityErrors::default()]);
        card.common.reduce.density_errors(executor, rho, Some(&card.lambda), rho_0, n, &mut card.errors)?;
        executor.read(&card.errors, &mut errors)?;
        self.error = errors[0].mean;
        Ok(())
    }

    fn correct(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let n = card.common.fluid.n;
        launcher.delta_x(near!(card), &card.push, n, &mut card.delta)?;
        if !self.pbf.constants.needs.surface_constraint {
            return Ok(());
        }
        let rows = &card.rows[Pairs::Fluid as usize];
        launcher.pull_surface(rows, &card.place, &card.normal, n, &mut card.delta)
    }

    fn apply(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let n = card.common.fluid.n;
        if self.pbf.constants.needs.reactions {
            let (rest, solid) = (self.state.rest, self.pbf.params.solid_pressure);
            let factor = rest.m * solid / rest.rho_0 * self.per_way / self.dt as Real;
            launcher.relax_lambda(&card.delta, n, &mut card.push)?;
            launcher.push_back(
                bodies!(card),
                &card.push,
                card.common.walls.n,
                factor,
                &mut card.common.rigid.force,
            )?;
        }
        launcher.apply(&card.common.containers, &card.delta, n, &mut card.place, &mut card.common.lost)
    }

    fn velocities(&mut self) -> Launched {
        let (damping, per_way) = (self.damping(), self.per_way);
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let fluid = &mut card.common.fluid;
        let past = self.pbf.constants.needs.past.then_some(past!(card));
        launcher.velocities(
            &card.place,
            &fluid.x,
            &fluid.rho,
            fluid.n,
            per_way,
            damping,
            &mut fluid.v,
            past,
            &mut card.common.gain2,
            &mut card.common.lost,
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
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let [on_fluid, on_walls, _] = &card.rows;
        let walls = kernels::Moving { at: &card.samples, motion: &card.wall_motion };
        launcher.xsph(
            [on_fluid, on_walls],
            moving!(card),
            walls,
            card.common.fluid.n,
            &mut card.common.fluid.v,
        )?;
        if !self.pbf.constants.needs.reactions || params.wall_viscosity == 0.0 {
            return Ok(());
        }
        let (inv_dt, n_walls, motion) = ((1.0 / self.dt) as Real, card.common.walls.n, &card.wall_motion);
        launcher.rub_back(bodies!(card), motion, moving!(card), n_walls, inv_dt, &mut card.common.rigid.force)
    }

    fn pack_velocities(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let (fluid, at, motion) = (&card.common.fluid, &mut card.at, &mut card.motion);
        launcher.pack_velocities(
            &card.place,
            &card.mu,
            &fluid.v,
            &fluid.rho,
            fluid.n,
            at,
            motion,
            &mut card.common.lost,
        )
    }

    fn confine_vorticity(&mut self, dt: Real) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let (n, rows) = (card.common.fluid.n, &card.rows[Pairs::Fluid as usize]);
        launcher.vorticity(rows, moving!(card), n, &mut card.vortices)?;
        card.common.reduce.sum(self.executor, &card.vortices.squares, n, &mut card.vorticity2)?;
        let strength = dt * self.pbf.params.vorticity_confinement;
        launcher.confine(rows, &card.vortices, &card.vorticity2, strength, n, &mut card.common.fluid.v)
    }

    /// Cohesion, curvature and adhesion, on velocities.
    fn surface_forces(&mut self, dt: Real) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.pbf), &mut *self.card);
        let (n, rows) = (card.common.fluid.n, &card.rows[Pairs::Fluid as usize]);
        launcher.pack_densities(&card.place, &card.common.fluid.rho, n, &mut card.at)?;
        launcher.color_normals(rows, &card.at, n, &mut card.normal)?;
        launcher.tension(near!(card), &card.at, &card.normal, n, &mut card.a)?;
        if self.pbf.constants.needs.reactions && self.pbf.params.adhesion > 0.0 {
            launcher.pull_back(bodies!(card), &card.at, card.common.walls.n, &mut card.common.rigid.force)?;
        }
        launcher.accelerate(&card.a, n, dt, &mut card.common.fluid.v, &mut card.common.lost)
    }

    /// What the fluid did to each body.
    fn collect(&mut self) -> Launched {
        self.card.common.rigid.collect(self.executor, &self.card.common.walls, &mut self.state.bodies.list)
    }
}
