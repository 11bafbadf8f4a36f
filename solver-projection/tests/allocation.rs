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

const WARM_UP: u64 = 200;

/// Allocations in the quietest 20 of 60 steps of a column at rest, after warming up. Snapshots are taken on the way, each
/// into the room of an older one. The support ends between planes of the lattice, so that rows keep their lengths.
fn allocations<const D: usize>(spacing: f64, wall: &str, solver: &str) -> usize {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         run.on_failure = \"reduce_dt\"\nrun.snapshot_every = 5\nsupport_ratio = 2.6\ndamping = {{ rate = 1000.0, until = 10.0 }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.6, 0.6{1}] }}\n[[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.6, 1.0{1}] }}\nlayers = 3\n{wall}\n\
         [solver]\nname = \"projection\"\n{solver}\n",
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
        let several = "preconditioner = \"multilevel\"\ndynamic_viscosity = 1.0\nparticle_shifting = 0.5";
        for solver in ["", several, "preset = \"peridyno_compat\""] {
            found.push((2, solver, allocations::<2>(0.02, "", solver)));
            found.push((3, solver, allocations::<3>(0.075, "", solver)));
        }
        // Too little for the fluid to feel it.
        let moving = "motion.oscillation = { amplitude = [1e-9, 0.0], frequency = 1.0 }";
        found.push((2, moving, allocations::<2>(0.02, moving, "")));
        found
    });
    assert!(found.iter().all(|(.., n)| *n == 0), "{found:?}");
    let one = || drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counting::allocations(one) > 0, "the counter counts nothing");
}
