//! A step that failed: what the method found, and what explains it. As text a block of lines, or one line.

use super::{likely_cause::LikelyCause, report::StepReport, state::State};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a step could not be done. What made it so is for [`crate::watch::diagnosis`] to find.
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
    /// More particles have passed walls than may.
    #[error(
        "{escaped} of {n} particles have passed walls, more than {limit} of all (run.escape_limit); this was the first, through `{wall}` at t = {t:.6} s"
    )]
    Penetrated {
        /// How many have.
        escaped: usize,
        /// Particles of the run.
        n: usize,
        /// Largest share of them that may, `[-]`.
        limit: f64,
        /// When the first was seen behind its wall, `[s]`.
        t: f64,
        /// Name of that wall.
        wall: String,
    },
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
        /// The limit that requires it.
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
    /// A GPU failed, or has no memory left.
    #[error("{0}")]
    Device(String),
    /// Another rank has failed, or is gone.
    #[error(transparent)]
    Rank(#[from] Lost),
    /// The neighbor search gave up.
    #[error(transparent)]
    Neighbors(#[from] crate::neighbors::TooManyCells),
    /// A command of the script could not be done.
    #[error(transparent)]
    Command(#[from] Error),
}

/// A rank that cannot be reached, or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// It has ended, or its machine has.
    #[error("rank {0} is gone")]
    Gone(usize),
    /// It has sent nothing for so many seconds in which it should have.
    #[error("rank {0} has sent nothing for {1} s: it hangs, or is far slower than the others")]
    Silent(usize, u64),
    /// Its step has failed; it says itself why.
    #[error("the step of rank {0} has failed")]
    Failed(usize),
    /// Its step has failed, and what it says of that.
    #[error("rank {0}: {1}")]
    Broken(usize, &'static str),
    /// It has sent what this program does not understand.
    #[error("rank {0} has sent a message that cannot be read: is it another program?")]
    Garbled(usize),
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

/// What made a step fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The step size, `[s]`; NaN if the failure came before it was known.
    pub dt: f64,
    /// Where it began; `None` if it belongs to no single particle.
    pub culprit: Option<Culprit>,
    /// The likely cause.
    pub likely_cause: LikelyCause,
    /// Other causes whose signs are there. With any, the likely one is less certain.
    pub also_fits: Vec<LikelyCause>,
    /// A step size to try: no more than half the failed one, nor than the method's limits allow, `[s]`. `None`
    /// if smaller steps cannot help.
    pub suggested_dt: Option<f64>,
    /// The failures in a row that the run went back from before this one.
    pub retries: Vec<Retry>,
}

/// A particle as it was left by a failed step.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Its stable name.
    pub id: u64,
    /// True for a wall sample, false for a fluid particle.
    pub is_wall: bool,
    /// Position, one number an axis, `[m]`.
    pub x: Vec<f64>,
    /// Velocity, one number an axis, `[m/s]`.
    pub v: Vec<f64>,
    /// Density; NaN for a wall sample, `[kg/m³]`.
    pub rho: f64,
    /// Fluid particles within the support.
    pub neighbors: usize,
    /// Wall samples within the support.
    pub wall_neighbors: usize,
    /// Distance of the nearest other fluid particle, if one is within the support, `[m]`.
    pub nearest: Option<f64>,
}

/// A failure that the run went back from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retry {
    /// The step that failed.
    pub step: u64,
    /// Time at its start, `[s]`.
    pub t: f64,
    /// Step size that failed, `[s]`.
    pub dt: f64,
    /// The step that the run went back to.
    pub back_to: u64,
    /// What step sizes were multiplied with from there on, `[-]`.
    pub scale: f64,
    /// Why, in one line.
    pub reason: String,
}

impl Culprit {
    /// Its speed, `[m/s]`.
    pub fn speed(&self) -> f64 {
        self.v.iter().map(|v| v * v).sum::<f64>().sqrt()
    }
}

impl StepError {
    /// The failure in one line, for tables.
    pub fn line(&self) -> String {
        let mut line = self.head();
        if let Some(diagnosis) = &self.diagnosis {
            line += &format!("; {}", diagnosis.likely_cause);
        }
        line
    }

    fn head(&self) -> String {
        let Self { step, t, phase, cause, .. } = self;
        let wall = self.diagnosis.as_ref().and_then(|d| d.culprit.as_ref()).is_some_and(|c| c.is_wall);
        let kind = if wall { "wall sample" } else { "particle" };
        let who = self.particle.map_or(String::new(), |id| format!(", {kind} {id}"));
        format!("step {step}, t = {t:.6} s, {phase}{who}: {cause}")
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head())?;
        match &self.diagnosis {
            Some(diagnosis) => diagnosis.fmt(f),
            None => Ok(()),
        }
    }
}

impl std::error::Error for StepError {}

impl fmt::Display for Diagnosis {
    /// Lines below the one that says what happened, each begun with a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(culprit) = &self.culprit {
            write!(f, "\n  {culprit}")?;
        }
        write!(f, "\n  likely cause: {}", self.likely_cause)?;
        self.also_fits.iter().try_for_each(|cause| write!(f, "\n  which fits, too: {cause}"))?;
        if self.dt.is_finite() {
            write!(f, "\n  step size: {:.3e} s", self.dt)?;
        }
        if let Some(dt) = self.suggested_dt {
            write!(f, "\n  suggested: {dt:.3e} s, at most half of it and within the limits of the method")?;
        }
        for retry in &self.retries {
            let (step, dt) = (retry.step, retry.dt);
            write!(f, "\n  tried before: step {step} with {dt:.3e} s, gone back to step {}", retry.back_to)?;
        }
        Ok(())
    }
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_wall { "wall sample" } else { "particle" };
        write!(f, "{kind} {} at {} m, velocity {} m/s", self.id, Vector(&self.x), Vector(&self.v))?;
        if !self.is_wall {
            write!(f, ", density {:.1} kg/m³", self.rho)?;
        }
        write!(f, "\n  {} particles and {} wall samples in reach", self.neighbors, self.wall_neighbors)?;
        match self.nearest {
            Some(nearest) => write!(f, ", the nearest particle {nearest:.3e} m away"),
            None => Ok(()),
        }
    }
}

struct Vector<'a>(&'a [f64]);

impl fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.0.iter().map(|&x| match x.abs() {
            size if size == 0.0 || (1e-3..1e5).contains(&size) => format!("{x:.4}"),
            _ => format!("{x:.3e}"),
        });
        write!(f, "({})", numbers.collect::<Vec<_>>().join(", "))
    }
}
