//! Does a steady step of every variant allocate nothing?
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

#[path = "laws/common.rs"]
mod common;

use bench_suite::{
    output::{Fields, FrameData},
    registry,
};
use sph_core::{lane::Isa, scene::Scene};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The system's allocator, counting.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the pointer came from the same allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in the quietest of several windows of steps.
fn allocations<const D: usize>(name: &str, scene: &Scene) -> usize {
    common::on_threads(2, || {
        let mut simulation = common::simulation::<D>(name, scene, Isa::best());
        common::steps(name, &mut simulation, 40);
        let window = |_| {
            let before = CALLS.load(Ordering::Relaxed);
            common::steps(name, &mut simulation, 5);
            CALLS.load(Ordering::Relaxed) - before
        };
        // A row may grow beyond all before it in one window; a step that allocates does so in every one.
        (0..32).map(window).min().unwrap()
    })
}

/// Allocations of a copy for a frame, once its buffers have their size.
fn allocations_of_a_copy() -> usize {
    common::on_threads(2, || {
        let scene = registry::case("column_3d").unwrap().scene(12);
        let mut simulation = common::simulation::<3>("column_3d", &scene, Isa::best());
        let (mut frame, mut walls) = (FrameData::default(), FrameData::default());
        let names = ["velocity", "speed", "density", "neighbors", "wall_neighbors", "pressure"];
        let fields = Fields::choose("fields", names, &*simulation.solver).unwrap();
        let copies = |_| {
            common::steps("column_3d", &mut simulation, 2);
            let before = CALLS.load(Ordering::Relaxed);
            frame.copy(&fields, &simulation.state, &*simulation.solver);
            walls.copy_walls(&simulation.state);
            CALLS.load(Ordering::Relaxed) - before
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
    let before = CALLS.load(Ordering::Relaxed);
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(CALLS.load(Ordering::Relaxed) > before, "the counter counts nothing");
}
