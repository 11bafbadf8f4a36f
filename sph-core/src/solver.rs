//! The contract between a run and a method.

use crate::{
    Real,
    diagnosis::{Diagnosis, Link},
    error::Error,
    neighbors::Neighbors,
    phases::Behind,
    state::State,
};
use std::fmt::{self, Debug, Formatter};

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Step size, `[s]`.
    pub dt: f64,
    /// Iterations of an iterative solver, 0 for the others.
    pub iterations: u32,
    /// Residual of an iterative solver, in its own unit.
    pub residual: f64,
    /// Mean over the particles of max(ρ/ρ₀ − 1, 0), `[-]`.
    pub density_error_mean: f64,
    /// Largest ρ/ρ₀ − 1, `[-]`.
    pub density_error_max: f64,
    /// Largest speed after the step, `[m/s]`.
    pub max_speed: f64,
    /// Largest acceleration in the step, `[m/s²]`.
    pub max_acceleration: f64,
    /// How often the run went back to an earlier state on the way to the end of this step.
    pub retries: u32,
}

/// Why a step could not be done. What made it so is for [`crate::diagnosis`] to find.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// A number is not finite.
    #[error("{field} is not finite")]
    NotFinite {
        /// Which field.
        field: &'static str,
    },
    /// A particle left the domain.
    #[error("the particle left the domain")]
    Escaped,
    /// A dynamic body left the domain.
    #[error("the body `{name}` left the domain")]
    BodyEscaped {
        /// Its name.
        name: String,
    },
    /// The step size fell below its floor.
    #[error("the step size {dt:.3e} s, limited by {limit}, is below its floor {floor:.3e} s")]
    StepTooSmall {
        /// The step size that the limits ask for, `[s]`.
        dt: f64,
        /// The smallest that is allowed, `[s]`.
        floor: f64,
        /// The limit that asks for it.
        limit: &'static str,
    },
    /// A density is too far above the density at rest.
    #[error("the density is {error:.3} above that at rest (ρ/ρ₀ − 1), the limit is {limit}")]
    TooDense {
        /// Largest ρ/ρ₀ − 1, `[-]`.
        error: f64,
        /// The largest that is allowed, `[-]`.
        limit: f64,
    },
    /// An iteration did not reach its tolerance.
    #[error("no convergence after {} iterations, residual {:.3e}", .0.iterations, .0.residual)]
    NotConverged(Box<StepReport>),
    /// A card failed, or has no room left.
    #[error("{0}")]
    Device(String),
    /// The neighbor search gave up.
    #[error(transparent)]
    Neighbors(#[from] crate::neighbors::TooManyCells),
    /// A command of the script could not be done.
    #[error(transparent)]
    Command(#[from] Error),
}

/// The phase of what was wrong before the step began.
pub const BEFORE: &str = "before the step";

/// A run that stopped: when, where, and why. As text a block of lines; [`StepError::line`] is one line.
#[derive(Clone, Debug, PartialEq)]
pub struct StepError {
    /// Step number, from 0.
    pub step: u64,
    /// Time at the start of the step, `[s]`.
    pub t: f64,
    /// The phase that caused it, or [`BEFORE`].
    pub phase: &'static str,
    /// Id of the particle, or of the wall sample if the diagnosis says so.
    pub particle: Option<u64>,
    /// What happened.
    pub cause: Cause,
    /// What made it happen; `None` in the hands of the solver, which only finds it.
    pub diagnosis: Option<Box<Diagnosis>>,
}

impl StepError {
    /// What a solver found in `phase` of the step that `state` is in.
    pub fn new<const D: usize>(
        state: &State<D>,
        phase: &'static str,
        particle: Option<u64>,
        cause: Cause,
    ) -> Self {
        Self { step: state.step, t: state.t, phase, particle, cause, diagnosis: None }
    }
}

/// A place of the solver's memory that a restart must keep.
#[derive(Debug)]
pub enum Memory<'a> {
    /// A field over the particles, in their order; empty while the method has not used it.
    Field(&'a mut Vec<Real>),
    /// Positions of fluid or walls at another moment, or nothing.
    Array(&'a mut Vec<Real>),
    /// A column of a table of pairs, which has as many rows as there are pairs.
    Pairs(&'a mut Vec<Real>),
    /// A single number.
    Number(&'a mut f64),
}

/// A number that a method derived from the scene, to be read by people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// What it is.
    pub name: &'static str,
    /// How large it is; infinite for a limit that does not act.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
}

/// What a method derived from a scene before the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// Constants of the run, as the sound speed.
    pub constants: Vec<Number>,
    /// Limits of the step size at the start, `[s]`: the smallest binds.
    pub step_limits: Vec<Number>,
    /// What is allowed but doubtful, in words.
    pub warnings: Vec<String>,
}

impl Derived {
    /// The limit of the step size that binds; `None` for a method without limits.
    pub fn binding(&self) -> Option<&Number> {
        self.step_limits.iter().min_by(|a, b| a.value.total_cmp(&b.value))
    }
}

/// A field that a method computes beside the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Name, as [`Solver::field`] knows it.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
}

/// A method: advances a state by one step.
pub trait Solver<const D: usize>: Send {
    /// Name in scenes and reports.
    fn name(&self) -> &'static str;

    /// Kernel support radius h, `[m]`.
    fn support_radius(&self) -> Real;

    /// The largest step that the method's limits allow now, `[s]`.
    ///
    /// # Errors
    /// When it lies below the floor.
    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError>;

    /// Advances the state by `dt`, `[s]`.
    ///
    /// # Errors
    /// When a number is not finite, a particle escaped or an iteration failed; the state is then useless.
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError>;

    /// Brings what the steps have left in another memory, as that of a card, into `state` and into what
    /// [`Solver::memory`], [`Solver::field`] and [`Solver::chain`] show. Called before anything but a step looks at
    /// them; a method whose steps work on `state` itself has nothing to bring.
    ///
    /// # Errors
    /// When the copy fails.
    fn fetch(&mut self, _state: &mut State<D>) -> Result<(), StepError> {
        Ok(())
    }

    /// Velocities in the state were changed between two steps: what another memory holds of them is void.
    fn velocities_changed(&mut self) {}

    /// Shows `visit` every place that a restart must keep, to read or to overwrite it.
    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>));

    /// Particles were added or removed between two steps, and the fields of [`Solver::memory`] with them (new
    /// entries are 0): forgets all else that depends on their number or order.
    fn fluid_changed(&mut self);

    /// Walls got another motion between two steps: forgets what was computed once for walls at rest.
    fn walls_changed(&mut self);

    /// Checks a new value of a parameter: what [`Solver::set_parameter`] would refuse.
    ///
    /// # Errors
    /// When the parameter does not exist, cannot change in a run, or the value is wrong.
    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error>;

    /// Changes a parameter between two steps. What it derives depends on the parameters alone, not on the
    /// state, so that a restart derives the same.
    ///
    /// # Errors
    /// As [`Solver::check_parameter`].
    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error>;
    /// State and memory have been put back to an earlier moment: whatever else the method kept of the steps
    /// since, as neighbor rows, is void. Fields that the state determines are made anew.
    fn restored(&mut self, state: &State<D>);

    /// True when a step moves the dynamic bodies, as [`crate::rigid`] asks for; else a scene with bodies is refused.
    fn moves_bodies(&self) -> bool {
        false
    }

    /// The fields that a step computes, each with its phase, in the order of cause and effect. Read after a
    /// failure, to find where it began.
    fn chain<'a>(&'a self, _state: &'a State<D>) -> Vec<Link<'a>> {
        Vec::new()
    }

    /// Speed of sound, if the method has one: flow must stay well below it, `[m/s]`.
    fn sound_speed(&self) -> Option<f64> {
        None
    }

    /// A field that the method computes, in the order of the particles; `None` for an unknown name.
    fn field(&self, name: &str) -> Option<&[Real]>;

    /// The names that [`Solver::field`] knows; a method without such fields has none to show.
    fn fields(&self) -> &'static [FieldInfo] {
        &[]
    }

    /// Residuals `‖r‖₂/‖b‖₂` after each iteration of the last step, `[-]`; a method that solves no equation has none to
    /// show.
    fn residuals(&self) -> &[f64] {
        &[]
    }

    /// The neighbor rows of the last step, in the order of the particles.
    fn neighbors(&self) -> &Neighbors<D>;

    /// Internal energy per mass at density `rho` `[kg/m³]`, zero at rest: 0 for a method without one, `[J/kg]`.
    fn internal_energy(&self, _rho: f64) -> f64 {
        0.0
    }

    /// What it derived from the scene, for people; a method without such numbers has none to show.
    fn derived(&self, _state: &State<D>) -> Derived {
        Derived::default()
    }

    /// Calls `behind` after each phase of a step from now on; a method whose steps run elsewhere does not.
    fn watch(&mut self, _behind: Behind<D>) {}

    /// Time spent in each phase.
    fn stopwatch(&self) -> &Stopwatch;

    /// Forgets the time spent so far.
    fn reset_stopwatch(&mut self);
}

/// Where time comes from: the core itself has no clock.
pub trait Clock: Send + Sync {
    /// Seconds since some moment.
    fn now(&self) -> f64;
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> f64 {
        0.0
    }
}

/// Time spent in one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// Name of the phase.
    pub name: &'static str,
    /// Total, `[s]`.
    pub seconds: f64,
    /// How often it ran.
    pub calls: u64,
}

/// Adds up the time of named phases.
pub struct Stopwatch {
    clock: Box<dyn Clock>,
    phases: Vec<PhaseTime>,
    /// When the part that is measured now began, `[s]`.
    since: f64,
    /// The part of the phase at hand that was counted last.
    part: Option<&'static str>,
}

impl Debug for Stopwatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopwatch").field("phases", &self.phases).finish_non_exhaustive()
    }
}

impl Stopwatch {
    /// A stopwatch that reads `clock`.
    pub fn new(clock: Box<dyn Clock>) -> Self {
        Self { clock, phases: Vec::with_capacity(32), since: 0.0, part: None }
    }

    /// The next phase begins now.
    pub fn start(&mut self) {
        self.since = self.clock.now();
        self.part = None;
    }

    /// A part of the phase at hand is over: counts the time since the last part, or since the start of the phase, under a
    /// name of its own.
    pub fn lap(&mut self, part: &'static str) {
        self.count(part, 1);
        self.part = Some(part);
    }

    /// The phase is over. What its parts have not counted is time of the last part, or of `phase` if it has no parts. The
    /// next phase begins now.
    pub fn close(&mut self, phase: &'static str) {
        match self.part.take() {
            Some(part) => self.count(part, 0),
            None => self.count(phase, 1),
        }
    }

    fn count(&mut self, name: &'static str, calls: u64) {
        let now = self.clock.now();
        let seconds = now - self.since;
        self.since = now;
        match self.phases.iter_mut().find(|p| p.name == name) {
            Some(phase) => {
                phase.seconds += seconds;
                phase.calls += calls;
            }
            None => self.phases.push(PhaseTime { name, seconds, calls }),
        }
    }

    /// All phases, in the order of their first call.
    pub fn phases(&self) -> &[PhaseTime] {
        &self.phases
    }

    /// Forgets all times.
    pub fn reset(&mut self) {
        self.phases.clear();
    }
}
