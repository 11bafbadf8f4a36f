//! Is the planned memory of a GPU what its fields hold?

use super::planning::{Counting, wrong_plans};
use solver_pbf::METHOD;
use sph_core::{error::Error, method::stopwatch::NoClock, run::simulation::Simulation, scene::Scene};
use std::sync::Arc;

fn make<const D: usize>(scene: &Scene, executor: Arc<Counting>) -> Result<Simulation<D>, Error> {
    METHOD.simulation_on(scene, executor, Box::new(NoClock))
}

/// What decides which fields there are.
const SOLVERS: [&str; 3] = ["", "preset = \"flex\"", "vorticity_confinement = 0.1"];

#[test]
fn the_plan_of_the_gpu_is_within_two_percent_of_its_fields() {
    let mut wrong = Vec::new();
    for solver in SOLVERS {
        let solver = format!("[solver]\nname = \"pbf\"\n{solver}");
        wrong.extend(wrong_plans::<2>(0.02, &solver, make, METHOD.gpu_memory));
        wrong.extend(wrong_plans::<3>(0.05, &solver, make, METHOD.gpu_memory));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
