//! What a scene has become before the first step, for people and for `results.json`.

use super::nan::nan_as_null;
use serde::{Deserialize, Serialize};
use sph_core::method::solids::Flow;

/// A derived number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// What it is.
    pub name: String,
    /// How large it is; what is infinite, as a limit that does not act, is stored as `null`.
    #[serde(with = "nan_as_null")]
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// Counts, masses, scales, memory and limits of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Fluid particles.
    pub n_fluid: u64,
    /// Wall samples.
    pub n_walls: u64,
    /// Mass of a particle, `[kg]`.
    pub particle_mass: f64,
    /// Mass of the fluid, `[kg]`.
    pub mass: f64,
    /// Volume of the fluid at rest density; a slab of 1 m depth in 2D, `[m³]`.
    pub volume: f64,
    /// Planned peak of the memory over what the program held before, or on the GPU where steps run on one, `[B]`.
    pub memory: f64,
    /// Its parts, `[B]`.
    pub memory_parts: Vec<Quantity>,
    /// Whether the fluid has a free surface, where the method asks for it.
    pub flow: Option<Flow>,
    /// What the method derived: support radius, sound speed, Reynolds and Mach number, and what they are made of.
    pub constants: Vec<Quantity>,
    /// Limits of the step size; the smallest binds, `[s]`.
    pub step_limits: Vec<Quantity>,
    /// Name of the limit that binds.
    pub binding: Option<String>,
    /// A step size that the scene gives in place of the limits, `[s]`.
    pub fixed_dt: Option<f64>,
    /// Steps to the end if the step stays as large as at the start; speeds make it smaller.
    pub expected_steps: Option<f64>,
    /// What is allowed but doubtful.
    pub warnings: Vec<String>,
}
