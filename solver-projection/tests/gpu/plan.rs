//! Is the planned memory of a GPU what its fields hold?

use super::planning::{Counting, scene, wrong_plans};
use solver_projection::METHOD;
use sph_core::{error::Error, method::stopwatch::NoClock, run::simulation::Simulation, scene::Scene};
use std::sync::Arc;

fn make<const D: usize>(scene: &Scene, executor: Arc<Counting>) -> Result<Simulation<D>, Error> {
    METHOD.simulation_on(scene, executor, Box::new(NoClock))
}

/// What decides which fields there are.
const SOLVERS: [&str; 5] = [
    "",
    "dynamic_viscosity = 1.0\nsupport_ratio = 3.0",
    "dynamic_viscosity = 1.0\nviscosity_model = \"morris\"",
    "gradient = \"peridyno\"\nxsph_viscosity = 0.0",
    "preconditioner = \"diagonal\"",
];

#[test]
fn the_plan_of_the_gpu_is_within_two_percent_of_its_fields() {
    let mut wrong = Vec::new();
    for solver in SOLVERS {
        let solver = format!("[solver]\nname = \"projection\"\n{solver}");
        wrong.extend(wrong_plans::<2>(0.02, &solver, make, METHOD.gpu_memory));
        wrong.extend(wrong_plans::<3>(0.05, &solver, make, METHOD.gpu_memory));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn viscosity_walls_and_levels_need_more_memory() {
    let total = |solver: &str| {
        let scene = scene::<3>(0.04, &format!("[solver]\nname = \"projection\"\n{solver}"));
        (METHOD.gpu_memory)(&scene, scene.estimate().unwrap()).unwrap().total()
    };
    let laplacian = total("dynamic_viscosity = 1.0\nviscosity_model = \"morris\"");
    assert!(total("dynamic_viscosity = 1.0") > laplacian && laplacian > total(""));
    assert!(total("") > total("gradient = \"peridyno\""));
    assert!(total("") > total("preconditioner = \"diagonal\""));
}
