//! The stable sort of particles by cell.
//!
//! Cells, their order and the order in them are those of [`sph_core::neighbors::Cells`] with the dense grid. The box of
//! cells is given ([`cell_box`](crate::common::run::cell_box) chooses it), so that no step waits for an extent to come
//! back from the GPU; it changes no order as long as all particles lie in it.

use crate::{
    common::numerics::scan::Scan,
    device::{
        error::CudaError,
        executor::{Executor, Field, In, Kernel},
        launch::Launched,
    },
};
use sph_core::{
    Real,
    neighbors::{CellFrame, Periodic, TooManyCells},
};

crate::device::launch::generated!("common_search_cells.rs");

const COUNT_CELLS: Kernel = Kernel { file: "common/search/cells.cu", name: "count_cells" };

/// Cells are this much wider than the radius: `SLACK` of the processor's frame.
const SLACK: f64 = 1.0 + 1e-5;
/// More cells than this a particle, or than [`DENSE_MIN`], are refused, as on the processor.
const DENSE_PER_POINT: usize = 64;
const DENSE_MIN: usize = 1 << 22;

impl<const D: usize> CellGrid<D> {
    /// Cells for a search within `radius` `[m]`, in a box that holds all points from `low` to `high` `[m]`, and on a
    /// periodic axis the whole turn; `n` is the number of particles. A box whose ends are not in order is empty.
    ///
    /// # Errors
    /// When there are too many cells for so few particles, or a periodic axis holds less than three.
    pub fn new(
        radius: Real,
        periodic: &Periodic<D>,
        low: [Real; D],
        high: [Real; D],
        n: usize,
    ) -> Result<Self, CudaError> {
        let frame = CellFrame::new(radius, periodic);
        if let Some(a) = (0..D).find(|&a| periodic.is_periodic(a) && frame.turn[a] < 3) {
            let length = f64::from(periodic.length[a]);
            return Err(CudaError::PeriodTooShort { length, radius: f64::from(radius) });
        }
        let edge = f64::from(radius) * SLACK;
        let turn = frame.turn;
        let mut grid = Self {
            origin: std::array::from_fn(|a| if turn[a] > 0 { f64::from(periodic.low[a]) } else { 0.0 }),
            inv_edge: std::array::from_fn(|a| match turn[a] {
                0 => 1.0 / edge,
                cells => f64::from(cells) / f64::from(periodic.length[a]),
            }),
            length: periodic.length,
            turn,
            low: frame.cell(low),
            extent: [0; D],
            periodic: i32::from(periodic.any()),
        };
        if (0..D).all(|a| low[a] <= high[a]) {
            let end = frame.cell(high);
            for a in 0..D {
                // What leaves the box on an axis without ends is at no surface, and has neighbors on both sides.
                (grid.low[a], grid.extent[a]) = match turn[a] {
                    0 => (grid.low[a], end[a].saturating_sub(grid.low[a]).saturating_add(1)),
                    cells => (0, cells),
                };
            }
        }
        let cells: f64 = grid.extent.iter().map(|&e| f64::from(e)).product();
        if cells > (n * DENSE_PER_POINT).max(DENSE_MIN) as f64 {
            return Err(TooManyCells { cells, points: n }.into());
        }
        Ok(grid)
    }

    /// First cell of the box on each axis, its cells, and the cells of a periodic axis, 0 on the others.
    pub fn bounds(&self) -> ([i32; D], [u32; D], [u32; D]) {
        (self.low, self.extent.map(|cells| cells.max(0) as u32), self.turn.map(|cells| cells.max(0) as u32))
    }

    /// Number of cells in the box.
    pub fn n_cells(&self) -> usize {
        self.extent.iter().map(|&e| e.max(0) as usize).product()
    }
}

/// The order of a set of particles by cell, and where each cell begins.
#[derive(Debug)]
pub struct CellSort<const D: usize> {
    grid: CellGrid<D>,
    /// The new particle `k` is the old `order[k]`. Shape `[n]`.
    pub order: Field<u32>,
    /// First particle of each cell in the new order, n, and how many are outside of the box. Shape `[cells + 2]`.
    pub start: Field<u32>,
    key: Field<u32>,
    rank: Field<u32>,
    placed: Field<u32>,
    scan: Scan,
}

impl<const D: usize> CellSort<D> {
    /// Buffers for `n` particles: 16 bytes a particle and 4 a cell.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, grid: CellGrid<D>, n: usize) -> Result<Self, CudaError> {
        let cells = grid.n_cells() + 1;
        Ok(Self {
            order: executor.zeros(n)?,
            start: executor.zeros(cells + 1)?,
            key: executor.zeros(n)?,
            rank: executor.zeros(n)?,
            placed: executor.zeros(n)?,
            scan: Scan::new(executor, cells)?,
            grid,
        })
    }

    /// The cells.
    pub fn grid(&self) -> &CellGrid<D> {
        &self.grid
    }

    /// Two fields that only a sort uses, for other work between two sorts. Shape `[n]`.
    pub(crate) fn spare(&mut self) -> (&mut Field<u32>, &mut Field<u32>) {
        (&mut self.rank, &mut self.placed)
    }

    /// Takes other cells, for the next sort. Memory of the old ones is free before that of the new ones is taken.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn refit(&mut self, executor: &dyn Executor, grid: CellGrid<D>) -> Result<(), CudaError> {
        (self.start, self.scan) = (executor.zeros(0)?, Scan::new(executor, 0)?);
        let cells = grid.n_cells() + 1;
        (self.start, self.scan) = (executor.zeros(cells + 1)?, Scan::new(executor, cells)?);
        self.grid = grid;
        Ok(())
    }

    /// Where the last sort has counted the points outside of the box.
    pub(crate) fn outside(&self, executor: &dyn Executor) -> In<u32> {
        executor.input(&self.start).item(self.grid.n_cells() + 1)
    }

    /// Finds the stable order of the first `n` points of `x` by cell. Points outside of the box count to its
    /// nearest cell.
    ///
    /// # Errors
    /// When the capacity is smaller, or a launch fails.
    pub fn sort(&mut self, executor: &dyn Executor, x: &[Field<Real>; D], n: usize) -> Launched {
        COUNT_CELLS.expect("order", self.order.len(), n)?;
        // Points of an empty box have no cell.
        COUNT_CELLS.expect("cells", self.grid.n_cells(), n.min(1))?;
        executor.clear(&mut self.start)?;
        count_cells(executor, self.grid, x, n, &mut self.key, &mut self.rank, &mut self.start)?;
        self.scan.exclusive::<D>(executor, &mut self.start, self.grid.n_cells() + 1)?;
        let Self { order, start, key, rank, placed, .. } = self;
        // Places are below n, since counts and ranks come from the same particles.
        place_particles::<D>(executor, key, rank, start, n, placed)?;
        order_cells::<D>(executor, key, start, placed, n, order)
    }
}

impl<const D: usize> Slices<D> {
    /// Of a box from its lower to its upper ends, `[m]`.
    pub(crate) fn of((low, high): ([Real; D], [Real; D])) -> Self {
        let (low, high) = (low.map(f64::from), high.map(f64::from));
        let per_length =
            |a: usize| if high[a] > low[a] { f64::from(SLICES) / (high[a] - low[a]) } else { 0.0 };
        Self { low, per_length: std::array::from_fn(per_length) }
    }

    /// The same as [`Slices::count`], on the host.
    pub(crate) fn count_here(self, x: &[Vec<Real>; D], count: &mut [u32]) {
        for (a, x) in x.iter().enumerate() {
            let place = |x: &Real| (f64::from(*x) - self.low[a]) * self.per_length[a];
            for place in x.iter().map(place).filter(|place| (0.0..=f64::from(SLICES)).contains(place)) {
                count[a * SLICES as usize + (place as usize).min(SLICES as usize - 1)] += 1;
            }
        }
    }
}
