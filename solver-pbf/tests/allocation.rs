//! A steady step takes no memory from the heap.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
#[path = "laws/common.rs"]
mod common;
#[path = "../../sph-core/tests/solver/counting.rs"]
mod counting;
#[path = "../../sph-core/tests/solver/mod.rs"]
mod solver;

use common::simulation;

const WARM_UP: u64 = 300;

/// Allocations in the quietest 20 of 60 steps of a column at rest, after warming up: the constraint moves particles at
/// rest a little, too, and a row that has never been so long may make its chunk grow.
///
/// Snapshots are taken on the way, each into the room of an older one. Damping holds the column there: where
/// particles change cells the rows of a chunk become longer now and then, and its room grows, less and less
/// often. For the same reason the support ends between planes of the lattice.
fn allocations<const D: usize>(preset: &str, spacing: f64, solver: &str) -> usize {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         run.on_failure = \"reduce_dt\"\nrun.snapshot_every = 5\nsupport_ratio = 2.6\ndamping = {{ rate = 1000.0, until = 10.0 }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.6, 0.6{1}] }}\n[[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.6, 1.0{1}] }}\nlayers = 3\n\
         [solver]\nname = \"pbf\"\npreset = \"{preset}\"\n{solver}\n",
        z("0.0"),
        z("0.6"),
    ));
    sim.run(10.0, WARM_UP, &mut []).expect("a healthy run");
    let mut window =
        |k: u64| counting::allocations(|| sim.run(10.0, WARM_UP + 20 * k, &mut []).expect("a healthy run"));
    (1..=3).map(&mut window).min().unwrap_or(usize::MAX)
}

// One test, so that nothing else runs while allocations are counted.
#[test]
fn a_steady_step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    // Rayon's threads allocate when they first steal; that is no step's doing.
    pool.broadcast(|_| ());
    let found = pool.install(|| {
        let mut found = Vec::new();
        for (preset, solver) in [
            (
                "standard",
                "velocity_update = \"second_order\"\ncohesion = 0.1\nsurface_tension = 0.05\nadhesion = 0.1",
            ),
            ("fluid_demo", "vorticity_confinement = 0.02\nwall_viscosity = 0.1"),
            ("flex", "surface_mode = \"constraint\"\nsurface_tension = 0.1"),
            ("accurate", "solver_iterations = 10\nmass_spread = 0.1"),
        ] {
            found.push((2, preset, allocations::<2>(preset, 0.012, solver)));
            found.push((3, preset, allocations::<3>(preset, 0.05, solver)));
        }
        found
    });
    assert!(found.iter().all(|(.., n)| *n == 0), "{found:?}");
    let one = || drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counting::allocations(one) > 0, "the counter counts nothing");
}
