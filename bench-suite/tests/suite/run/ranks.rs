//! Is every scene the same to the last bit, whatever the number of ranks?

use crate::common;

use bench_suite::{
    scenes,
    system::{processor::Processor, ranks::Ranks},
};
use sph_core::{method::report::StepReport, numerics::lane::Isa, scene::Scene};
use std::time::Duration;

const STEPS: u64 = 30;

/// The hash of the last state, and the samples of all measures.
type End = (u64, String);

fn end_in<const D: usize>(name: &str, scene: &Scene, ranks: usize, threads: usize) -> End {
    common::on_threads(threads, || {
        let ranks = Ranks::Threads { count: ranks, patience: Duration::from_secs(60) };
        let processor = Processor { ranks, ..Isa::best().into() };
        let mut simulation = common::simulation::<D>(name, scene, &processor);
        let mut report = StepReport::default();
        for _ in 0..STEPS {
            simulation.measure(&report).unwrap();
            report = simulation.step(f64::INFINITY).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        simulation.fetch().unwrap();
        (simulation.state.hash(), format!("{:?}", simulation.measures.series().collect::<Vec<_>>()))
    })
}

fn end(name: &str, scene: &Scene, ranks: usize, threads: usize) -> End {
    if scene.dim == 2 {
        end_in::<2>(name, scene, ranks, threads)
    } else {
        end_in::<3>(name, scene, ranks, threads)
    }
}

#[test]
fn ranks_change_no_bit() {
    let file = scenes::folder().join("measured.toml");
    let measured =
        std::fs::read_to_string(&file).unwrap().replace("name = \"wcsph\"", "name = \"projection\"");
    let mut projected = Scene::parse("measured.toml", &measured).unwrap();
    projected.spacing *= 2.0;
    let forces_on_walls = ("measured with the projection".to_owned(), projected);
    for (name, scene) in common::all_coarse().into_iter().chain([forces_on_walls]) {
        if scene.solver.name().is_some_and(|name| name == "viscoelastic") {
            continue;
        }
        let one = end(&name, &scene, 1, 2);
        for (ranks, threads) in [(2, 1), (3, 2), (4, 1), (7, 1)] {
            assert_eq!(end(&name, &scene, ranks, threads), one, "{name} on {ranks} ranks");
        }
    }
}
