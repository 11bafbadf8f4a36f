//! Every kernel, run on the processor from its own source in several orders of threads, against the Rust of `sph-core` and sums
//! over all pairs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[macro_use]
#[path = "../common/field.rs"]
mod field;
mod cell_box;
mod cells;
#[path = "../common/mod.rs"]
mod common;
mod containers;
mod fields;
mod formulas;
mod neighbors;
mod pbf;
mod projection_aggregation;
mod reduce;
mod scan;
mod shim;
mod twins;
mod walls;
mod warps;
mod wcsph;

use cuda_kernels::device::{emulator::Emulator, executor::Field};
use sph_core::Real;

/// Orders of threads: ascending, descending, two shuffles.
static ORDERS: [Emulator; 4] = [
    Emulator::in_order(0),
    Emulator::in_order(1),
    Emulator::in_order(0x9e37_79b9_7f4a_7c15),
    Emulator::in_order(77),
];

/// Points as one array an axis.
fn axes<const D: usize>(x: &[[Real; D]]) -> [Field<Real>; D] {
    std::array::from_fn(|a| x.iter().map(|x| x[a]).collect())
}

/// Arrays of the host as fields.
fn fields_of<const D: usize>(x: &[Vec<Real>; D]) -> [Field<Real>; D] {
    x.each_ref().map(|x| Field::from(&x[..]))
}

/// The box of the points.
fn bounds<const D: usize>(x: &[[Real; D]]) -> ([Real; D], [Real; D]) {
    let fold = |start: Real, f: fn(Real, Real) -> Real| {
        std::array::from_fn(|a| x.iter().map(|x| x[a]).fold(start, f))
    };
    (fold(Real::INFINITY, Real::min), fold(Real::NEG_INFINITY, Real::max))
}

/// `n` numbers in [0, 1), the same in every run.
fn noise(n: usize, mut seed: u64) -> Field<Real> {
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        ((seed >> 40) as f64 / (1u64 << 24) as f64) as Real
    };
    (0..n).map(|_| next()).collect()
}

/// `n` points in the unit cube.
fn cloud<const D: usize>(n: usize, seed: u64) -> Vec<[Real; D]> {
    noise(n * D, seed).chunks_exact(D).map(|x| std::array::from_fn(|a| x[a])).collect()
}
