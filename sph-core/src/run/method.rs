//! What a method says of itself, and the run of it on the CPU: all that the methods do alike.

use crate::{
    Real,
    error::Error,
    method::{
        failure::{Cause, StepError},
        report::{Derived, FieldInfo, Number, StepReport},
        solver::{Link, Memory, PhaseHook, Solver},
        state::State,
        stopwatch::{Clock, Stopwatch},
    },
    neighbors::{Neighbors, Settings},
    numerics::lane::Isa,
    run::{ranks::exchange::Ranks, simulation::Simulation},
    scene::{Counts, OnFailure, Parameters, Scene},
    watch::plan::{Demand, MemoryPlan, SNAPSHOTS},
};

/// What a run keeps of any method beside its own fields.
pub struct Shell<const D: usize> {
    /// Instruction set of the loops.
    pub isa: Isa,
    /// Rows of neighbors.
    pub neighbors: Neighbors<D>,
    /// Time of each phase.
    pub stopwatch: Stopwatch,
    /// Called after each phase of a step.
    pub phase_hook: Option<PhaseHook<D>>,
    /// The box of cells of a run on a GPU.
    pub cells: CellBox<D>,
    /// Largest speed of the last step, `[m/s]`; negative before the first one and after a change of the fluid.
    pub max_speed: f64,
    /// True while the records of the walls hold what a step would write again.
    pub walls_packed: bool,
    /// What the phases of this step have found so far.
    pub report: StepReport,
    /// The other ranks of the run; `None` where this process is all of it.
    pub ranks: Option<Box<Ranks<D>>>,
}

/// The ends of the cells of a run on a GPU, which the order of its sums depends on. A run on the CPU keeps them, too:
/// checkpoints of both are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct CellBox<const D: usize> {
    /// Lower ends, `[m]`; above the upper ones before there is a box.
    pub low: [f64; D],
    /// Upper ends, `[m]`.
    pub high: [f64; D],
    /// Points that could not be covered, and are still outside.
    pub outside: f64,
}

impl<const D: usize> Default for CellBox<D> {
    fn default() -> Self {
        Self { low: [0.0; D], high: [-1.0; D], outside: 0.0 }
    }
}

impl<const D: usize> Shell<D> {
    /// That of a run which begins.
    pub fn new(settings: Settings<D>, clock: Box<dyn Clock>) -> Self {
        Self {
            isa: settings.isa,
            neighbors: Neighbors::new(settings),
            stopwatch: Stopwatch::new(clock),
            phase_hook: None,
            cells: CellBox::default(),
            max_speed: -1.0,
            walls_packed: false,
            report: StepReport::default(),
            ranks: None,
        }
    }

    /// The largest speed of fluid and bodies, `[m/s]`.
    pub fn top_speed(&mut self, state: &State<D>) -> f64 {
        if self.max_speed < 0.0 {
            self.max_speed = f64::from(state.max_speed());
        }
        self.max_speed.max(state.bodies.top_speed())
    }

    /// Shows `visit` what a restart must keep; rows of neighbors are for runs on the CPU alone.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        const LOW: [&str; 3] = ["cells_low_x", "cells_low_y", "cells_low_z"];
        const HIGH: [&str; 3] = ["cells_high_x", "cells_high_y", "cells_high_z"];
        visit("max_speed", Memory::Number(&mut self.max_speed));
        for (names, ends) in [(LOW, &mut self.cells.low), (HIGH, &mut self.cells.high)] {
            names.into_iter().zip(ends).for_each(|(name, end)| visit(name, Memory::Number(end)));
        }
        visit("cells_left", Memory::Number(&mut self.cells.outside));
    }
}

/// A method in so many dimensions: what differs from other methods.
pub trait Method<const D: usize>: Send + Sized + 'static {
    /// Its parameters.
    type Params: Parameters;
    /// The fields that [`Method::field`] knows.
    const FIELDS: &'static [FieldInfo];
    /// Ranks own blocks of so many cells an axis.
    const CELLS_A_BLOCK: i32 = 1;

    /// The first state of a scene, and the method for it.
    ///
    /// # Errors
    /// When the scene or the solver's parameters are refused.
    fn of_scene(scene: &Scene, isa: Isa, clock: Box<dyn Clock>) -> Result<(State<D>, Self), Error>;

    /// What all methods have.
    fn shell(&self) -> &Shell<D>;

    /// The same, to be changed.
    fn shell_mut(&mut self) -> &mut Shell<D>;

    /// The parameters.
    fn params(&self) -> &Self::Params;

    /// Refuses parameters that contradict the run.
    ///
    /// # Errors
    /// Names the parameter.
    fn check_change(&self, _params: &Self::Params) -> Result<(), Error> {
        Ok(())
    }

    /// Why a run with these parameters cannot be shared out among ranks: the key that stands against it, and the reason.
    fn refuses_ranks(_params: &Self::Params) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Takes new parameters. What it derives depends on them alone, not on the state, so that a restart derives the same.
    fn change(&mut self, params: Self::Params);

    /// Kernel support radius h, `[m]`.
    fn support_radius(&self) -> Real;

    /// As [`Solver::max_dt`].
    ///
    /// # Errors
    /// As there.
    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError>;

    /// As [`Solver::step`].
    ///
    /// # Errors
    /// As there.
    fn advance(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError>;

    /// Shows `visit` its own fields that a restart must keep.
    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>));

    /// The numbers among these, without making what is costly to show.
    fn numbers(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.memory(&mut |_, memory| {
            if let Memory::Number(number) = memory {
                visit(number);
            }
        });
    }

    /// Forgets what depends on the number or order of the particles.
    fn fluid_changed(&mut self) {}

    /// Makes anew what follows from a state that was put back.
    fn restored(&mut self, _state: &State<D>) {}

    /// As [`Solver::chain`].
    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>>;

    /// As [`Solver::sound_speed`].
    fn sound_speed(&self) -> Option<f64> {
        None
    }

    /// As [`Solver::substeps`].
    fn substeps(&self) -> u32 {
        1
    }

    /// As [`Solver::field`].
    fn field(&self, _name: &str) -> Option<&[Real]> {
        None
    }

    /// The same, to be filled by another rank, of those that [`Method::memory`] does not show.
    fn field_mut(&mut self, _name: &str) -> Option<&mut Vec<Real>> {
        None
    }

    /// As [`Solver::moved`].
    fn moved(&self, _phase: &str) -> Option<&[[Real; 4]]> {
        None
    }

    /// As [`Solver::residuals`].
    fn residuals(&self) -> &[f64] {
        &[]
    }

    /// As [`Solver::internal_energy`].
    fn internal_energy(&self, _rho: f64) -> f64 {
        0.0
    }

    /// As [`Solver::derived`].
    fn derived(&self, state: &State<D>) -> Derived;

    /// True when wall samples have rows of fluid particles, where forces on samples are needed or not.
    fn has_wall_rows(_params: &Self::Params, _walls: f64, reactions: bool) -> bool {
        reactions
    }

    /// Adds its own parts to the memory that a run needs.
    fn plan(params: &Self::Params, run: &Planned, plan: &mut MemoryPlan);
}

/// A run that is planned, before a particle is made.
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    /// Fluid particles.
    pub fluid: usize,
    /// Samples of walls and bodies.
    pub walls: usize,
    /// True where forces on samples are needed.
    pub reactions: bool,
    /// Radius of the neighbor search over spacing, `[-]`.
    pub search_ratio: f64,
    /// Threads of the run.
    pub threads: usize,
    /// Snapshots that the run keeps, to go back to after a failure.
    pub snapshots: usize,
}

/// The memory that a run of the scene needs with a method.
///
/// # Errors
/// When the solver's parameters are refused.
pub fn memory<const D: usize, M: Method<D>>(
    scene: &Scene,
    counts: Counts,
    threads: usize,
) -> Result<MemoryPlan, Error> {
    let mut params = M::Params::of_scene(scene)?;
    let search_ratio = f64::from(*params.support_ratio()) + scene.neighbors.skin / scene.spacing;
    let reactions = scene.needs_reactions();
    let wall_rows = M::has_wall_rows(&params, counts.walls, reactions);
    let mut plan = MemoryPlan::of_core(scene, &Demand { counts, search_ratio, wall_rows, threads })?;
    let (fluid, walls) = (counts.fluid.round() as usize, counts.walls.round() as usize);
    let snapshots = if scene.run.on_failure == OnFailure::ReduceDt { SNAPSHOTS } else { 0 };
    M::plan(&params, &Planned { fluid, walls, reactions, search_ratio, threads, snapshots }, &mut plan);
    Ok(plan)
}

/// A run on the CPU.
impl<const D: usize, M: Method<D>> Solver<D> for M {
    fn name(&self) -> &'static str {
        M::Params::METHOD
    }

    fn support_radius(&self) -> Real {
        Method::support_radius(self)
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        max_dt(self, state)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        self.advance(state, dt)
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        Method::memory(self, visit);
        let shell = self.shell_mut();
        shell.memory(visit);
        shell.neighbors.remembered().for_each(|(name, x)| visit(name, Memory::Array(x)));
    }

    fn fluid_changed(&mut self) {
        Method::fluid_changed(self);
        let shell = self.shell_mut();
        shell.neighbors.forget();
        // New particles may be the fastest.
        shell.max_speed = -1.0;
        shell.cells = CellBox::default();
    }

    fn walls_changed(&mut self) {
        let shell = self.shell_mut();
        shell.neighbors.forget();
        shell.walls_packed = false;
        shell.cells = CellBox::default();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.check_change(&self.params().changed(name, value)?)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        let params = self.params().changed(name, value)?;
        self.check_change(&params)?;
        self.change(params);
        self.shell_mut().walls_packed = false;
        Ok(())
    }

    fn restored(&mut self, state: &State<D>) {
        Method::restored(self, state);
        let shell = self.shell_mut();
        shell.neighbors.restored();
        shell.walls_packed = false;
        shell.cells = CellBox::default();
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        Method::chain(self, state)
    }

    fn sound_speed(&self) -> Option<f64> {
        Method::sound_speed(self)
    }

    fn substeps(&self) -> u32 {
        Method::substeps(self)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        Method::field(self, name)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        M::FIELDS
    }

    fn moved(&self, phase: &str) -> Option<&[[Real; 4]]> {
        Method::moved(self, phase)
    }

    fn residuals(&self) -> &[f64] {
        Method::residuals(self)
    }

    fn neighbors(&self) -> &Neighbors<D> {
        &self.shell().neighbors
    }

    fn internal_energy(&self, rho: f64) -> f64 {
        Method::internal_energy(self, rho)
    }

    fn derived(&self, state: &State<D>) -> Derived {
        derived(self, state)
    }

    fn watch(&mut self, hook: Option<PhaseHook<D>>) {
        self.shell_mut().phase_hook = hook;
    }

    fn stopwatch(&self) -> &Stopwatch {
        &self.shell().stopwatch
    }

    fn reset_stopwatch(&mut self) {
        self.shell_mut().stopwatch.reset();
    }
}

/// A run of the scene with a method on the CPU.
///
/// # Errors
/// When the scene or the solver's parameters are refused.
pub fn simulation<const D: usize, M: Method<D>>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let (state, method) = M::of_scene(scene, isa, clock)?;
    Simulation::new(scene, state, Box::new(method))
}

/// How neighbors are searched in a scene.
pub fn search<const D: usize, M: Method<D>>(
    scene: &Scene,
    state: &State<D>,
    params: &M::Params,
    radius: Real,
    isa: Isa,
) -> Settings<D> {
    Settings {
        backend: scene.neighbors.backend,
        radius,
        skin: scene.neighbors.skin as Real,
        periodic: state.domain.periodic,
        isa,
        wall_rows: !state.bodies.is_empty(),
        by_id: M::refuses_ranks(params).is_none(),
    }
}

/// The largest step of a method, which moves no wall farther than half a spacing, `[s]`: one that moves farther jumps
/// onto particles, or over them.
///
/// # Errors
/// As of [`Method::max_dt`].
pub fn max_dt<const D: usize, M: Method<D>>(method: &mut M, state: &State<D>) -> Result<f64, StepError> {
    let own = Method::max_dt(method, state)?;
    least(state, [("", own), wall_limit(state)])
}

/// What follows from the first state, with the limit of moving walls among those of the step.
pub fn derived<const D: usize, M: Method<D>>(method: &M, state: &State<D>) -> Derived {
    let mut derived = Method::derived(method, state);
    derived
        .step_limits
        .extend(numbers([wall_limit(state)]).into_iter().filter(|limit| limit.value.is_finite()));
    derived
}

fn wall_limit<const D: usize>(state: &State<D>) -> (&'static str, f64) {
    ("moving walls", WALL_TRAVEL * f64::from(state.rest.spacing) / state.walls.top_speed(state.t))
}

/// How far a wall may move in a step, in spacings, `[-]`.
const WALL_TRAVEL: f64 = 0.5;

/// Limits of the step by name, `[s]`.
pub type Limits<const N: usize> = [(&'static str, f64); N];

/// The least of the limits of a step, `[s]`.
///
/// # Errors
/// When it lies below [`DT_MIN`], with the name of the limit.
pub fn least<const D: usize, const N: usize>(state: &State<D>, limits: Limits<N>) -> Result<f64, StepError> {
    let (limit, dt) = limits
        .into_iter()
        .fold(("", f64::INFINITY), |least, limit| if limit.1 < least.1 { limit } else { least });
    if dt < DT_MIN {
        let cause = Cause::StepTooSmall { dt, floor: DT_MIN, limit };
        return Err(StepError::new(state, "max_dt", None, cause));
    }
    Ok(dt)
}

/// A run stops at steps below this, `[s]`: a limit that small says that something has exploded.
pub const DT_MIN: f64 = 1e-9;

/// Limits of the step, for people.
pub fn numbers<const N: usize>(limits: Limits<N>) -> Vec<Number> {
    limits.into_iter().map(|(name, value)| Number { name, value, unit: "s" }).collect()
}
