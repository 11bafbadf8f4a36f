//! A failed run as data.

use super::nan::{nan_as_null, nans_as_null};
use serde::{Deserialize, Serialize};
use sph_core::method::failure::{self, StepError};
use std::{fmt, path::PathBuf};

/// Why a run stopped, in its parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Step number, from 0.
    pub step: u64,
    /// Time at the start of the step `[s]`.
    #[serde(with = "nan_as_null")]
    pub t: f64,
    /// The phase that caused it.
    pub phase: String,
    /// What happened.
    pub cause: String,
    /// Name of the likely cause, such as `step_too_large`.
    pub likely_cause_name: String,
    /// The likely cause in a sentence.
    pub likely_cause: String,
    /// Names of other causes whose signs are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_fits: Vec<String>,
    /// The particle where it began.
    pub culprit: Option<Culprit>,
    /// The step size `[s]`.
    #[serde(with = "nan_as_null")]
    pub dt: f64,
    /// A step size to try `[s]`.
    pub suggested_dt: Option<f64>,
    /// Where to go on from, if the run has left something.
    pub last_checkpoint: Option<PathBuf>,
    /// All of it for people.
    pub text: String,
}

/// The particle where a failure began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Culprit {
    /// Its stable name.
    pub id: u64,
    /// True for a wall sample.
    pub is_wall: bool,
    /// Position `[m]`.
    #[serde(with = "nans_as_null")]
    pub x: Vec<f64>,
    /// Velocity `[m/s]`.
    #[serde(with = "nans_as_null")]
    pub v: Vec<f64>,
    /// Density `[kg/m³]`.
    #[serde(with = "nan_as_null")]
    pub rho: f64,
    /// Fluid particles within the support.
    pub neighbors: usize,
    /// Wall samples within the support.
    pub wall_neighbors: usize,
    /// Distance of the nearest other particle `[m]`.
    pub nearest: Option<f64>,
}

impl Culprit {
    fn of(culprit: &failure::Culprit) -> Self {
        let failure::Culprit { id, is_wall, x, v, rho, neighbors, wall_neighbors, nearest, .. } = culprit;
        Self {
            id: *id,
            is_wall: *is_wall,
            x: x.clone(),
            v: v.clone(),
            rho: *rho,
            neighbors: *neighbors,
            wall_neighbors: *wall_neighbors,
            nearest: *nearest,
        }
    }
}

impl Failure {
    /// The parts of an error.
    pub fn of(error: &StepError) -> Self {
        let diagnosis = error.diagnosis.as_deref();
        Self {
            step: error.step,
            t: error.t,
            phase: error.phase.into(),
            cause: error.cause.to_string(),
            likely_cause_name: diagnosis.map_or(String::new(), |d| d.likely_cause.name().into()),
            likely_cause: diagnosis.map_or(String::new(), |d| d.likely_cause.to_string()),
            also_fits: diagnosis
                .into_iter()
                .flat_map(|d| &d.also_fits)
                .map(|cause| cause.name().to_owned())
                .collect(),
            culprit: diagnosis.and_then(|d| d.culprit.as_ref()).map(Culprit::of),
            dt: diagnosis.map_or(f64::NAN, |d| d.dt),
            suggested_dt: diagnosis.and_then(|d| d.suggested_dt),
            last_checkpoint: None,
            text: error.to_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.last_checkpoint {
            Some(path) => write!(f, "\n  last good checkpoint: {}", path.display()),
            None => Ok(()),
        }
    }
}
