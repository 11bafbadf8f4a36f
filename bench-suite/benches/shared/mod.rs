//! What the benches share.
#![allow(dead_code, reason = "no bench uses all of it")]
#![allow(clippy::panic, reason = "a bench that cannot run has nothing to say")]

use bench_suite::{
    run,
    studies::stepping::{self, Until},
    system::processor::{Choice, Processor},
};
use criterion::Criterion;
use rayon::ThreadPool;
use sph_core::{numerics::lane::Isa, run::simulation::Simulation, scene::Scene};
use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

/// True under `cargo test` and `cargo bench -- --test`, which run everything once to see that it runs: sizes
/// are then tiny.
pub fn tiny() -> bool {
    let args: Vec<String> = std::env::args().collect();
    args.iter().any(|arg| arg == "--test") || !args.iter().any(|arg| arg == "--bench")
}

/// Sizes of the reference codes' dam break, 2m × 2m × m particles; one tiny size in tests.
pub fn sizes(m: &[usize]) -> Vec<usize> {
    if tiny() { vec![4] } else { m.to_vec() }
}

/// Criterion with as few and long samples as steps of a simulation need.
pub fn few_samples() -> Criterion {
    Criterion::default().sample_size(10).configure_from_args()
}

/// The reference codes' dam break, jittered as at the start of their runs.
pub fn jittered(m: usize) -> Simulation<3> {
    simulation(&stepping::scene(m, 0.15))
}

/// The same after it has flowed for a while: uneven rows, particles far from where they were stored.
pub fn flowed(m: usize) -> Simulation<3> {
    let mut simulation = jittered(m);
    let fixed = simulation.fixed_dt.take();
    let end = if tiny() { 0.002 } else { 0.15 };
    pool(available_threads()).install(|| {
        while simulation.state.t < end {
            step(&mut simulation);
        }
    });
    simulation.fixed_dt = fixed;
    if let Err(error) = simulation.fetch() {
        panic!("{error}");
    }
    simulation
}

/// The reference codes' dam break with the settings that meet the published bands.
pub fn validation(m: usize) -> Scene {
    let mut scene = stepping::scene(m, 0.15);
    scene.solver = sph_core::scene::SolverSettings::named("wcsph");
    scene.solver.set("sound_speed", 44.294_469);
    for wall in &mut scene.wall {
        (wall.layers, wall.offset) = (3, 0.5);
    }
    scene
}

/// The reference codes' dam break by Position Based Fluids, exactly five iterations a step.
pub fn pbf(m: usize) -> Simulation<3> {
    simulation(&stepping::scene_of_pbf(m, 0.15, Until::Iterations(5)))
}

/// The reference codes' dam break by the staggered projection.
pub fn projection(m: usize) -> Simulation<3> {
    simulation(&stepping::scene_of_projection(m, 0.15))
}

/// Where the runs of benches step: `SPH_BACKEND`, the processor if it is not set.
pub fn processor() -> &'static Processor {
    static PROCESSOR: OnceLock<Processor> = OnceLock::new();
    PROCESSOR.get_or_init(|| {
        let choice = match std::env::var("SPH_BACKEND") {
            Ok(name) => name.parse().unwrap_or_else(|error| panic!("SPH_BACKEND: {error}")),
            Err(_) => Choice::Cpu,
        };
        Processor::open(choice, Isa::best()).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// What a bench is called: by its case, and by its backend where that is not the processor.
pub fn called(case: &str) -> String {
    let processor = processor();
    if processor.backend.is_cpu() { case.into() } else { format!("{case} on {}", processor.name()) }
}

/// A run of `scene`.
pub fn simulation(scene: &Scene) -> Simulation<3> {
    run::simulation(scene, processor()).unwrap_or_else(|error| panic!("{error}"))
}

/// One step.
pub fn step(simulation: &mut Simulation<3>) {
    if let Err(error) = simulation.step(f64::INFINITY) {
        panic!("{error}");
    }
}

/// Time of `n` steps inside of `pool`: from outside, every phase would pay for waking it up.
pub fn time_steps(pool: &ThreadPool, simulation: &mut Simulation<3>, n: u64) -> Duration {
    pool.install(|| {
        let start = Instant::now();
        (0..n).for_each(|_| step(simulation));
        start.elapsed()
    })
}

/// A pool of so many threads.
pub fn pool(threads: usize) -> ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap_or_else(|error| panic!("{error}"))
}

/// Threads of this machine.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}
