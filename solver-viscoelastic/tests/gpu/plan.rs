//! Is the planned memory of a GPU what its fields hold?

use super::planning::{Counting, scene, wrong_plans};
use solver_viscoelastic::METHOD;
use sph_core::{error::Error, method::stopwatch::NoClock, run::simulation::Simulation, scene::Scene};
use std::sync::Arc;

fn make<const D: usize>(scene: &Scene, executor: Arc<Counting>) -> Result<Simulation<D>, Error> {
    METHOD.simulation_on(scene, executor, Box::new(NoClock))
}

/// Parameters that select the fields.
const SOLVERS: [&str; 3] = [
    "",
    "viscosity_linear = 5.0\nrelax_mode = \"jacobi\"",
    "spring_stiffness = 100.0\nviscosity_quadratic = 1.0\nstick_stiffness = 100.0\nsupport_ratio = 3.0",
];

#[test]
fn the_plan_of_a_gpu_is_within_two_percent_of_its_fields() {
    let mut wrong = Vec::new();
    for solver in SOLVERS {
        let solver = format!("[solver]\nname = \"viscoelastic\"\n{solver}");
        wrong.extend(wrong_plans::<2>(0.02, &solver, make, METHOD.gpu_memory));
        wrong.extend(wrong_plans::<3>(0.05, &solver, make, METHOD.gpu_memory));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn springs_need_more_memory() {
    let total = |solver: &str| {
        let scene = scene::<3>(0.04, &format!("[solver]\nname = \"viscoelastic\"\n{solver}"));
        (METHOD.gpu_memory)(&scene, scene.estimate().unwrap()).unwrap().total()
    };
    assert!(total("spring_stiffness = 100.0") > 1.2 * total(""));
}
