//! Levels of the aggregation multigrid preconditioner of the staggered projection.
//!
//! Unknowns of the first level are the occupied cells of the neighbor search, those of the next levels cells twice as
//! wide, as in `solver-projection/src/aggregation.rs`: the same cells in the same order, and sums of entries that
//! differ by roundings alone. `vcycle.rs` has the cycle over them.
//!
//! **Layout.** A number for each dense cell of each level, from one sum over all of them, is also the place of an
//! occupied cell among those of all levels. Rows stand slot by slot, so that threads beside each other read numbers
//! beside each other. How many cells the levels have, the host reads once for each time they are built.

use crate::{
    common::{
        numerics::scan::Scan,
        search::{
            cells::{CellGrid, CellSort},
            neighbors::NeighborRows,
        },
    },
    device::{
        error::CudaError,
        executor::{Executor, Field, Kernel, count},
        launch::Launched,
    },
};
use sph_core::{Real, numerics::lane::each};

crate::device::launch::generated!("projection_aggregation.rs");

const NUMBER_CELLS: Kernel = Kernel { file: "projection/aggregation.cu", name: "projection_number_cells" };

/// A level has at least a quarter fewer cells than the one below, and no level follows one of so few. Twin of `FEW` in
/// `solver-projection/src/aggregation.rs`.
const FEW: usize = 8;
/// Most levels: more than the numbers of cells allow.
const MOST: usize = 40;
/// A capacity of so many cells costs nothing, however few the particles.
const SPARE: usize = 1024;

/// Cells around a cell, and itself. Twin of `WIDTH` in projection/aggregation.cuh.
const fn width<const D: usize>() -> usize {
    3_usize.pow(D as u32)
}

impl<const D: usize> CellBox<D> {
    /// Of the cells of the neighbor search.
    fn of(grid: &CellGrid<D>) -> Self {
        let (low, extent, turn) = grid.bounds();
        Self { low, extent: extent.map(|n| n as i32), turn: turn.map(|n| n as i32), begin: 0 }
    }

    /// Number of its cells.
    fn len(&self) -> usize {
        self.extent.iter().map(|&n| n as usize).product()
    }

    /// Cells twice as wide, numbered behind these.
    fn wide(&self) -> Self {
        let low = self.low.map(|x| x >> 1);
        Self {
            low,
            extent: each(|a| ((self.low[a] + self.extent[a] - 1) >> 1) - low[a] + 1),
            turn: self.turn.map(|n| (n + 1) / 2),
            begin: self.begin + self.len() as u32,
        }
    }

    /// Those of all levels that there may be.
    fn all(grid: &CellGrid<D>) -> Vec<Self> {
        let mut boxes = vec![Self::of(grid)];
        while let Some(last) = boxes.last().filter(|last| last.len() > FEW && boxes.len() < MOST) {
            boxes.push(last.wide());
        }
        boxes
    }
}

/// Dense cells of all levels.
fn n_dense<const D: usize>(boxes: &[CellBox<D>]) -> usize {
    boxes.iter().map(CellBox::len).sum()
}

/// What is known of the occupied cells of all levels, as of [`Cells`].
#[derive(Debug)]
struct Held {
    stride: usize,
    key: Field<u32>,
    parent: Field<u32>,
    first: Field<u32>,
    near: Field<u32>,
    off_diagonal: Field<Real>,
    dirichlet: Field<Real>,
    diagonal: Field<Real>,
    r: Field<Real>,
    z: Field<Real>,
    q: Field<Real>,
}

impl Held {
    fn new(executor: &dyn Executor, width: usize, stride: usize) -> Result<Self, CudaError> {
        // Kernels number the threads of whole rows of slots.
        count(stride * width)?;
        Ok(Self {
            stride,
            key: executor.zeros(stride)?,
            parent: executor.zeros(stride)?,
            first: executor.zeros(stride + 1)?,
            near: executor.zeros(width * stride)?,
            off_diagonal: executor.zeros(width * stride)?,
            dirichlet: executor.zeros(stride)?,
            diagonal: executor.zeros(stride)?,
            r: executor.zeros(stride)?,
            // Nothing writes the number of the null cell.
            z: executor.zeros(stride + 1)?,
            q: executor.zeros(stride + 1)?,
        })
    }
}

/// Initial capacity, in cells of all levels: twice those of `n` particles on their lattice, with a radius of
/// `support_ratio` spacings `[-]`.
pub fn initial_capacity<const D: usize>(n: usize, support_ratio: f64) -> usize {
    let lattice = n as f64 / support_ratio.powi(D as i32);
    (2.0 * lattice).ceil() as usize + SPARE
}

/// The levels above the particles.
#[derive(Debug)]
pub struct Multigrid<const D: usize> {
    /// Dense boxes of all levels that there may be, the finest first; the same on the device.
    boxes: Vec<CellBox<D>>,
    pub(super) boxes_there: Field<CellBox<D>>,
    /// The number of each dense cell among those that are occupied. Shape `[dense cells + 1]`.
    map: Field<u32>,
    scan: Scan,
    /// Where the cells of each level begin, and the end of all; the same on the host. Shape `[levels + 1]`.
    pub(super) ends: Field<u32>,
    ends_here: Vec<u32>,
    /// The cell of each particle. Shape `[n]`.
    pub(super) of: Field<u32>,
    held: Held,
    /// Multigrid in use, the finest first.
    pub(super) in_use: Vec<Level<D>>,
}

/// The equation `D_c z_c − Σ_c' w_cc' z_c' = r_c` of the cells of a level, which are numbered from 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct CellEquation {
    /// The aggregate of each unknown, of particles or of cells of the level below.
    pub of: Vec<u32>,
    /// Cells around each cell, and the entries w with them, `[1/m²]`.
    pub rows: Vec<Vec<(u32, Real)>>,
    /// The diagonal D, `[1/m²]`.
    pub diagonal: Vec<Real>,
}

/// The equation of the particles, whose sums are those of the cells.
#[derive(Clone, Copy, Debug)]
pub struct Fine<'a, const D: usize> {
    /// Their cells, sorted.
    pub cells: &'a CellSort<D>,
    /// Rows of the fluid, of `n` particles.
    pub rows: &'a NeighborRows,
    /// Entries c of the matrix `A_ij = −c_ij`, in the layout of the rows, `[1/m²]`.
    pub entries: &'a Field<Real>,
    /// Dirichlet term. Shape `[n]`, `[1/m²]`.
    pub dirichlet: &'a Field<Real>,
    /// Number of particles.
    pub n: usize,
}

impl<const D: usize> Multigrid<D> {
    /// Buffers of the levels over `n` particles in these cells, with `capacity` cells of all levels. The capacity grows
    /// when more is needed.
    ///
    /// # Errors
    /// When there is no memory left, or there are too many cells.
    pub fn new(
        executor: &dyn Executor,
        grid: &CellGrid<D>,
        n: usize,
        capacity: usize,
    ) -> Result<Self, CudaError> {
        let boxes = CellBox::all(grid);
        let dense = n_dense(&boxes) + 1;
        count(dense)?;
        Ok(Self {
            boxes_there: executor.upload(&boxes)?,
            map: executor.zeros(dense)?,
            scan: Scan::new(executor, dense)?,
            ends: executor.zeros(boxes.len() + 1)?,
            ends_here: vec![0; boxes.len() + 1],
            of: executor.zeros(n)?,
            held: Held::new(executor, width::<D>(), capacity.next_multiple_of(32))?,
            in_use: Vec::with_capacity(boxes.len()),
            boxes,
        })
    }

    /// Takes other cells of particles, for the next [`Multigrid::build`]. Memory of the old ones is free before that of the
    /// new ones is taken.
    ///
    /// # Errors
    /// As of [`Multigrid::new`].
    pub fn refit(&mut self, executor: &dyn Executor, grid: &CellGrid<D>) -> Result<(), CudaError> {
        let boxes = CellBox::all(grid);
        let dense = n_dense(&boxes) + 1;
        count(dense)?;
        (self.map, self.scan) = (executor.zeros(0)?, Scan::new(executor, 0)?);
        (self.map, self.scan) = (executor.zeros(dense)?, Scan::new(executor, dense)?);
        self.boxes_there = executor.upload(&boxes)?;
        (self.ends, self.ends_here) = (executor.zeros(boxes.len() + 1)?, vec![0; boxes.len() + 1]);
        self.in_use.clear();
        self.boxes = boxes;
        Ok(())
    }

    /// Number of cells of each level in use, the finest first.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.in_use.iter().map(|level| level.n as usize)
    }

    /// The equation of level `l` of those in use.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn equation(&self, executor: &dyn Executor, l: usize) -> Result<CellEquation, CudaError> {
        let (level, held) = (self.in_use[l], &self.held);
        let of = executor.download(if l == 0 { &self.of } else { &held.parent })?;
        let below = if l == 0 {
            0..of.len()
        } else {
            let fine = self.in_use[l - 1];
            fine.first as usize..(fine.first + fine.n) as usize
        };
        let (near, off_diagonal) = (executor.download(&held.near)?, executor.download(&held.off_diagonal)?);
        let cells = level.first as usize..(level.first + level.n) as usize;
        let row = |c: usize| {
            let places = (0..width::<D>()).map(|slot| slot * held.stride + c);
            let held = places.filter(|&k| (near[k] as usize) < held.stride);
            held.map(|k| (near[k] - level.first, off_diagonal[k])).collect()
        };
        Ok(CellEquation {
            of: of[below].iter().map(|c| c - level.first).collect(),
            rows: cells.clone().map(row).collect(),
            diagonal: executor.download(&held.diagonal)?[cells].to_vec(),
        })
    }

    pub(super) fn fields(&mut self, executor: &dyn Executor) -> Cells {
        let held = &mut self.held;
        Cells {
            stride: held.stride as u32,
            map: executor.output(&mut self.map),
            key: executor.output(&mut held.key),
            parent: executor.output(&mut held.parent),
            first: executor.output(&mut held.first),
            near: executor.output(&mut held.near),
            off_diagonal: executor.output(&mut held.off_diagonal),
            dirichlet: executor.output(&mut held.dirichlet),
            diagonal: executor.output(&mut held.diagonal),
            r: executor.output(&mut held.r),
            z: executor.output(&mut held.z),
            q: executor.output(&mut held.q),
        }
    }

    /// Builds all levels over the particles of a step. The host waits once, for the numbers of cells.
    ///
    /// # Errors
    /// When a field is too short, there is no memory left, or a launch or the copy fails.
    pub fn build(&mut self, executor: &dyn Executor, fine: &Fine<'_, D>) -> Result<(), CudaError> {
        self.count_cells(executor, fine)?;
        self.choose();
        let needed = self.ends_here.last().map_or(0, |&n| n as usize);
        if needed > self.held.stride {
            let more = (needed + needed / 4).next_multiple_of(32);
            self.held = Held::new(executor, width::<D>(), 0)?;
            self.held = Held::new(executor, width::<D>(), more)?;
        }
        self.number_cells(executor, fine)?;
        self.gather(executor, fine)?;
        (1..self.in_use.len()).try_for_each(|l| self.join(executor, l))
    }

    /// Marks and numbers the cells of all levels that there may be.
    fn count_cells(&mut self, executor: &dyn Executor, fine: &Fine<'_, D>) -> Result<(), CudaError> {
        let (boxes, dense) = (&self.boxes, n_dense(&self.boxes));
        // The dense cells of a wider level are those around the ones of the finer level.
        mark_cells::<D>(executor, &fine.cells.start, boxes[0].len(), &mut self.map)?;
        for pair in boxes.windows(2) {
            mark_wide(executor, pair[0], pair[1], pair[1].len(), &mut self.map)?;
        }
        self.scan.exclusive::<D>(executor, &mut self.map, dense + 1)?;
        count_cells(executor, &self.boxes_there, boxes.len(), dense, &self.map, &mut self.ends)?;
        executor.read(&self.ends, &mut self.ends_here)
    }

    /// Which levels are of use: as on the processor.
    fn choose(&mut self) {
        self.in_use.clear();
        for (of, ends) in self.boxes.iter().zip(self.ends_here.windows(2)) {
            let n = ends[1] - ends[0];
            let is_enough =
                |fine: &Level<D>| fine.n as usize <= FEW || 4 * u64::from(n) > 3 * u64::from(fine.n);
            if self.in_use.last().is_some_and(is_enough) {
                return;
            }
            self.in_use.push(Level { of: *of, first: ends[0], n });
        }
    }

    fn number_cells(&mut self, executor: &dyn Executor, fine: &Fine<'_, D>) -> Launched {
        NUMBER_CELLS.expect("order", fine.cells.order.len(), fine.n)?;
        let (dense, n_cells) = (n_dense(&self.boxes), self.boxes[0].len());
        let cells = self.fields(executor);
        number_cells::<D>(executor, cells, dense, &fine.cells.start, n_cells, &mut self.of, fine.n)
    }

    /// The equation of the first level, of that of the particles.
    fn gather(&mut self, executor: &dyn Executor, fine: &Fine<'_, D>) -> Launched {
        let (level, cells) = (self.in_use[0], self.fields(executor));
        gather_off_diagonal(executor, level, cells, fine.rows, fine.entries, &self.of)?;
        sum_dirichlet(executor, level, cells, fine.dirichlet, fine.n)
    }

    /// The equation of level `l`, of that of the level below.
    fn join(&mut self, executor: &dyn Executor, l: usize) -> Launched {
        let (fine, coarse, cells) = (self.in_use[l - 1], self.in_use[l], self.fields(executor));
        join_off_diagonal(executor, fine, coarse, cells)?;
        join_dirichlet(executor, fine, coarse, cells)
    }
}
