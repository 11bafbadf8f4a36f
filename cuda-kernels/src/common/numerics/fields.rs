//! Fields follow their particles.

use crate::device::executor::{Executor, Field, Kernel, plain};
use crate::device::launch::Launched;
use sph_core::Real;

const PERMUTE_REALS: Kernel = Kernel { file: "common/numerics/fields.cu", name: "permute_reals" };

crate::device::launch::generated!("common_numerics_fields.rs");

/// A record of one particle: position in the first slots. Twin of `Packed` in base.cuh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Packed(pub [Real; 4]);
plain!(Packed);

/// A field, and where it goes.
pub type Move<'a> = (&'a Field<Real>, &'a mut Field<Real>);

/// `to[f][k] ← from[f][order[k]]` for all fields f and k < n.
///
/// # Errors
/// When a field is shorter than `n`, or a launch fails.
pub fn permute_fields<const D: usize>(
    executor: &dyn Executor,
    order: &Field<u32>,
    n: usize,
    fields: &mut [Move<'_>],
) -> Launched {
    for together in fields.chunks_mut(MAX_FIELDS as usize) {
        let mut moves = Moves { n_fields: together.len() as u32, ..Moves::default() };
        for (k, (from, to)) in together.iter_mut().enumerate() {
            PERMUTE_REALS.expect("from", from.len(), n)?;
            PERMUTE_REALS.expect("to", to.len(), n)?;
            (moves.from[k], moves.to[k]) = (executor.input(from), executor.output(to));
        }
        permute_reals::<D>(executor, moves, order, n)?;
    }
    Ok(())
}
