//! Does a steady step of every variant allocate nothing?
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

#[path = "laws/common.rs"]
mod common;
#[path = "../../sph-core/tests/solver/counting.rs"]
mod counting;

use bench_suite::{
    output::{Fields, FrameData},
    processor::Processor,
    registry,
};
use sph_core::scene::Scene;

/// Allocations in the quietest of several windows of steps.
fn allocations<const D: usize>(name: &str, scene: &Scene) -> usize {
    common::on_threads(2, || {
        let mut simulation = common::simulation::<D>(name, scene, &Processor::default());
        common::steps(name, &mut simulation, 40);
        let window = |_| counting::allocations(|| common::steps(name, &mut simulation, 5));
        // A row may grow beyond all before it in one window; a step that allocates does so in every one.
        (0..32).map(window).min().unwrap()
    })
}

/// Allocations of a copy for a frame, once its buffers have their size.
fn allocations_of_a_copy() -> usize {
    common::on_threads(2, || {
        let scene = registry::case("column_3d").unwrap().scene(12);
        let mut simulation = common::simulation::<3>("column_3d", &scene, &Processor::default());
        let (mut frame, mut walls) = (FrameData::default(), FrameData::default());
        let names = ["velocity", "speed", "density", "neighbors", "wall_neighbors", "pressure"];
        let fields = Fields::choose("fields", names, &*simulation.solver).unwrap();
        let copies = |_| {
            common::steps("column_3d", &mut simulation, 2);
            counting::allocations(|| {
                frame.copy(&fields, &simulation.state, &*simulation.solver);
                walls.copy_walls(&simulation.state);
            })
        };
        let copies: Vec<_> = (0..4).map(copies).collect();
        assert!(copies[0] > 0, "the first copy makes the buffers");
        // The thread pool allocates now and then.
        copies[1..].iter().copied().min().unwrap()
    })
}

/// One test alone: the counter is that of the process.
#[test]
fn a_steady_step_of_every_variant_and_a_copy_of_it_allocate_nothing() {
    for (case, n) in [("column", 30), ("column_3d", 12)] {
        for variant in registry::VARIANTS {
            let scene = variant.scene(registry::case(case).unwrap(), n).unwrap();
            let name = format!("{case}, {}", variant.name);
            let count = if scene.dim == 2 {
                allocations::<2>(&name, &scene)
            } else {
                allocations::<3>(&name, &scene)
            };
            assert_eq!(count, 0, "{name}");
        }
    }
    assert_eq!(allocations_of_a_copy(), 0);
    let one = || drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counting::allocations(one) > 0, "the counter counts nothing");
}
