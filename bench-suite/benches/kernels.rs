//! Kernels: W and F of wide lanes, 1024 pairs at a time. The inverse of the throughput is ns per pair.
#![allow(missing_docs, reason = "criterion writes public functions")]

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use sph_core::{
    Real,
    kernel::{Formula, Kernel},
    numerics::lane::{Isa, Lane},
    phase,
};
use std::hint::black_box;

/// Pairs in one call: fits the first cache, and is long enough to hide the call.
const PAIRS: usize = 1024;

phase! {
/// `Σ W` over squared distances.
fn sum_w<L>[const D: usize, K: Kernel<D>](kernel: K, r2: &[Real]) -> Real {
    let mut sum = L::splat(0.0);
    for r2 in r2.chunks_exact(L::N) {
        // SAFETY: the chunk holds L::N numbers.
        sum = sum + kernel.w(unsafe { L::load(r2.as_ptr()) });
    }
    sum.sum()
}
}

phase! {
/// `Σ F` over squared distances.
fn sum_f<L>[const D: usize, K: Kernel<D>](kernel: K, r2: &[Real]) -> Real {
    let mut sum = L::splat(0.0);
    for r2 in r2.chunks_exact(L::N) {
        // SAFETY: the chunk holds L::N numbers.
        sum = sum + kernel.grad_factor(unsafe { L::load(r2.as_ptr()) });
    }
    sum.sum()
}
}

fn kernel<const D: usize, K: Formula<D>>(group: &mut BenchmarkGroup<'_, WallTime>) {
    let kernel = K::new(1.0);
    // Distances as a row has them: denser outside, all within the support.
    let r2: Vec<Real> = (0..PAIRS).map(|k| (((k * 37) % PAIRS) as Real + 0.5) / PAIRS as Real).collect();
    for isa in Isa::available() {
        let id = |what: &str| format!("{}/{D}D/{what}/{isa}", K::NAME);
        group.bench_function(id("W"), |b| b.iter(|| sum_w::<D, K>(isa, kernel, black_box(&r2))));
        group.bench_function(id("F"), |b| b.iter(|| sum_f::<D, K>(isa, kernel, black_box(&r2))));
    }
}

fn kernels(c: &mut Criterion) {
    let mut group = c.benchmark_group("kernels");
    group.throughput(Throughput::Elements(PAIRS as u64));
    macro_rules! each {
        ($($kernel:ident)*) => {$(
            kernel::<3, sph_core::kernel::$kernel<3>>(&mut group);
            kernel::<2, sph_core::kernel::$kernel<2>>(&mut group);
        )*};
    }
    sph_core::all_kernels!(each);
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
