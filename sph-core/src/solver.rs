//! The contract between a run and a method.

use crate::{
    Real,
    backend::{Backend, Host},
    neighbors::Neighbors,
    state::State,
};

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
}

/// Why a step could not be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// A number is not finite.
    #[error("{field} is not finite; the step was probably too large (dt = {dt:.3e} s)")]
    NotFinite {
        /// Which field.
        field: &'static str,
        /// The step size, `[s]`.
        dt: f64,
    },
    /// A particle left the domain.
    #[error(
        "the particle left the domain at {x:?} with speed {speed:.3e} m/s; thicken the walls, reduce dt or enlarge `domain`"
    )]
    Escaped {
        /// Where it is, `[m]`.
        x: Vec<f64>,
        /// How fast it is, `[m/s]`.
        speed: f64,
    },
    /// The step size fell below its floor.
    #[error(
        "the step size {dt:.3e} s is below its floor {floor:.3e} s; the fluid has become too fast or too stiff"
    )]
    StepTooSmall {
        /// The step size that the limits ask for, `[s]`.
        dt: f64,
        /// The smallest that is allowed, `[s]`.
        floor: f64,
    },
    /// An iteration did not reach its tolerance.
    #[error("no convergence after {} iterations, residual {:.3e}", .0.iterations, .0.residual)]
    NotConverged(Box<StepReport>),
    /// The neighbor search gave up.
    #[error(transparent)]
    Neighbors(#[from] crate::neighbors::TooManyCells),
}

/// A run that stopped: when, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("step {step}, t = {t:.6} s, {phase}{}: {cause}", .particle.map_or(String::new(), |id| format!(", particle {id}")))]
pub struct StepError {
    /// Step number, from 0.
    pub step: u64,
    /// Time at the start of the step, `[s]`.
    pub t: f64,
    /// The phase that found it.
    pub phase: &'static str,
    /// Id of the particle.
    pub particle: Option<u64>,
    /// What happened.
    pub cause: Cause,
}

/// A place of the solver's memory that a restart must keep.
#[derive(Debug)]
pub enum Memory<'a> {
    /// A field over the particles, in their order.
    Field(&'a mut Vec<Real>),
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

/// A method: advances a state by one step.
pub trait Solver<const D: usize, B: Backend = Host>: Send {
    /// Name in scenes and reports.
    fn name(&self) -> &'static str;

    /// Kernel support radius h, `[m]`.
    fn support_radius(&self) -> Real;

    /// The largest step that the method's limits allow now, `[s]`.
    ///
    /// # Errors
    /// When it lies below the floor.
    fn max_dt(&mut self, state: &State<D, B>) -> Result<f64, StepError>;

    /// Advances the state by `dt`, `[s]`.
    ///
    /// # Errors
    /// When a number is not finite, a particle escaped or an iteration failed; the state is then useless.
    fn step(&mut self, state: &mut State<D, B>, dt: f64) -> Result<StepReport, StepError>;

    /// Shows `visit` every place that a restart must keep, to read or to overwrite it.
    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>));

    /// A field that the method computes, in the order of the particles; `None` for an unknown name.
    fn field(&self, name: &str) -> Option<&[Real]>;

    /// The neighbor rows of the last step, in the order of the particles.
    fn neighbors(&self) -> &Neighbors<D>;

    /// Internal energy per mass at density `rho` `[kg/m³]`, zero at rest: 0 for a method without one, `[J/kg]`.
    fn internal_energy(&self, _rho: f64) -> f64 {
        0.0
    }

    /// What it derived from the scene, for people; a method without such numbers has none to show.
    fn derived(&self, _state: &State<D, B>) -> Derived {
        Derived::default()
    }

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
    since: f64,
}

impl Stopwatch {
    /// A stopwatch that reads `clock`.
    pub fn new(clock: Box<dyn Clock>) -> Self {
        Self { clock, phases: Vec::with_capacity(32), since: 0.0 }
    }

    /// The next phase begins now.
    pub fn start(&mut self) {
        self.since = self.clock.now();
    }

    /// Counts the time since the last [`Stopwatch::start`] or `lap` as time of `name`.
    pub fn lap(&mut self, name: &'static str) {
        let now = self.clock.now();
        let seconds = now - self.since;
        self.since = now;
        match self.phases.iter_mut().find(|p| p.name == name) {
            Some(phase) => {
                phase.seconds += seconds;
                phase.calls += 1;
            }
            None => self.phases.push(PhaseTime { name, seconds, calls: 1 }),
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
