//! A failure as text: a block of lines, or one line.

use super::{Culprit, Diagnosis};
use crate::solver::StepError;
use std::fmt;

impl StepError {
    /// The failure in one line, for tables.
    pub fn line(&self) -> String {
        let mut line = self.head();
        if let Some(diagnosis) = &self.diagnosis {
            line += &format!("; {}", diagnosis.suspicion);
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
        write!(f, "\n  likely cause: {}", self.suspicion)?;
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
