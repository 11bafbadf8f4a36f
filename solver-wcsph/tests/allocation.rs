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

const WARM_UP: u64 = 20;

/// Allocations in 20 steps of a column at rest, after warming up.
///
/// Snapshots are taken on the way, each into the room of an older one. Damping holds the column there: where
/// particles change cells the rows of a chunk become longer now and then, and its room grows, less and less
/// often. For the same reason the support ends between planes of the lattice.
fn allocations<const D: usize>(preset: &str, spacing: f64, solver: &str, body: &str) -> usize {
    let ball = |radius: f64| format!("ball = {{ center = {body}, radius = {radius:?} }}");
    let (cut, body) = match body {
        "" => (String::new(), String::new()),
        _ => (
            format!("cut = [{{ {} }}]", ball(0.1 + 0.5 * spacing)),
            format!("[[body]]\nshape.{}\ndensity = 1000.0\n", ball(0.1)),
        ),
    };
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         run.on_failure = \"reduce_dt\"\nrun.snapshot_every = 5\nsupport_ratio = 2.6\ndamping = {{ rate = 1000.0, until = 10.0 }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.6, 0.6{1}] }}\npressure.hydrostatic.surface = 0.6\n{cut}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.6, 1.0{1}] }}\nlayers = 3\n\
         [solver]\nname = \"wcsph\"\npreset = \"{preset}\"\n{solver}\n{body}",
        z("0.0"),
        z("0.6"),
    ));
    sim.run(10.0, WARM_UP, &mut []).expect("a healthy run");
    counting::allocations(|| sim.run(10.0, WARM_UP + 20, &mut []).expect("a healthy run"))
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
            ("validation", ""),
            ("graphics", ""),
            ("validation", "regularization = \"shifting\"\nxsph = 0.1"),
            ("graphics", "cohesion = 0.1\nadhesion = 0.1"),
        ] {
            found.push((2, preset, allocations::<2>(preset, 0.012, solver, "")));
            found.push((3, preset, allocations::<3>(preset, 0.05, solver, "")));
        }
        // A body of the weight of water, out of reach of the walls: what touches is rapier's, which allocates.
        found.push((2, "with a body", allocations::<2>("graphics", 0.012, "adhesion = 0.1", "[0.3, 0.3]")));
        found.push((3, "with a body", allocations::<3>("validation", 0.05, "", "[0.3, 0.3, 0.3]")));
        found
    });
    assert!(found.iter().all(|(.., n)| *n == 0), "{found:?}");
    let one = || drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counting::allocations(one) > 0, "the counter counts nothing");
}
