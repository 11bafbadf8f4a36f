//! What a scene has become before the first step, for people and for `results.json`.

use crate::{processor::Processor, result::nan::nan_as_null};
use serde::{Deserialize, Serialize};
use sph_core::{
    error::Error,
    method::report::Number,
    run::simulation::Simulation,
    scene::{Counts, Scene},
    watch::plan::MemoryPlan,
};

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
    /// Planned peak of the memory over what the program held before, or on the card where steps run on one, `[B]`.
    pub memory: f64,
    /// Its parts, `[B]`.
    pub memory_parts: Vec<Quantity>,
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

impl Start {
    /// That of a run that has made no step.
    ///
    /// # Errors
    /// When the solver refuses its parameters.
    pub fn of<const D: usize>(
        scene: &Scene,
        simulation: &Simulation<D>,
        processor: &Processor,
    ) -> Result<Self, Error> {
        let state = &simulation.state;
        let derived = simulation.solver.derived(state);
        let (n_fluid, n_walls) = (state.fluid.len(), state.walls.len());
        let plan = crate::run::memory_plan(
            scene,
            Counts { fluid: n_fluid as f64, walls: n_walls as f64 },
            processor,
        )?;
        let mass = f64::from(state.rest.m) * n_fluid as f64;
        let dt = simulation.fixed_dt.or(derived.binding().map(|limit| limit.value));
        let most = scene.run.max_steps.map_or(f64::INFINITY, |steps| steps as f64);
        Ok(Self {
            n_fluid: n_fluid as u64,
            n_walls: n_walls as u64,
            particle_mass: f64::from(state.rest.m),
            mass,
            volume: mass / f64::from(state.rest.rho_0),
            memory: plan.total(),
            memory_parts: parts(&plan),
            constants: derived.constants.iter().map(quantity).collect(),
            binding: derived.binding().map(|limit| limit.name.to_owned()),
            step_limits: derived.step_limits.iter().map(quantity).collect(),
            fixed_dt: simulation.fixed_dt,
            expected_steps: dt.map(|dt| (scene.run.end_time / dt).ceil().min(most)),
            warnings: derived.warnings,
        })
    }
}

fn quantity(number: &Number) -> Quantity {
    Quantity { name: number.name.into(), value: number.value, unit: number.unit.into() }
}

fn parts(plan: &MemoryPlan) -> Vec<Quantity> {
    let part = |name: &str, value: f64| Quantity { name: name.into(), value, unit: "B".into() };
    plan.parts.iter().map(|p| part(p.name, p.bytes)).collect()
}
