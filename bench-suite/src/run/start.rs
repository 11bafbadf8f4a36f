//! What a scene has become before the first step.

use crate::{
    result::start::{Quantity, Start},
    system::processor::Processor,
};
use sph_core::{
    error::Error,
    method::report::Number,
    run::simulation::Simulation,
    scene::{Counts, Scene},
    watch::plan::MemoryPlan,
};

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
        let mut derived = simulation.solver.derived(state);
        let (n_fluid, n_walls) = (state.fluid.len(), state.walls.len());
        let counts = Counts { fluid: n_fluid as f64, walls: n_walls as f64 };
        let plan = super::memory_plan(scene, counts, processor)?;
        derived.warnings.extend(emitters_warning(scene, counts, processor)?);
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
            flow: derived.flow,
            step_limits: derived.step_limits.iter().map(quantity).collect(),
            fixed_dt: simulation.fixed_dt,
            expected_steps: dt.map(|dt| (scene.run.end_time / dt).ceil().min(most)),
            warnings: derived.warnings,
        })
    }
}

/// A warning of emitters that may give more particles than there is memory for.
fn emitters_warning(scene: &Scene, counts: Counts, processor: &Processor) -> Result<Option<String>, Error> {
    let emitted = scene.emitted();
    let all =
        super::memory_plan(scene, Counts { fluid: counts.fluid + emitted, ..counts }, processor)?.total();
    let free = processor.backend.free_memory().ok().flatten().map_or(f64::INFINITY, |free| free as f64);
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    let text = || {
        format!(
            "emitters give up to {emitted:.1e} particles; without drains these need about {:.0} MiB of memory, of which {:.0} \
             are free: give them a limit or a duration",
            mib(all),
            mib(free)
        )
    };
    Ok((emitted > 0.0 && all > free).then(text))
}

fn quantity(number: &Number) -> Quantity {
    Quantity { name: number.name.into(), value: number.value, unit: number.unit.into() }
}

fn parts(plan: &MemoryPlan) -> Vec<Quantity> {
    let part = |name: &str, value: f64| Quantity { name: name.into(), value, unit: "B".into() };
    plan.parts.iter().map(|p| part(p.name, p.bytes)).collect()
}
