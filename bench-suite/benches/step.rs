//! A whole step of the reference codes' dam break at 20 thousand to 1 million particles, on all threads. Throughput in
//! particle-steps.
#![allow(missing_docs, reason = "criterion writes public functions")]

mod shared;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use sph_core::run::simulation::Simulation;

fn whole(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut simulation: Simulation<3>) {
    let n = simulation.state.fluid.len();
    let pool = shared::pool(shared::available_threads());
    // The first steps allocate, and sort what was never sorted.
    shared::time_steps(&pool, &mut simulation, 3);
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function(BenchmarkId::new(shared::called(name), n), |b| {
        b.iter_custom(|iterations| shared::time_steps(&pool, &mut simulation, iterations));
    });
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    for m in shared::sizes(&[17, 29, 50, 63]) {
        whole(&mut group, "graphics", shared::jittered(m));
    }
    for m in shared::sizes(&[17, 29]) {
        whole(&mut group, "validation", shared::simulation(&shared::validation(m)));
    }
    for m in shared::sizes(&[17, 29, 50]) {
        whole(&mut group, "pbf, 5 iterations", shared::pbf(m));
    }
    for m in shared::sizes(&[17, 29, 50]) {
        whole(&mut group, "projection", shared::projection(m));
    }
    group.finish();
}

criterion_group!(name = benches; config = shared::few_samples(); targets = steps);
criterion_main!(benches);
