//! Is the planned memory of a GPU what its fields hold?

use super::planning::{Counting, scene, wrong_plans};
use solver_wcsph::METHOD;
use sph_core::{error::Error, method::stopwatch::NoClock, run::simulation::Simulation, scene::Scene};
use std::sync::Arc;

fn make<const D: usize>(scene: &Scene, executor: Arc<Counting>) -> Result<Simulation<D>, Error> {
    METHOD.simulation_on(scene, executor, Box::new(NoClock))
}

/// What decides which fields there are.
const SOLVERS: [&str; 3] = ["", "preset = \"graphics\"", "regularization = \"shifting\""];

#[test]
fn the_plan_of_the_gpu_is_within_two_percent_of_its_fields() {
    let mut wrong = Vec::new();
    for solver in SOLVERS {
        let solver = format!("[solver]\nname = \"wcsph\"\n{solver}");
        wrong.extend(wrong_plans::<2>(0.02, &solver, make, METHOD.gpu_memory));
        wrong.extend(wrong_plans::<3>(0.05, &solver, make, METHOD.gpu_memory));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_gpu_with_too_little_memory_is_named_in_the_refusal() {
    let scene = scene::<3>(0.04, "");
    let plan = (METHOD.gpu_memory)(&scene, scene.estimate().unwrap()).unwrap();
    assert_eq!(plan.check_in("memory of cuda:0", &scene, plan.total()), Ok(()));
    let error = plan.check_in("memory of cuda:0", &scene, 0.5 * plan.total()).unwrap_err().to_string();
    assert!(error.contains("MiB of memory of cuda:0") && error.contains("would fit"), "{error}");
}
