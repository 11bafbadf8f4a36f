//! Neighbor search: the sort by cell alone, and sort with lists as a step does it. Throughput in particles.
#![allow(missing_docs, reason = "criterion writes public functions")]
#![allow(clippy::panic, reason = "a bench that cannot run has nothing to say")]

mod shared;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use sph_core::{
    neighbors::{Backend, Cells, Neighbors, Settings},
    numerics::lane::Isa,
    run::simulation::Simulation,
};
use std::time::Instant;

fn search(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, from: &Simulation<3>, backend: Backend) {
    let mut state = from.state.clone();
    let settings = Settings {
        backend,
        radius: from.solver.support_radius(),
        skin: 0.0,
        periodic: state.domain.periodic,
        isa: Isa::best(),
        wall_rows: false,
        by_id: false,
    };
    let n = state.fluid.len();
    let pool = shared::pool(shared::available_threads());
    group.throughput(Throughput::Elements(n as u64));
    let (mut cells, mut order) = (Cells::new(backend, settings.radius, settings.periodic), Vec::new());
    group.bench_function(BenchmarkId::new(format!("sort/{name}/{backend:?}"), n), |b| {
        b.iter_custom(|iterations| {
            pool.install(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    cells.sort(&state.fluid.x, None, &mut order).unwrap_or_else(|error| panic!("{error}"));
                }
                start.elapsed()
            })
        });
    });
    let mut neighbors = Neighbors::new(settings);
    group.bench_function(BenchmarkId::new(format!("sort and lists/{name}/{backend:?}"), n), |b| {
        b.iter_custom(|iterations| {
            pool.install(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    neighbors.update(&mut state, []).unwrap_or_else(|error| panic!("{error}"));
                }
                start.elapsed()
            })
        });
    });
}

fn neighbors(c: &mut Criterion) {
    let mut group = c.benchmark_group("neighbors");
    for m in shared::sizes(&[17, 29, 50]) {
        search(&mut group, "jittered", &shared::jittered(m), Backend::DenseGrid);
    }
    for m in shared::sizes(&[17, 29]) {
        let flowed = shared::flowed(m);
        search(&mut group, "flowed", &flowed, Backend::DenseGrid);
        search(&mut group, "flowed", &flowed, Backend::HashGrid);
    }
    group.finish();
}

criterion_group!(name = benches; config = shared::few_samples(); targets = neighbors);
criterion_main!(benches);
