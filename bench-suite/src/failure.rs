//! A failed run as data: for `results.json`, and as particles around the culprit for ParaView.

use crate::{
    output::{self, Field, Fields, FrameData, OutputError, Values},
    result::nan::{nan_as_null, nans_as_null},
};
use serde::{Deserialize, Serialize};
use sph_core::{
    Real,
    method::failure::{self, StepError},
    numerics::{lane::each, vector::norm2},
    run::simulation::Simulation,
};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Name of the file with the particles around a failure.
pub const FILE: &str = "failure.vtu";

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
    pub suspicion: String,
    /// The likely cause in a sentence.
    pub likely_cause: String,
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
            suspicion: diagnosis.map_or(String::new(), |d| d.suspicion.name().into()),
            likely_cause: diagnosis.map_or(String::new(), |d| d.suspicion.to_string()),
            culprit: diagnosis.and_then(|d| d.culprit.as_ref()).map(Culprit::of),
            dt: diagnosis.map_or(f64::NAN, |d| d.dt),
            suggested_dt: diagnosis.and_then(|d| d.suggested_dt),
            last_checkpoint: None,
            text: error.to_string(),
        }
    }

    /// Writes the culprit and what is within two supports of it to [`FILE`] in `folder`: id, the standard fields,
    /// and in `not_finite` the sum of 1 for a position, 2 for a velocity, 4 for a density and 8 for a field of the
    /// solver that was not finite and is written as 0. Without a culprit nobody is near.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_vtu<const D: usize>(
        &self,
        simulation: &Simulation<D>,
        folder: &Path,
    ) -> Result<(), OutputError> {
        let mut frame = FrameData::default();
        frame.copy(&Fields::standard(&*simulation.solver), &simulation.state, &*simulation.solver);
        let near = self.near(simulation);
        let mut flags = vec![0; near.len()];
        frame.id = near.iter().map(|&i| frame.id[i]).collect();
        frame.x.iter_mut().for_each(|x| keep(x, &near, 1, &mut flags));
        for field in &mut frame.fields {
            let flag = match &*field.name {
                "velocity" => 2,
                "density" => 4,
                _ => 8,
            };
            match &mut field.values {
                Values::Scalar(values) => keep(values, &near, flag, &mut flags),
                Values::Vector(axes) => axes.iter_mut().for_each(|x| keep(x, &near, flag, &mut flags)),
                Values::Count(counts) => *counts = near.iter().map(|&i| counts[i]).collect(),
            }
        }
        let values = Values::Count(flags);
        frame.fields.push(Field { name: "not_finite".into(), unit: "-".into(), values });
        output::write_frame(&frame, &folder.join(FILE))
    }

    /// The culprit, and the particles within two supports of it.
    fn near<const D: usize>(&self, simulation: &Simulation<D>) -> Vec<usize> {
        let Some(culprit) = &self.culprit else { return Vec::new() };
        let state = &simulation.state;
        let reach = 2.0 * simulation.solver.support_radius();
        let center: [Real; D] = each(|a| culprit.x.get(a).map_or(Real::NAN, |&x| x as Real));
        let is_near = |i: usize| {
            let x = state.fluid.position(i);
            let offset = state.domain.periodic.nearest(each::<Real, D>(|a| x[a] - center[a]));
            norm2(offset) <= reach * reach || (!culprit.is_wall && state.fluid.id[i] == culprit.id)
        };
        (0..state.fluid.len()).filter(|&i| is_near(i)).collect()
    }
}

/// Keeps the values of the particles `near`, with 0 and a flag in place of what is not finite.
fn keep(values: &mut Vec<Real>, near: &[usize], flag: u32, flags: &mut [u32]) {
    let value = |(&i, flags): (&usize, &mut u32)| {
        if values[i].is_finite() {
            return values[i];
        }
        *flags |= flag;
        0.0
    };
    *values = near.iter().zip(flags).map(value).collect();
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
