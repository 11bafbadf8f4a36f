//! Prefix sums.

use crate::device::{
    error::CudaError,
    executor::{Executor, Field},
    launch::Launched,
};

crate::device::launch::generated!("common_numerics_scan.rs");

const TILE: usize = SCAN_TILE as usize;

/// Exclusive prefix sums of up to a given number of items, and the sums of tiles that they need.
#[derive(Debug)]
pub struct Scan {
    /// Sums of the tiles of the items, sums of the tiles of these, and so on; the last has one item.
    totals: Vec<Field<u32>>,
}

impl Scan {
    /// Buffers for `n` items.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, mut n: usize) -> Result<Self, CudaError> {
        let mut totals = Vec::new();
        loop {
            n = n.div_ceil(TILE).max(1);
            totals.push(executor.zeros(n)?);
            if n == 1 {
                return Ok(Self { totals });
            }
        }
    }

    /// `values[k] ← Σ_{l < k} values[l]` of the first `n` values, in integers modulo 2³².
    ///
    /// # Errors
    /// When there are fewer than `n` values or a smaller capacity, or a launch fails.
    pub fn exclusive<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        values: &mut Field<u32>,
        n: usize,
    ) -> Launched {
        level::<D>(executor, values, &mut self.totals, n)
    }
}

/// Scans `values` with the help of `totals`, which are scanned in the same way.
fn level<const D: usize>(
    executor: &dyn Executor,
    values: &mut Field<u32>,
    totals: &mut [Field<u32>],
    n: usize,
) -> Launched {
    let Some((sums, above)) = totals.split_first_mut() else { return Ok(()) };
    let tiles = n.div_ceil(TILE);
    scan_tiles::<D>(executor, values, sums, n)?;
    if tiles <= 1 {
        return Ok(());
    }
    level::<D>(executor, sums, above, tiles)?;
    add_to_tiles::<D>(executor, values, sums, n)
}
