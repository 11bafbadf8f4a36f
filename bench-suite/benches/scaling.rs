//! A step of 98 thousand particles on 1, 2, 4, … threads, up to those of the machine.
#![allow(missing_docs, reason = "criterion writes public functions")]

mod shared;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::iter::successors;

fn scaling(c: &mut Criterion) {
    let mut group = c.benchmark_group("scaling");
    let most = shared::available_threads();
    let doubled = successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < most);
    for m in shared::sizes(&[29]) {
        let mut simulation = shared::jittered(m);
        let n = simulation.state.fluid.len();
        group.throughput(Throughput::Elements(n as u64));
        for threads in doubled.clone().chain([most]) {
            let pool = shared::pool(threads);
            shared::time_steps(&pool, &mut simulation, 3);
            group.bench_function(BenchmarkId::new(format!("{n} particles, threads"), threads), |b| {
                b.iter_custom(|iterations| shared::time_steps(&pool, &mut simulation, iterations));
            });
        }
    }
    group.finish();
}

criterion_group!(name = benches; config = shared::few_samples(); targets = scaling);
criterion_main!(benches);
