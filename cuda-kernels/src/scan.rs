//! Prefix sums: launchers of `scan.cu`.

use crate::{
    error::CudaError,
    executor::{Executor, Field, Kernel, Launch, arguments, count},
};

const SCAN_TILES: Kernel = Kernel { file: "scan.cu", name: "scan_tiles" };
const ADD_TO_TILES: Kernel = Kernel { file: "scan.cu", name: "add_to_tiles" };
/// Twins of the constants in scan.cu.
const THREADS: u32 = 256;
const TILE: usize = 2048;

/// Exclusive prefix sums of up to a given number of items, and the sums of tiles that they need.
#[derive(Debug)]
pub struct Scan {
    /// Sums of the tiles of the items, sums of the tiles of these, and so on; the last has one item.
    totals: Vec<Field<u32>>,
}

impl Scan {
    /// Room for `n` items.
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
    /// When there are fewer than `n` values or less room, or a launch fails.
    pub fn exclusive(
        &mut self,
        executor: &dyn Executor,
        dim: usize,
        values: &mut Field<u32>,
        n: usize,
    ) -> Result<(), CudaError> {
        SCAN_TILES.expect("values", values.len(), n)?;
        SCAN_TILES.expect("totals", self.totals[0].len(), n.div_ceil(TILE))?;
        level(executor, dim, values, &mut self.totals, n)
    }
}

/// Scans `values` with the help of `totals`, which are scanned in the same way.
fn level(
    executor: &dyn Executor,
    dim: usize,
    values: &mut Field<u32>,
    totals: &mut [Field<u32>],
    n: usize,
) -> Result<(), CudaError> {
    let Some((sums, above)) = totals.split_first_mut() else { return Ok(()) };
    let tiles = n.div_ceil(TILE);
    let number = count(n)?;
    let to_values = executor.output(values);
    let launch = |kernel| Launch { kernel, dim, smoothing: None, blocks: tiles as u32, threads: THREADS };
    // SAFETY: `values` has n items and `sums` one a tile, by the checks of the caller.
    unsafe {
        executor.launch(
            launch(SCAN_TILES),
            arguments![@values to_values, @totals executor.output(sums), number],
        )?;
    }
    if tiles <= 1 {
        return Ok(());
    }
    level(executor, dim, sums, above, tiles)?;
    // SAFETY: as above.
    unsafe {
        executor
            .launch(launch(ADD_TO_TILES), arguments![@values to_values, @before executor.input(sums), number])
    }
}
