//! Neighbor rows.
//!
//! **Layout.** The processor pads each row to sixteen and walks it in lanes. On a GPU one thread walks one row, so 32
//! rows stand beside one another: entry k of the rows of a slice is one line of 128 bytes, which a warp reads at once.
//! Rows end at their count; nothing is padded. All slices begin with the same width, so one pass finds and stores a row.
//!
//! **Long rows.** A slice with a longer row gets lines of its own in a pool behind all others, as many as its longest row,
//! and is searched once more: one dense place costs its neighborhood, not all rows. The alternative, exact widths of
//! all slices, searches all rows twice and needs a sum over slices in between; searches are most of the time of a list.
//! Lines keep their stride, so loops over rows read one number more for each row, and nothing more for each entry.
//! Slices take their lines in any order, which no result depends on. The host reads how many are taken where it read
//! the longest row else. A pool that is too small grows by a quarter more than needed; where it would be half of all,
//! rows become wider instead. In both cases the old memory is free before the new is taken, since rows are listed
//! again.
//!
//! Set and order are those of [`sph_core::neighbors::NeighborLists`]: the decision is made from the same bits, unfused,
//! and rows ascend because runs of cells do. Solvers that need no stored rows walk in the same order by
//! `for_each_neighbor` of neighbors.cuh.

use crate::{
    common::{
        numerics::fields::Packed,
        search::{NearRaw, RowsRaw, cells::CellSort},
    },
    device::{
        compile::variant::Walk,
        error::CudaError,
        executor::{Executor, Field, Kernel, count},
        launch::{Call, Launched, Parameter},
    },
};
use sph_core::{Real, compiled_here, geometry::lattice};
use std::f64::consts::PI;

crate::device::launch::generated!("common_search_neighbors.rs");

const LIST_NEIGHBORS: Kernel = Kernel { file: "common/search/neighbors.cu", name: "list_neighbors" };
/// Rows a slice: threads of a warp.
const SLICE: usize = 32;
/// The pool has a line for so many lines of all slices.
const POOL_SHARE: usize = 16;
/// So many lines of a pool, 256 KiB, cost nothing, however few the rows.
const FEW_LINES: usize = 2048;

/// Points in the order of their cells, as a search reads them.
#[derive(Debug)]
pub struct Source<'a, const D: usize> {
    /// Their cells, sorted.
    pub cells: &'a CellSort<D>,
    /// Their records, in that order. Shape `[n]`.
    pub records: &'a Field<Packed>,
}

/// Points in the order of their cells, as loops find their neighbors within a radius.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a, const D: usize> {
    /// Their cells, sorted.
    pub cells: &'a CellSort<D>,
    /// Records `[x y z s]`, in that order. Shape `[n]`.
    pub place: &'a Field<Packed>,
    /// Rows of the points among themselves, which [`Walk::Kept`] alone reads.
    pub rows: Option<&'a NeighborRows>,
    /// The radius, `[m]`.
    pub radius: Real,
}

/// Of points whose own neighbors a loop finds (`n` > 0), [`Walk::Kept`] needs the rows.
impl<const D: usize, C> Parameter<C> for &Around<'_, D> {
    type Raw = NearRaw<D>;

    fn raw(self, call: &Call<'_, C>, _: &'static str, n: usize) -> Result<NearRaw<D>, CudaError> {
        let (sorted, radius) = (self.cells.order.len(), self.radius);
        call.expect("place", self.place.len(), sorted)?;
        if n > 0 && call.executor.variant().walk == Walk::Kept {
            call.expect("rows", self.rows.map_or(0, |rows| rows.count.len()), sorted)?;
        }
        Ok(NearRaw {
            search: Search { grid: *self.cells.grid(), radius2: radius * radius },
            place: call.executor.input(self.place),
            start: call.executor.input(&self.cells.start),
            rows: self.rows.raw(call, "rows", sorted)?,
        })
    }
}

/// How much memory rows have, and keep when they are made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSize {
    /// Capacity of each row, in entries.
    pub width: u32,
    /// Lines that the pool has at least, beside what it has for that width.
    pub pool: usize,
}

impl RowSize {
    /// Of rows of this width that were not too long so far.
    pub fn of(width: u32) -> Self {
        Self { width, pool: 0 }
    }

    /// Of fluid with this support, in spacings, for each set of [`Pairs`]: a third more than the neighbors that it has on its
    /// lattice, or disordered, which fills the support evenly. Walls fill half of a support, or more in a corner.
    pub fn of_support<const D: usize>(support: f64) -> [Self; 3] {
        let evenly = if D == 2 { PI * support.powi(2) } else { 4.0 / 3.0 * PI * support.powi(3) };
        let n = evenly.max(lattice::n_neighbors::<D>(support) as f64);
        [1.0, 0.5, 0.5].map(|part| Self::of(((1.3 * part * n).ceil() as u32).next_multiple_of(8)))
    }

    /// Lines of the slices of `n` rows, and of their pool.
    fn lines(self, n: usize) -> (usize, usize) {
        let lines = n.div_ceil(SLICE) * self.width as usize;
        (lines, if lines > 0 { self.pool.max(lines / POOL_SHARE).max(FEW_LINES) } else { 0 })
    }

    /// Entries of `n` rows and of their pool.
    pub fn entries(self, n: usize) -> usize {
        let (lines, pool) = self.lines(n);
        (lines + pool) * SLICE
    }

    /// Another size, for slices that need `needed` lines of a pool.
    fn grown(self, n: usize, needed: usize) -> Self {
        let (lines, pool) = self.lines(n);
        if lines == 0 || needed > lines / 2 && needed > FEW_LINES {
            return Self { width: (self.width + (self.width / 2).max(1)).next_multiple_of(8), pool };
        }
        Self { pool: needed + needed / 4, ..self }
    }
}

/// Where the slices of up to a given number of rows stand.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) size: RowSize,
    /// First line of each slice. Shape `[n / 32]`, rounded up.
    pub(crate) line: Field<u32>,
    /// Lines of the pool that are taken, and entries of long rows. Shape `[2]`.
    used: Field<u64>,
    n: usize,
}

impl Lines {
    pub(crate) fn new(executor: &dyn Executor, n: usize, size: RowSize) -> Result<Self, CudaError> {
        count(size.entries(n) / SLICE)?;
        let line: Vec<u32> = (0..n.div_ceil(SLICE)).map(|s| s as u32 * size.width).collect();
        Ok(Self { size, line: executor.upload(&line)?, used: executor.zeros(2)?, n })
    }

    /// Entries of all rows and of the pool.
    pub(crate) fn entries(&self) -> usize {
        self.size.entries(self.n)
    }

    /// The first line of the pool.
    pub(crate) fn pool_line(&self) -> u32 {
        self.size.lines(self.n).0 as u32
    }

    /// Places the slices of the first `n` rows, of so many entries.
    pub(crate) fn place<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        counts: &Field<u32>,
        n: usize,
    ) -> Launched {
        executor.clear(&mut self.used)?;
        let (width, from_line) = (self.size.width, self.pool_line());
        place_slices::<D>(executor, counts, n, width, from_line, &mut self.line, &mut self.used)
    }

    /// Lines of the pool that the last slices have taken, and entries of long rows, after all work before.
    ///
    /// # Errors
    /// When there are more lines than can be numbered, or the copy fails.
    pub(crate) fn used(&self, executor: &dyn Executor) -> Result<[usize; 2], CudaError> {
        let mut used = [0_u64; 2];
        executor.read(&self.used, &mut used)?;
        let used = used.map(|n| n as usize);
        count(used[0].saturating_add(self.entries() / SLICE))?;
        Ok(used)
    }

    /// The size that `needed` lines of a pool ask for, if it is not the present one.
    pub(crate) fn outgrown(&self, needed: usize) -> Option<RowSize> {
        (needed > self.size.lines(self.n).1).then(|| self.size.grown(self.n, needed))
    }
}

/// The rows of up to a given number of points.
#[derive(Debug)]
pub struct NeighborRows {
    /// Number of neighbors of each point. Shape `[n]`.
    pub count: Field<u32>,
    /// Entry k of row i at `(line[i / 32] + k) · 32 + i % 32`.
    pub rows: Field<u32>,
    pub(crate) lines: Lines,
}

/// The first `n` rows.
impl<C> Parameter<C> for &NeighborRows {
    type Raw = RowsRaw;

    fn raw(self, call: &Call<'_, C>, _: &'static str, n: usize) -> Result<RowsRaw, CudaError> {
        Ok(RowsRaw {
            rows: Parameter::raw(&self.rows, call, "rows", self.entries())?,
            count: Parameter::raw(&self.count, call, "counts of rows", n)?,
            line: call.executor.input(&self.lines.line),
        })
    }
}

/// Where entry `k` of row `i` stands. Twin of `entry_of` in rows.cuh.
pub(crate) fn slot(line: &[u32], i: usize, k: usize) -> usize {
    (line[i / SLICE] as usize + k) * SLICE + i % SLICE
}

/// Whose neighbors rows list.
#[derive(Debug)]
pub struct Query<'a> {
    /// Search radius, `[m]`.
    pub radius: Real,
    /// Records of the points. Shape `[n]`.
    pub records: &'a Field<Packed>,
    /// Number of points.
    pub n: usize,
    /// True when they are those that are found: a row then leaves out its own.
    pub same: bool,
}

impl NeighborRows {
    /// Buffers of the rows of `n` points: 4 bytes for each of `width + 1` entries a point, and a pool.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, n: usize, size: RowSize) -> Result<Self, CudaError> {
        let lines = Lines::new(executor, n, size)?;
        Ok(Self { count: executor.zeros(n)?, rows: executor.zeros(lines.entries())?, lines })
    }

    /// What the memory has become.
    pub fn size(&self) -> RowSize {
        self.lines.size
    }

    /// Entries of all rows and of the pool: those of a field that has a number for each entry.
    pub fn entries(&self) -> usize {
        self.lines.entries()
    }

    /// Lists the neighbors of all points of `query` among all of `from`.
    ///
    /// # Errors
    /// When the capacity is smaller, there is no memory left, a launch or a copy fails.
    pub fn list<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        query: &Query<'_>,
        from: &Source<'_, D>,
    ) -> Launched {
        self.begin(executor, query, from)?;
        self.settle(executor, query, from)
    }

    /// The same without long rows, which are cut: the host does not wait.
    fn begin<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        query: &Query<'_>,
        from: &Source<'_, D>,
    ) -> Launched {
        self.search(executor, query, from, None)?;
        self.lines.place::<D>(executor, &self.count, query.n)
    }

    /// Lists long rows, if there are any.
    fn settle<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        query: &Query<'_>,
        from: &Source<'_, D>,
    ) -> Launched {
        loop {
            let [needed, _] = self.lines.used(executor)?;
            let Some(size) = self.lines.outgrown(needed) else {
                let from_line = self.lines.pool_line();
                return if needed > 0 { self.search(executor, query, from, Some(from_line)) } else { Ok(()) };
            };
            // The old memory is free before the new is taken.
            self.rows = executor.zeros(0)?;
            *self = Self::new(executor, self.lines.n, size)?;
            self.begin(executor, query, from)?;
        }
    }

    /// Lists rows: all, without places and cut at the width, or those of slices from a line on.
    fn search<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        query: &Query<'_>,
        from: &Source<'_, D>,
        from_line: Option<u32>,
    ) -> Launched {
        let Query { radius, records, n, same } = *query;
        LIST_NEIGHBORS.expect("records", from.records.len(), from.cells.order.len())?;
        let search = Search { grid: *from.cells.grid(), radius2: radius * radius };
        let Self { count, rows, lines } = self;
        // `start` has one entry a cell of the box, which the walk does not leave, and names records below the number of
        // sorted points; rows are not written beyond their width, and slices with places have as many lines as their
        // longest row of the same search has entries.
        list_neighbors(
            executor,
            search,
            records,
            n,
            from.records,
            &from.cells.start,
            same,
            lines.size.width,
            from_line.map(|_| &lines.line),
            from_line.unwrap_or(0),
            count,
            rows,
        )
    }

    /// The first `n` rows.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn download(&self, executor: &dyn Executor, n: usize) -> Result<Vec<Vec<u32>>, CudaError> {
        let (counts, rows) = (executor.download(&self.count)?, executor.download(&self.rows)?);
        let line = executor.download(&self.lines.line)?;
        let row = |i: usize| (0..counts[i] as usize).map(|k| rows[slot(&line, i, k)]).collect();
        Ok((0..n.min(counts.len())).map(row).collect())
    }
}

/// Sets of rows of a method.
#[derive(Clone, Copy, Debug)]
pub enum Pairs {
    /// Fluid in fluid.
    Fluid,
    /// Walls of fluid.
    Walls,
    /// Fluid of walls, which only dynamic bodies need.
    OfWalls,
}

impl Pairs {
    /// The sets that a step needs: all, where fluid acts on one of `n_walls` samples (`reactions`).
    pub fn needed(n_walls: usize, reactions: bool) -> &'static [Self] {
        match (n_walls, reactions) {
            (0, _) => &[Self::Fluid],
            (_, false) => &[Self::Fluid, Self::Walls],
            (_, true) => &[Self::Fluid, Self::Walls, Self::OfWalls],
        }
    }
}

/// Lists the neighbors of sets of pairs within `radius` `[m]`: of the first `n[0]` particles and `n[1]` samples.
///
/// # Errors
/// As of [`NeighborRows::list`].
pub fn list_pairs<const D: usize>(
    executor: &dyn Executor,
    radius: Real,
    pairs: &[Pairs],
    rows: &mut [NeighborRows; 3],
    points: [Source<'_, D>; 2],
    n: [usize; 2],
) -> Launched {
    compiled_here!(
        D,
        list_each
            as fn(
                &dyn Executor,
                Real,
                &[Pairs],
                &mut [NeighborRows; 3],
                [Source<'_, D>; 2],
                [usize; 2],
            ) -> Launched
    )(executor, radius, pairs, rows, points, n)
}

fn list_each<const D: usize>(
    executor: &dyn Executor,
    radius: Real,
    pairs: &[Pairs],
    rows: &mut [NeighborRows; 3],
    [fluid, walls]: [Source<'_, D>; 2],
    n: [usize; 2],
) -> Launched {
    let of = |pairs: &Pairs| match pairs {
        Pairs::Fluid => (Query { radius, records: fluid.records, n: n[0], same: true }, &fluid),
        Pairs::Walls => (Query { radius, records: fluid.records, n: n[0], same: false }, &walls),
        Pairs::OfWalls => (Query { radius, records: walls.records, n: n[1], same: false }, &fluid),
    };
    for each in pairs {
        let (query, from) = of(each);
        rows[*each as usize].begin(executor, &query, from)?;
    }
    // All are under way before the host waits.
    for each in pairs {
        let (query, from) = of(each);
        rows[*each as usize].settle(executor, &query, from)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_until_all_rows_fit() {
        for (width, n, needed) in [(0, 1, 1), (0, 1_000, 100_000), (8, 100, 5_000), (104, 1_000_000, 900_000)]
        {
            let sizes = std::iter::successors(Some(RowSize::of(width)), |size| {
                (size.lines(n).1 < needed).then(|| size.grown(n, needed))
            });
            let sizes: Vec<_> = sizes.take(100).collect();
            assert!(sizes.len() < 100, "{width} {n} {needed}: {:?}", sizes.last());
        }
    }
}
