//! The phases on a card: launchers of `cuda-kernels`, in the words of the listing.

mod card;
mod constants;
#[doc(hidden)]
pub mod kept;
mod plan;
mod solver;

use crate::{
    Wcsph,
    params::{self, DeltaForm, Regularization},
    step::Phases,
};
use card::Card;
use cuda_kernels::{
    error::CudaError,
    executor::Executor,
    fields,
    kernels::{
        surface::SurfaceTerms,
        wcsph::{Launcher, Records, Walls},
    },
    neighbors::Source,
    physics::wcsph::Constants,
    run::Common,
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
/// those of now.
pub(crate) struct Gpu<'a, const D: usize> {
    pub wcsph: &'a mut Wcsph<D>,
    pub executor: &'a dyn Executor,
    pub card: &'a mut Card<D>,
    pub state: &'a mut State<D>,
    pub constants: Constants<D>,
    /// Full step size, `[s]`.
    pub dt: f64,
}

/// Records of the fluid that loops read.
macro_rules! fluid {
    ($card:expr) => {
        Records {
            cells: &$card.common.fluid.cells,
            place: &$card.place,
            motion: &$card.motion,
            rows: $card.kept.as_ref().map(|kept| &kept.rows),
        }
    };
}

/// The first records of the walls.
macro_rules! samples {
    ($card:expr) => {
        Records {
            cells: &$card.common.walls.cells,
            place: &$card.samples,
            motion: &$card.wall_motion,
            rows: None,
        }
    };
}

/// The records of the walls in the momentum loop.
macro_rules! walls {
    ($card:expr) => {
        Walls {
            records: Records {
                cells: &$card.common.walls.cells,
                place: &$card.wall_place,
                motion: &$card.wall_motion,
                rows: None,
            },
            mass: &$card.wall_mass,
        }
    };
}

/// The rigid sets of the samples.
macro_rules! sets {
    ($card:expr) => {
        Sets { flags: &$card.common.rigid.flags, body: &$card.common.walls.body }
    };
}

impl<const D: usize> Timed for Gpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.wcsph.stopwatch
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
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let (fluid, p) = (&card.common.fluid, &mut card.p);
        let done =
            launcher.pressure(&fluid.x, &fluid.v, &fluid.rho, fluid.n, p, &mut card.place, &mut card.motion);
        self.lap("compute_pressure", done)
    }

    fn extrapolate_to_walls(&mut self) -> Result<(), StepError> {
        let done = self.extrapolate();
        self.lap("extrapolate_to_walls", done)
    }

    fn compute_acceleration(&mut self) -> Result<(), StepError> {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let done = launcher.acceleration(fluid!(card), walls!(card), card.common.fluid.n, &mut card.a);
        self.wcsph.fields.started = 1.0;
        self.lap("compute_acceleration", done)?;
        if self.wcsph.constants.needs.surface {
            let done = self.surface_terms();
            self.lap("surface_terms", done)?;
        }
        if self.wcsph.params.regularization == Regularization::TransportVelocity {
            let done = self.transport_stress();
            self.lap("transport_stress", done)?;
        }
        Ok(())
    }

    fn compute_reaction(&mut self) -> Result<(), StepError> {
        if self.state.bodies.is_empty() {
            return Ok(());
        }
        let done = self.reaction();
        self.lap("compute_reaction", done)
    }

    fn compute_drift_correction(&mut self) -> Result<(), StepError> {
        if !self.wcsph.constants.needs.drift_correction {
            return Ok(());
        }
        let done = self.drift_correction();
        self.lap("compute_drift_correction", done)
    }

    fn kick(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let Common { fluid, v2, gain2: a2, .. } = &mut card.common;
        let done = launcher.kick(&card.a, fluid.n, dt as Real, damping, &mut fluid.v, v2, a2);
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
        StepReport { dt, ..self.wcsph.fields.report }
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

/// The same of the surface terms.
fn surface_terms<'a, const D: usize>(
    executor: &'a dyn Executor,
    constants: &'a Constants<D>,
    wcsph: &Wcsph<D>,
) -> SurfaceTerms<'a> {
    let smoothing = wcsph.params.kernel.type_name();
    let Constants { kernel, surface, m, rho_0, .. } = constants;
    SurfaceTerms { executor, kernel, smoothing, surface, m: *m, rho_0: *rho_0 }
}

/// Outcome of launches.
type Launched = Result<(), CudaError>;

impl<const D: usize> Gpu<'_, D> {
    /// Counts the time of a phase, and says in which one a launch failed.
    fn lap(&mut self, phase: &'static str, done: Launched) -> Result<(), StepError> {
        self.wcsph.stopwatch.lap(phase);
        done.map_err(|error| error.in_phase(self.state, phase))
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

    fn sort(&mut self) -> Launched {
        let (card, walls) = (&mut *self.card, &self.state.walls);
        // Symplectic Euler computes both anew before it uses them.
        let kept = self.wcsph.params.integrator == params::Integrator::VelocityVerlet;
        let has_w = self.wcsph.constants.needs.drift_correction;
        if let Some(kept) = &mut card.kept {
            kept.travel.settle();
        }
        match (card.is_in_order(), kept, has_w) {
            (true, ..) => (),
            (false, true, true) => card.common.fluid.sort(self.executor, &mut [&mut card.a, &mut card.w])?,
            (false, true, false) => card.common.fluid.sort(self.executor, &mut [&mut card.a])?,
            (false, false, _) => card.common.fluid.sort(self.executor, &mut [])?,
        }
        if !card.common.walls_sorted || walls.is_moving() {
            card.common.walls.sort(self.executor)?;
            card.common.walls_packed = false;
        }
        Ok(())
    }

    /// The records of the density loops.
    fn pack(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let fluid = &card.common.fluid;
        launcher.pack(&fluid.x, &fluid.v, &fluid.rho, fluid.n, &mut card.place, &mut card.motion)?;
        if card.common.walls_packed {
            return Ok(());
        }
        card.common.walls_sorted = true;
        launcher.pack_samples(
            &card.common.walls.x,
            &card.common.walls.volume,
            card.common.walls.n,
            &mut card.samples,
        )
    }

    /// The rows of the fluid, if the variant keeps them and those of before do not serve any more.
    fn list(&mut self) -> Launched {
        let card = &mut *self.card;
        match &mut card.kept {
            Some(kept) if kept.travel.is_over() => {
                let fluid = Source { cells: &card.common.fluid.cells, records: &card.place };
                kept.list(self.executor, &fluid, card.common.fluid.n)
            }
            _ => Ok(()),
        }
    }

    fn sum_density(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        launcher.summation(fluid!(card), samples!(card), card.common.fluid.n, &mut card.common.fluid.rho)
    }

    /// `ρ ← ρ + dt dρ/dt`.
    fn integrate_density(&mut self, dt: Real) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let n = card.common.fluid.n;
        let corrected = self.wcsph.params.delta_form == DeltaForm::Antuono;
        if corrected && self.constants.corrected_diffusion != 0 {
            launcher.gradient(fluid!(card), n, &mut card.extra)?;
        }
        let (wall_v, extra) = (&card.common.walls.v, &card.extra);
        launcher.continuity(fluid!(card), samples!(card), wall_v, extra, n, dt, &mut card.common.fluid.rho)
    }

    fn extrapolate(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let (dummy, n) = (self.wcsph.constants.wall.is_dummy(), card.common.walls.n);
        if dummy {
            let samples = &card.common.walls;
            launcher.extrapolate(fluid!(card), &samples.x, &samples.a, n, &mut card.extrapolated)?;
        }
        // Records of walls at rest that take nothing from the fluid stay as they are.
        if dummy || self.state.walls.is_moving() || !card.common.walls_packed {
            launcher.pack_walls(
                &card.samples,
                &card.common.walls.v,
                sets!(card),
                &card.extrapolated,
                n,
                &mut card.wall_place,
                &mut card.wall_motion,
                &mut card.wall_mass,
            )?;
            card.common.walls_packed = true;
        }
        Ok(())
    }

    fn surface_terms(&mut self) -> Launched {
        let (terms, card) = (surface_terms(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let fluid = Source { cells: &card.common.fluid.cells, records: &card.place };
        let samples = Source { cells: &card.common.walls.cells, records: &card.samples };
        terms.normals(&fluid, &card.common.fluid.rho, &mut card.extra)?;
        terms.forces(&fluid, &card.extra, &samples, &mut card.a)
    }

    fn transport_stress(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        fields::pack_positions(self.executor, &card.w, card.common.fluid.n, &mut card.extra)?;
        launcher.transport_stress(fluid!(card), &card.extra, card.common.fluid.n, &mut card.a)
    }

    /// Forces on samples, and their sums over each body.
    fn reaction(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let (executor, n) = (self.executor, card.common.walls.n);
        launcher.reaction(fluid!(card), walls!(card), sets!(card), n, &mut card.common.rigid.force)?;
        if self.wcsph.params.adhesion > 0.0 {
            let fluid = Source { cells: &card.common.fluid.cells, records: &card.place };
            let samples = Source { cells: &card.common.walls.cells, records: &card.samples };
            let terms = surface_terms(executor, &self.constants, self.wcsph);
            terms.reaction(&fluid, &samples, sets!(card), &mut card.common.rigid.force)?;
        }
        card.common.rigid.collect(executor, &card.common.walls, &mut self.state.bodies.list)
    }

    fn drift_correction(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let (params, rest, n) = (&self.wcsph.params, self.state.rest, card.common.fluid.n);
        card.w.iter_mut().try_for_each(|w| self.executor.clear(w))?;
        if params.xsph > 0.0 {
            launcher.xsph(fluid!(card), n, params.xsph, &mut card.w)?;
        }
        match params.regularization {
            Regularization::None => Ok(()),
            Regularization::Shifting => {
                card.common.reduce.max_norms2(self.executor, &card.common.fluid.v, n, &mut card.v2_max)?;
                let factor = params.shifting * 0.5 * self.wcsph.kernel.support_radius();
                launcher.shifting(fluid!(card), samples!(card), n, factor, &card.v2_max, &mut card.w)
            }
            Regularization::TransportVelocity => {
                let background = params.background_pressure * self.wcsph.constants.background;
                let factor = 0.5 * self.dt as Real / rest.m * background;
                launcher.transport(fluid!(card), samples!(card), n, factor, &mut card.w)
            }
        }
    }

    fn advance(&mut self, dt: Real) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants, self.wcsph), &mut *self.card);
        let Card { common: Common { fluid, lost, containers, .. }, kept, w, .. } = card;
        if let Some(kept) = kept {
            kept.travel.drift(f64::from(dt));
        }
        let w = self.wcsph.constants.needs.drift_correction.then_some(&*w);
        launcher.drift(&fluid.v, w, fluid.n, dt, &mut fluid.x, lost)?;
        if containers.is_empty() {
            return Ok(());
        }
        containers.contain(self.executor, fluid.n, &mut fluid.x, &mut fluid.v)
    }
}
