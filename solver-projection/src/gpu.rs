//! The phases on a card: launchers of `cuda-kernels`, in the words of the listing.

mod card;
mod constants;
mod equation;
mod plan;
mod solve;
mod solver;

use crate::{
    Projection,
    cg::Outcome,
    params::{Gradient, LinearSolver, Reference},
    step::Phases,
};
use card::{Card, facings};
use cuda_kernels::{
    error::CudaError,
    executor::Executor,
    fields,
    kernels::{
        projection::{Equation, Launcher, Near, WallFields},
        projection_motion::Shift,
        projection_reaction::Bodies,
        projection_velocity::Gains,
    },
    neighbors::Pairs,
    physics::projection::Constants,
    walls::Sets,
};
pub use plan::memory_plan;
pub use solver::simulation;
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

/// A step in progress: the method, what it holds on the card, and the state, of which time, bodies and motions are
/// those of now.
pub(crate) struct Gpu<'a, const D: usize> {
    pub method: &'a mut Projection<D>,
    pub executor: &'a dyn Executor,
    pub card: &'a mut Card<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// Time at the end of the step, `[s]`.
    pub end: f64,
    /// Part of the density error that the source takes out, of what it usually would.
    pub softness: f64,
}

/// Neighbors of the fluid.
macro_rules! near {
    ($card:expr) => {
        Near {
            fluid: &$card.rows[Pairs::Fluid as usize],
            walls: &$card.rows[Pairs::Walls as usize],
            ghosts: &$card.ghosts,
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
        Bodies {
            rows: &$card.rows[Pairs::OfWalls as usize],
            walls: &$card.ghosts,
            sets: sets!($card),
            place: &$card.place,
            n: $card.common.walls.n,
        }
    };
}

/// Velocities that change.
macro_rules! gains {
    ($card:expr) => {
        Gains { v: &mut $card.common.fluid.v, gain2: &mut $card.common.gain2, lost: &mut $card.common.lost }
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

    fn apply_forces(&mut self, dt: f64) -> Result<(), StepError> {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let fluid = &mut card.common.fluid;
        let done = launcher.kick(&fluid.x, fluid.n, dt as Real, &mut fluid.v, &mut card.common.lost);
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
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, rho) = (card.common.fluid.n, &mut card.common.fluid.rho);
        let done = launcher.crowd(near!(card), &card.place, n, &mut card.crowd, rho, &mut card.common.lost);
        self.lap("compute_alpha", done)
    }

    fn compute_divergence(&mut self) -> Result<(), StepError> {
        let done = self.find_full(0).and_then(|()| self.assemble());
        self.lap("compute_divergence", done)
    }

    fn classify_surface(&mut self, dt: f64) -> Result<(), StepError> {
        let done = self.find_full(1).and_then(|()| self.right_side(dt));
        self.lap("classify_surface", done)
    }

    fn solve_pressure(&mut self) -> Result<(), StepError> {
        let solved = match self.method.params.linear_solver {
            LinearSolver::Cg => self.conjugate_gradients(),
            LinearSolver::Jacobi => self.jacobi(),
        };
        let acting = solved.and_then(|solved| self.act().map(|()| solved));
        let outcome = acting.map(|solved| {
            self.method.count(&solved);
            solved.outcome
        });
        self.method.stopwatch.lap("solve_pressure");
        self.check_outcome("solve_pressure", outcome)
    }

    fn soften_source(&mut self, dt: f64) -> Result<bool, StepError> {
        let Some(softness) = self.method.softness(self.state, dt) else { return Ok(false) };
        self.softness = softness;
        let (launching, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let smaller = launching.shrink(softness as Real, card.common.fluid.n, &mut card.p);
        self.lap("classify_surface", smaller)?;
        self.classify_surface(dt)?;
        Ok(true)
    }

    fn correct_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let mut done = self.project(dt as Real);
        if self.method.constants.needs.reactions {
            done = done.and_then(|()| self.push_back(dt as Real));
        }
        self.lap("correct_velocities", done)
    }

    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        let needs = self.method.constants.needs;
        if needs.viscosity {
            let outcome = self.diffuse(dt as Real);
            self.method.stopwatch.lap("implicit_viscosity");
            self.check_outcome("apply_viscosity", outcome)?;
        }
        if needs.xsph {
            let done = self.mix_velocities(dt as Real);
            self.lap("xsph", done)?;
        }
        Ok(())
    }

    fn update_positions(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let done = self.drift(dt as Real, damping);
        self.lap("update_positions", done)
    }

    fn move_bodies(&mut self, dt: f64) -> Result<(), StepError> {
        if self.state.bodies.is_empty() {
            return Ok(());
        }
        let card = &mut *self.card;
        let collected =
            card.common.rigid.collect(self.executor, &card.common.walls, &mut self.state.bodies.list);
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

    /// Fails if a launch did, or an iteration met what no step can mend.
    fn check_outcome(
        &self,
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
        let card = &mut *self.card;
        self.executor.write(&facings(&self.state.walls), &mut card.facings)?;
        card.common.rigid.place(self.executor, self.state, t, &mut card.common.walls)
    }

    fn sort(&mut self) -> Launched {
        let (executor, card) = (self.executor, &mut *self.card);
        card.sort(executor)?;
        if card.common.walls_sorted && !self.state.walls.is_moving() {
            return Ok(());
        }
        card.common.walls.sort(executor)?;
        (card.common.walls_sorted, card.common.walls_packed) = (true, false);
        Ok(())
    }

    fn pack(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        fields::pack_positions(self.executor, &card.common.fluid.x, card.common.fluid.n, &mut card.place)?;
        if card.common.walls_packed {
            return Ok(());
        }
        card.common.walls_packed = true;
        let walls = WallFields {
            x: &card.common.walls.x,
            x_0: &card.common.walls.x_0,
            v: &card.common.walls.v,
            sets: sets!(card),
            surface: &card.surface,
            facings: &card.facings,
        };
        launcher.pack_walls(walls, card.common.walls.n, &mut card.ghosts)
    }

    fn list(&mut self) -> Launched {
        let pairs = Pairs::needed(self.card.common.walls.n, self.method.constants.needs.reactions);
        self.card.list(self.executor, pairs, self.method.kernel.support_radius())
    }

    /// In the first step, if the largest sums of it are those of a full neighborhood: that of weights (0), or the
    /// diagonal (1).
    fn find_full(&mut self, which: usize) -> Launched {
        let full = &mut self.method.fields.full[which];
        if self.method.params.reference != Reference::FirstStep || *full != 0.0 {
            return Ok(());
        }
        let (records, k) = if which == 0 { (&self.card.crowd, 3) } else { (&self.card.sums, 0) };
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
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, v) = (card.common.fluid.n, &card.common.fluid.v);
        launcher.beside(
            near!(card),
            &card.crowd,
            v,
            n,
            &mut card.place,
            &mut card.motion,
            &mut card.along,
            &mut card.common.lost,
        )?;
        launcher.assemble(
            near!(card),
            &card.place,
            &card.motion,
            &mut card.along,
            n,
            &mut card.entries,
            &mut card.sums,
            &mut card.share,
        )
    }

    /// Surface, diagonal and right side; the mean is taken out of that of a closed and full vessel.
    fn right_side(&mut self, dt: f64) -> Launched {
        let rates = self.method.rates(self.state, dt, self.softness);
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, executor, vectors) = (card.common.fluid.n, self.executor, &mut card.vectors);
        let out = Equation { air: &mut card.air, diagonal: &mut vectors.diagonal, b: &mut vectors.b };
        launcher.classify(
            &card.sums,
            &card.crowd,
            &card.common.fluid.rho,
            rates,
            n,
            out,
            &mut card.common.lost,
        )?;
        card.common.reduce.sum(executor, &card.air, n, &mut card.all_air)?;
        card.common.reduce.sum(executor, &card.vectors.b, n, &mut card.number)?;
        launcher.center(&card.number, &card.all_air, n, &mut card.vectors.b)
    }

    fn project(&mut self, dt: Real) -> Launched {
        let (params, needs) = (&self.method.params, self.method.constants.needs);
        let factor = D as Real * dt / self.state.rest.rho_0;
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, part) = (card.common.fluid.n, self.method.difference_part());
        if params.grad_correction {
            let rows = &card.rows[Pairs::Fluid as usize];
            launcher.corrected(rows, &card.place, &card.p, factor, n, gains!(card))?;
        }
        match params.gradient {
            Gradient::Adjoint => {
                let (near, place, p, along) = (near!(card), &card.place, &card.p, &mut card.along);
                let pull =
                    (needs.along && needs.reactions && card.common.walls.n > 0).then_some(&mut card.pull);
                launcher.adjoint(near, place, p, along, factor, part, n, gains!(card), pull)
            }
            Gradient::Peridyno => {
                let (near, place, motion, air) = (near!(card), &card.place, &card.motion, &card.air);
                launcher.peridyno(near, place, motion, &card.p, air, factor, part, n, gains!(card))
            }
        }
    }

    /// Begins the forces of a step on bodies with those of the pressure.
    fn push_back(&mut self, dt: Real) -> Launched {
        let (params, needs, rest) = (&self.method.params, self.method.constants.needs, self.state.rest);
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        card.common.rigid.clear(self.executor)?;
        let factor = D as Real * rest.m / rest.rho_0;
        launcher.press_back(
            &bodies!(card),
            &card.p,
            factor * params.grad_sum,
            &mut card.common.rigid.force,
        )?;
        if needs.along {
            let factor = factor * (self.method.difference_part() + params.grad_sum);
            launcher.pull_back(&bodies!(card), &card.pull, factor, &mut card.common.rigid.force)?;
        }
        if params.gradient == Gradient::Peridyno {
            launcher.take_back(&bodies!(card), &card.motion, rest.m / dt, &mut card.common.rigid.force)?;
        }
        Ok(())
    }

    /// Implicit viscosity. Returns how its iterations ended, if one did not converge.
    fn diffuse(&mut self, dt: Real) -> Result<Outcome, CudaError> {
        let (mu, rest, n) = (self.method.params.dynamic_viscosity, self.state.rest, self.card.common.fluid.n);
        let scale = D as Real * dt * mu / rest.rho_0;
        let card = &mut *self.card;
        let drag = &mut card.drag;
        launcher(self.executor, &self.constants).drag(near!(card), &card.place, n, drag)?;
        let outcome = self.solve_viscous(scale)?;
        if !self.method.constants.needs.reactions {
            return Ok(outcome);
        }
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (v, rho, motion) = (&card.common.fluid.v, &card.common.fluid.rho, &mut card.motion);
        launcher.pack_velocities(v, rho, n, motion, &mut card.common.lost)?;
        let factor = rest.m / dt * scale;
        launcher.drag_back(&bodies!(card), &card.motion, factor, &mut card.common.rigid.force)?;
        Ok(outcome)
    }

    /// XSPH.
    fn mix_velocities(&mut self, dt: Real) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, v, rho) = (card.common.fluid.n, &card.common.fluid.v, &card.common.fluid.rho);
        launcher.pack_velocities(v, rho, n, &mut card.motion, &mut card.common.lost)?;
        let (v, lost) = (&mut card.common.fluid.v, &mut card.common.lost);
        launcher.xsph(near!(card), &card.place, &card.motion, n, v, lost)?;
        if !self.method.constants.needs.reactions {
            return Ok(());
        }
        let factor = self.state.rest.m / dt * self.constants.xsph;
        launcher.rub_back(&bodies!(card), &card.motion, factor, &mut card.common.rigid.force)
    }

    fn drift(&mut self, dt: Real, damping: Real) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, fluid) = (card.common.fluid.n, &mut card.common.fluid);
        if self.constants.shift > 0.0 {
            card.common.reduce.max_norms2(self.executor, &fluid.v, n, &mut card.number)?;
        }
        let shift = Shift { crowd: &card.crowd, air: &card.air, v2: &card.number };
        let (x, v, v2) = (&mut fluid.x, &mut fluid.v, &mut card.common.v2);
        launcher.drift(&card.common.containers, shift, n, dt, damping, x, v, v2, &mut card.common.lost)
    }
}
