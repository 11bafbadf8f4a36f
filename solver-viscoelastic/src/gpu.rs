//! The phases on a card: launchers of `cuda-kernels`, in the words of the listing.

mod card;
mod constants;
mod contact;
mod plan;
mod solver;

use crate::{Viscoelastic, params::RelaxMode, step::Phases};
use card::Card;
use cuda_kernels::{
    colors::{Color, colors},
    error::CudaError,
    executor::Executor,
    fields,
    kernels::{
        viscoelastic::{Found, Launcher, Near, Pushes},
        viscoelastic_motion::Judged,
    },
    neighbors::Pairs,
    physics::viscoelastic::Constants,
    walls::Sets,
};
pub use plan::memory_plan;
pub use solver::simulation;
use sph_core::{
    Real,
    method::{failure::StepError, phases::Timed, report::StepReport, state::State, stopwatch::Stopwatch},
};

/// A step in progress: the method, what it holds on the card, and the state, of which time, bodies and motions are
/// those of now. Between prediction and [`Phases::update_velocities`] the fluid on the card has `x*` and `v*`, while
/// `place` has the positions that are relaxed.
pub(crate) struct Gpu<'a, const D: usize> {
    pub method: &'a mut Viscoelastic<D>,
    pub executor: &'a dyn Executor,
    pub card: &'a mut Card<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// The step, `[s]`.
    pub dt: f64,
    /// Time at its end, `[s]`.
    pub end: f64,
}

/// Neighbors of the fluid.
macro_rules! near {
    ($card:expr) => {
        Near {
            fluid: &$card.rows[Pairs::Fluid as usize],
            walls: &$card.rows[Pairs::Walls as usize],
            samples: &$card.samples,
        }
    };
}

/// Who pushed how hard.
macro_rules! pushes {
    ($card:expr) => {
        Pushes { push: &mut $card.push, p_near: &mut $card.p_near }
    };
}

impl<const D: usize> Timed for Gpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.stopwatch
    }
}

impl<const D: usize> Phases for Gpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        let moved = self.walls_to(self.end);
        self.lap("move_walls", moved)
    }

    fn apply_gravity(&mut self, dt: f64) -> Result<(), StepError> {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let fluid = &mut card.common.fluid;
        let done = launcher.kick(&fluid.x, fluid.n, dt as Real, &mut fluid.v, &mut card.common.lost);
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
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let fluid = &mut card.common.fluid;
        let done = launcher.predict(&fluid.v, fluid.n, dt as Real, &mut fluid.x, &mut card.common.lost);
        self.lap("predict_positions", done)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let packed = self.sort_walls();
        self.lap("pack", packed)?;
        let pairs = Pairs::needed(self.card.common.walls.n, self.method.constants.needs.reactions);
        let listed = self.find(pairs);
        self.lap("find_neighbors", listed)
    }

    fn adjust_springs(&mut self, _dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.springs {
            return Ok(());
        }
        let done = self.card.adjust(&launcher(self.executor, &self.constants));
        self.method.fields.springs.made = 1.0;
        self.lap("adjust_springs", done)
    }

    fn apply_spring_displacements(&mut self, _dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.springs {
            return Ok(());
        }
        let done = self.pull();
        self.lap("apply_spring_displacements", done)
    }

    fn double_density_relaxation(&mut self, _dt: f64) -> Result<(), StepError> {
        let done = match self.method.params.relax_mode {
            RelaxMode::Jacobi => self.relax_all(),
            _ => self.relax_one_by_one(),
        };
        self.lap("double_density_relaxation", done)
    }

    fn resolve_collisions(&mut self, _dt: f64) -> Result<(), StepError> {
        let done = self.collide();
        self.lap("resolve_collisions", done)
    }

    fn update_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let (inv_dt, damping) = ((1.0 / dt) as Real, self.damping());
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let fluid = &mut card.common.fluid;
        let judged =
            Judged { v2: &mut card.common.v2, gain2: &mut card.common.gain2, lost: &mut card.common.lost };
        let done = launcher.commit(&card.place, fluid.n, inv_dt, damping, &mut fluid.x, &mut fluid.v, judged);
        self.lap("update_velocities", done)
    }

    fn move_bodies(&mut self) -> Result<(), StepError> {
        if !self.state.bodies.is_empty() {
            let damping = f64::from(self.damping());
            let State { bodies, walls, forces, rest, .. } = &mut *self.state;
            bodies.kick(forces, self.dt, damping);
            bodies.drift(walls, self.end, f64::from(rest.spacing), self.dt);
            self.method.stopwatch.lap("move_bodies");
        }
        Ok(())
    }

    fn report(&mut self, dt: f64) -> StepReport {
        StepReport { dt, ..self.method.fields.report }
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
        self.method.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
    }

    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    /// Brings prescribed walls to where they are at time `t`, and samples of bodies to where these are.
    fn walls_to(&mut self, t: f64) -> Launched {
        if !self.state.walls.is_moving() {
            return Ok(());
        }
        // Contacts and bodies ask where walls are at home.
        self.state.walls.move_to(t);
        self.card.common.rigid.place(self.executor, self.state, t, &mut self.card.common.walls)
    }

    /// Samples in the order of their cells, and their records.
    fn sort_walls(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        if !card.common.walls_sorted || self.state.walls.is_moving() {
            card.common.walls.sort(self.executor)?;
            (card.common.walls_sorted, card.common.walls_packed) = (true, false);
        }
        if card.common.walls_packed {
            return Ok(());
        }
        card.common.walls_packed = true;
        let walls = &card.common.walls;
        launcher.pack_walls(&walls.x, &walls.volume, walls.n, &mut card.samples)
    }

    /// Sorts particles by cell, and their springs with them, and lists their neighbors where they are now.
    fn find(&mut self, pairs: &[Pairs]) -> Launched {
        let (executor, card, h) = (self.executor, &mut *self.card, self.method.constants.h);
        card.common.fluid.sort(executor, &mut [])?;
        if self.method.constants.needs.springs {
            card.follow(&launcher(executor, &self.constants))?;
        }
        fields::pack_positions(executor, &card.common.fluid.x, card.common.fluid.n, &mut card.place)?;
        card.list(executor, pairs, h)
    }

    /// The cells in the order of the relaxation.
    fn colors(&self) -> Result<Vec<Color<D>>, CudaError> {
        let (fluid, one_by_one) =
            (&self.card.common.fluid, self.method.params.relax_mode == RelaxMode::Sequential);
        let reverse = self.method.reverse(self.state.step);
        colors(self.executor, &fluid.cells, fluid.n, one_by_one, reverse)
    }

    fn viscous_impulses(&mut self) -> Launched {
        let colors = self.colors()?;
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, rows, v) = (card.common.fluid.n, &card.rows[Pairs::Fluid as usize], &mut card.common.fluid.v);
        launcher.pack_motion(v, n, &mut card.motion)?;
        if self.method.params.relax_mode == RelaxMode::Jacobi {
            return launcher.impulses(rows, &card.place, &card.motion, n, v);
        }
        for color in &colors {
            launcher.sweep_impulses(color, rows, &card.place, n, &mut card.motion)?;
        }
        launcher.unpack_motion(&card.motion, n, v)
    }

    fn pull(&mut self) -> Launched {
        let (mode, colors) = (self.method.params.relax_mode, self.colors()?);
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, springs) = (card.common.fluid.n, &card.springs);
        match mode {
            RelaxMode::Sequential => {
                let sweep = |all| launcher.sweep_springs(all, springs, n, &mut card.place);
                return colors.iter().try_for_each(sweep);
            }
            RelaxMode::Colored => {
                let sweep = |color| launcher.sweep_short(color, springs, n, &mut card.place);
                colors.iter().try_for_each(sweep)?;
            }
            RelaxMode::Jacobi => {}
        }
        // Springs that reach beyond the cells around are gathered.
        launcher.pull(springs, &card.place, n, mode != RelaxMode::Jacobi, &mut card.delta)?;
        launcher.displace(&card.delta, n, &mut card.place)
    }

    /// All particles from the same positions.
    fn relax_all(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let n = card.common.fluid.n;
        launcher.densities(near!(card), &card.place, n, pushes!(card), &mut card.common.fluid.rho)?;
        launcher.displacements(near!(card), &pushes!(card), n, &mut card.delta, &mut card.way2)?;
        launcher.displace(&card.delta, n, &mut card.place)
    }

    /// One particle after the other, each moving its neighbors at once.
    fn relax_one_by_one(&mut self) -> Launched {
        let colors = self.colors()?;
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let n = card.common.fluid.n;
        for color in &colors {
            let pushes = if self.method.constants.needs.push { Some(pushes!(card)) } else { None };
            let found = Found { rho: &mut card.common.fluid.rho, way2: &mut card.way2 };
            launcher.sweep(color, near!(card), &mut card.place, n, pushes, found)?;
        }
        Ok(())
    }

    /// What the relaxation did to the fluid becomes the wrenches of the bodies; then bodies, walls and containers answer
    /// the particles that touch them.
    fn collide(&mut self) -> Launched {
        if !self.state.bodies.is_empty() {
            let factor = self.state.rest.m * self.method.jacobi_factor() / self.constants.dt2;
            let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
            let sets = Sets { flags: &card.common.rigid.flags, body: &card.common.walls.body };
            let (rows, n_walls) = (&card.rows[Pairs::OfWalls as usize], card.common.walls.n);
            let force = &mut card.common.rigid.force;
            launcher.push_back(rows, &pushes!(card), &card.samples, sets, n_walls, factor, force)?;
            card.common.rigid.collect(self.executor, &card.common.walls, &mut self.state.bodies.list)?;
            self.meet_bodies()?;
        }
        self.contacts()
    }
}
