//! Fields follow their particles: launchers of `fields.cu`.

use crate::{
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Out, Points, arguments, count, plain},
};
use sph_core::Real;

const PERMUTE_REALS: Kernel = Kernel { file: "fields.cu", name: "permute_reals" };
const PERMUTE_IDS: Kernel = Kernel { file: "fields.cu", name: "permute_ids" };
const PERMUTE_BODIES: Kernel = Kernel { file: "fields.cu", name: "permute_bodies" };
const PACK_POSITIONS: Kernel = Kernel { file: "fields.cu", name: "pack_positions" };

/// Fields that are permuted together: `MAX_FIELDS` in fields.cu.
pub const MAX_FIELDS: usize = 8;

/// A record of one particle: position in the first slots. Twin of `Packed` in base.cuh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Packed(pub [Real; 4]);
plain!(Packed);

/// Twin of `Moves` in fields.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct Moves {
    from: [In<Real>; MAX_FIELDS],
    to: [Out<Real>; MAX_FIELDS],
    n_fields: u32,
}

/// A field, and where it goes.
pub type Move<'a> = (&'a Field<Real>, &'a mut Field<Real>);

/// `to[f][k] ← from[f][order[k]]` for all fields f and k < n.
///
/// # Errors
/// When a field is shorter than `n`, or a launch fails.
pub fn permute_reals(
    executor: &dyn Executor,
    dim: usize,
    order: &Field<u32>,
    n: usize,
    fields: &mut [Move<'_>],
) -> Result<(), CudaError> {
    PERMUTE_REALS.expect("order", order.len(), n)?;
    for together in fields.chunks_mut(MAX_FIELDS) {
        let mut moves = Moves {
            from: [In::new(0); MAX_FIELDS],
            to: [Out::new(0); MAX_FIELDS],
            n_fields: together.len() as u32,
        };
        for (k, (from, to)) in together.iter_mut().enumerate() {
            PERMUTE_REALS.expect("from", from.len(), n)?;
            PERMUTE_REALS.expect("to", to.len(), n)?;
            (moves.from[k], moves.to[k]) = (executor.input(from), executor.output(to));
        }
        // SAFETY: all fields have n items; `order` holds numbers below n, being a permutation.
        unsafe {
            let launch = PERMUTE_REALS.for_each(dim, n)?;
            executor.launch(launch, arguments![moves, executor.input(order), count(n)?])?;
        }
    }
    Ok(())
}

/// `to[k] ← from[order[k]]` for the names of particles, k < n.
///
/// # Errors
/// When a field is shorter than `n`, or a launch fails.
pub fn permute_ids(
    executor: &dyn Executor,
    dim: usize,
    order: &Field<u32>,
    n: usize,
    from: &Field<u64>,
    to: &mut Field<u64>,
) -> Result<(), CudaError> {
    permute(executor, PERMUTE_IDS, dim, order, n, from, to)
}

/// `to[k] ← from[order[k]]` for the bodies of wall samples, k < n.
///
/// # Errors
/// When a field is shorter than `n`, or a launch fails.
pub fn permute_bodies(
    executor: &dyn Executor,
    dim: usize,
    order: &Field<u32>,
    n: usize,
    from: &Field<u16>,
    to: &mut Field<u16>,
) -> Result<(), CudaError> {
    permute(executor, PERMUTE_BODIES, dim, order, n, from, to)
}

fn permute<T: crate::executor::Plain>(
    executor: &dyn Executor,
    kernel: Kernel,
    dim: usize,
    order: &Field<u32>,
    n: usize,
    from: &Field<T>,
    to: &mut Field<T>,
) -> Result<(), CudaError> {
    kernel.expect("order", order.len(), n)?;
    kernel.expect("from", from.len(), n)?;
    kernel.expect("to", to.len(), n)?;
    let (from, to) = (executor.input(from), executor.output(to));
    // SAFETY: all fields have n items; `order` holds numbers below n, being a permutation.
    unsafe {
        executor.launch(kernel.for_each(dim, n)?, arguments![from, to, executor.input(order), count(n)?])
    }
}

/// Packs the first `n` positions into records; the slots behind them become 0.
///
/// # Errors
/// When a field is shorter than `n`, or a launch fails.
pub fn pack_positions<const D: usize>(
    executor: &dyn Executor,
    x: &[Field<Real>; D],
    n: usize,
    to: &mut Field<Packed>,
) -> Result<(), CudaError> {
    for x in x {
        PACK_POSITIONS.expect("x", x.len(), n)?;
    }
    PACK_POSITIONS.expect("to", to.len(), n)?;
    let points: Points<Real, D> = executor.points(x);
    // SAFETY: all fields have n items.
    unsafe {
        let launch = PACK_POSITIONS.for_each(D, n)?;
        executor.launch(launch, arguments![@x points, count(n)?, executor.output(to)])
    }
}
