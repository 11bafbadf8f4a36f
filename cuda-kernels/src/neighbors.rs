//! Neighbor rows: launchers of `neighbors.cu`.
//!
//! **Layout.** The processor pads each row to sixteen and walks it in lanes. On a card one thread walks one row, so 32
//! rows stand beside one another: entry k of the rows of a slice is one line of 128 bytes, which a warp reads at once.
//! Rows end at their count; nothing is padded. All slices have the same width, so one pass finds and stores a row,
//! where exact widths would search twice. A row that was cut says so by its count.
//!
//! Set and order are those of [`sph_core::neighbors::NeighborLists`]: the decision is made from the same bits, unfused,
//! and rows ascend because runs of cells do. Solvers that need no stored rows walk in the same order by
//! `for_each_neighbor` of neighbors.cuh.

use crate::{
    cells::{CellGrid, CellSort},
    error::CudaError,
    executor::{Executor, Field, In, Kernel, arguments, count},
    fields::Packed,
};
use sph_core::Real;

const LIST_NEIGHBORS: Kernel = Kernel { file: "neighbors.cu", name: "list_neighbors" };
/// Rows a slice: threads of a warp.
const SLICE: usize = 32;

/// What a walk over neighbors needs to know. Twin of `Search` in neighbors.cuh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Search<const D: usize> {
    /// Cells of the points that are found.
    pub grid: CellGrid<D>,
    /// Square of the radius within which they are, `[m²]`.
    pub radius2: Real,
}

/// Points in the order of their cells, as a search reads them.
#[derive(Debug)]
pub struct Source<'a, const D: usize, E: Executor> {
    /// Their cells, sorted.
    pub cells: &'a CellSort<D, E>,
    /// Their records, in that order. Shape `[n]`.
    pub records: &'a Field<E, Packed>,
}

/// Points with a number each, as loops over neighbors find them. Twin of `Near` in near.cuh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Near<const D: usize> {
    search: Search<D>,
    place: In<Packed>,
    start: In<u32>,
    rows: StoredRows,
}

impl<const D: usize, E: Executor> Source<'_, D, E> {
    /// The points that `kernel` finds within `radius` `[m]`, without rows.
    ///
    /// # Errors
    /// When there are fewer records than sorted points.
    pub fn near(&self, executor: &E, kernel: Kernel, radius: Real) -> Result<Near<D>, CudaError> {
        kernel.expect("place", executor.len(self.records), executor.len(&self.cells.order))?;
        Ok(Near {
            search: Search { grid: *self.cells.grid(), radius2: radius * radius },
            place: executor.input(self.records),
            start: executor.input(&self.cells.start),
            rows: StoredRows { rows: In::new(0), count: In::new(0), width: 0 },
        })
    }
}

impl<const D: usize> Near<D> {
    /// The same with rows of the points among themselves, for [`Walk::Kept`](crate::variant::Walk::Kept).
    pub(crate) fn with_rows(self, rows: StoredRows) -> Self {
        Self { rows, ..self }
    }
}

/// The rows of up to a given number of points.
#[derive(Debug)]
pub struct NeighborRows<E: Executor> {
    /// Number of neighbors of each point. Shape `[n]`.
    pub count: Field<E, u32>,
    /// Entry k of row i at `(i / 32 · width + k) · 32 + i % 32`.
    pub rows: Field<E, u32>,
    /// Entries a row has room for.
    pub width: u32,
}

/// Stored rows as kernels take them. Twin of `Rows` in rows.cuh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct StoredRows {
    pub(crate) rows: In<u32>,
    pub(crate) count: In<u32>,
    pub(crate) width: u32,
}

/// Whole slices of rows of this width.
pub(crate) fn entries_of(n: usize, width: u32) -> usize {
    n.next_multiple_of(SLICE) * width as usize
}

/// Memory of [`NeighborRows`], `[B]`.
pub fn row_bytes(n: usize, width: u32) -> usize {
    size_of::<u32>() * (entries_of(n, width) + n)
}

/// Where entry `k` of row `i` stands. Twin of `entry_of` in rows.cuh.
pub(crate) fn slot(width: u32, i: usize, k: usize) -> usize {
    (i / SLICE * width as usize + k) * SLICE + i % SLICE
}

impl<E: Executor> NeighborRows<E> {
    /// Room for the rows of `n` points, `width` entries each: `4 (width + 1)` bytes a point.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &E, n: usize, width: u32) -> Result<Self, CudaError> {
        let rows = executor.zeros(entries_of(n, width))?;
        Ok(Self { count: executor.zeros(n)?, rows, width })
    }

    /// Entries that the rows of `n` points take.
    pub fn entries_of(&self, n: usize) -> usize {
        entries_of(n, self.width)
    }

    /// Lists the neighbors nearer than `radius` `[m]` of the first `n` records of `query` among all of `from`.
    /// With `same`, both are one set and a row leaves out its own point.
    ///
    /// The count of a row that was cut is larger than the width; [`Reduce::max_counts`] finds it.
    ///
    /// [`Reduce::max_counts`]: crate::reduce::Reduce::max_counts
    ///
    /// # Errors
    /// When there is room for fewer, or the launch fails.
    pub fn list<const D: usize>(
        &mut self,
        executor: &E,
        radius: Real,
        query: &Field<E, Packed>,
        n: usize,
        from: &Source<'_, D, E>,
        same: bool,
    ) -> Result<(), CudaError> {
        LIST_NEIGHBORS.expect("query", executor.len(query), n)?;
        LIST_NEIGHBORS.expect("count", executor.len(&self.count), n)?;
        LIST_NEIGHBORS.expect("records", executor.len(from.records), executor.len(&from.cells.order))?;
        let search = Search { grid: *from.cells.grid(), radius2: radius * radius };
        let (query, records) = (executor.input(query), executor.input(from.records));
        let start = executor.input(&from.cells.start);
        let (counts, rows) = (executor.output(&mut self.count), executor.output(&mut self.rows));
        let launch = LIST_NEIGHBORS.for_each(D, n)?;
        let (number, same) = (count(n)?, u32::from(same));
        // SAFETY: `start` has one entry a cell of the box, which the walk does not leave, and names records below
        // the number of sorted points; rows are not written beyond their width.
        unsafe {
            executor.launch(
                launch,
                arguments![search, query, @n_query number, @from records, start, same, self.width, @count counts, rows],
            )
        }
    }

    /// The first `n` rows.
    ///
    /// # Errors
    /// When a row was cut, or a copy fails.
    pub fn download(&self, executor: &E, n: usize) -> Result<Vec<Vec<u32>>, CudaError> {
        let counts = executor.download(&self.count)?;
        let rows = executor.download(&self.rows)?;
        let entry = |i: usize, k: usize| rows[slot(self.width, i, k)];
        counts
            .iter()
            .take(n)
            .enumerate()
            .map(|(i, &found)| {
                if found > self.width {
                    return Err(CudaError::RowsTooNarrow { found, width: self.width });
                }
                Ok((0..found as usize).map(|k| entry(i, k)).collect())
            })
            .collect()
    }
}
