//! Coarser equations of the staggered projection: launchers of `kernels/projection_levels.cu`.
//!
//! Unknowns of the first level are the occupied cells of the neighbor search, those of the next levels cells twice as
//! wide, as in `solver-projection/src/levels.rs`: the same cells in the same order, and sums of couplings that
//! differ by roundings alone. `projection_multilevel.rs` has the cycle over them.
//!
//! **Layout.** A number for each dense cell of each level, from one sum over all of them, is also the place of an
//! occupied cell among those of all levels. Rows stand slot by slot, so that threads beside each other read numbers
//! beside each other. How many cells the levels have, the host reads once for each time they are built.

use crate::{
    cells::{CellGrid, CellSort},
    error::CudaError,
    executor::{Executor, Field, Kernel, Launch, Out, Plain, THREADS, arguments, count},
    neighbors::{NeighborRows, StoredRows},
    scan::Scan,
};
use sph_core::{Real, numerics::lane::each};

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_levels.cu", name: $name };)+
    };
}
kernels! {
    MARK_CELLS = "projection_mark_cells", MARK_WIDE = "projection_mark_wide", COUNT_CELLS = "projection_count_cells",
    NUMBER_CELLS = "projection_number_cells", GATHER_COUPLINGS = "projection_gather_couplings",
    JOIN_COUPLINGS = "projection_join_couplings", GATHER_AIR = "projection_gather_air",
    JOIN_AIR = "projection_join_air",
}

/// A level has at least a quarter fewer cells than the one below, and no level follows one of so few. Twin of `FEW` in
/// `solver-projection/src/levels.rs`.
const FEW: usize = 8;
/// Most levels: more than the numbers of cells allow.
const MOST: usize = 40;
/// Room for so many cells costs nothing, however few the particles.
const SPARE: usize = 1024;

/// Cells around a cell, and itself. Twin of `WIDTH` in kernels/projection_levels.cuh.
const fn width<const D: usize>() -> usize {
    3_usize.pow(D as u32)
}

/// The dense box of a level. Twin of `CellBox` in kernels/projection_levels.cuh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CellBox<const D: usize> {
    low: [i32; D],
    extent: [i32; D],
    turn: [i32; D],
    begin: u32,
}

impl<const D: usize> Default for CellBox<D> {
    fn default() -> Self {
        Self { low: [0; D], extent: [0; D], turn: [0; D], begin: 0 }
    }
}

// SAFETY: of `repr(C)`, of numbers of the same size alone.
unsafe impl<const D: usize> Plain for CellBox<D> {}

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

/// A level. Twin of `Level` in kernels/projection_levels.cuh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Level<const D: usize> {
    of: CellBox<D>,
    pub(super) first: u32,
    pub(super) n: u32,
}

/// Twin of `Cells` in kernels/projection_levels.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct CellFields {
    stride: u32,
    map: Out<u32>,
    key: Out<u32>,
    parent: Out<u32>,
    first: Out<u32>,
    near: Out<u32>,
    couplings: Out<Real>,
    air: Out<Real>,
    diagonal: Out<Real>,
    r: Out<Real>,
    z: Out<Real>,
    q: Out<Real>,
}

/// What is known of the occupied cells of all levels, as of `Cells` in kernels/projection_levels.cuh.
#[derive(Debug)]
struct Held {
    stride: usize,
    key: Field<u32>,
    parent: Field<u32>,
    first: Field<u32>,
    near: Field<u32>,
    couplings: Field<Real>,
    air: Field<Real>,
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
            couplings: executor.zeros(width * stride)?,
            air: executor.zeros(stride)?,
            diagonal: executor.zeros(stride)?,
            r: executor.zeros(stride)?,
            // Nothing writes the number of the null cell.
            z: executor.zeros(stride + 1)?,
            q: executor.zeros(stride + 1)?,
        })
    }
}

/// Cells of all levels that there is room for at first: twice those of `n` particles on their lattice, with a radius of
/// `support_ratio` spacings `[-]`.
pub fn first_room<const D: usize>(n: usize, support_ratio: f64) -> usize {
    let lattice = n as f64 / support_ratio.powi(D as i32);
    (2.0 * lattice).ceil() as usize + SPARE
}

/// The levels above the particles.
#[derive(Debug)]
pub struct Levels<const D: usize> {
    /// Dense boxes of all levels that there may be, the finest first; the same on the card.
    boxes: Vec<CellBox<D>>,
    pub(super) boxes_there: Field<CellBox<D>>,
    /// The number of each dense cell among those that are occupied. Shape `[dense cells + 1]`.
    map: Field<u32>,
    scan: Scan,
    /// Where the cells of each level begin, and the end of all; the same at home. Shape `[levels + 1]`.
    pub(super) ends: Field<u32>,
    ends_here: Vec<u32>,
    /// The cell of each particle. Shape `[n]`.
    pub(super) of: Field<u32>,
    held: Held,
    /// Levels in use, the finest first.
    pub(super) in_use: Vec<Level<D>>,
}

/// The equation `D_c z_c − Σ_c' w_cc' z_c' = r_c` of the cells of a level, which are numbered from 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct CellEquation {
    /// The cell of each member, of particles or of cells of the level below.
    pub of: Vec<u32>,
    /// Cells around each cell, and the couplings w with them, `[1/m²]`.
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
    /// Weight of the air. Shape `[n]`, `[1/m²]`.
    pub air: &'a Field<Real>,
    /// Number of particles.
    pub n: usize,
}

impl<const D: usize> Levels<D> {
    /// Room for levels over `n` particles in these cells, with `room` cells of all levels. There will be more room when
    /// more is needed.
    ///
    /// # Errors
    /// When there is no memory left, or there are too many cells.
    pub fn new(
        executor: &dyn Executor,
        grid: &CellGrid<D>,
        n: usize,
        room: usize,
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
            held: Held::new(executor, width::<D>(), room.next_multiple_of(32))?,
            in_use: Vec::with_capacity(boxes.len()),
            boxes,
        })
    }

    /// Takes other cells of particles, for the next [`Levels::build`]. Memory of the old ones is free before that of the
    /// new ones is taken.
    ///
    /// # Errors
    /// As of [`Levels::new`].
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
        let (near, couplings) = (executor.download(&held.near)?, executor.download(&held.couplings)?);
        let cells = level.first as usize..(level.first + level.n) as usize;
        let row = |c: usize| {
            let places = (0..width::<D>()).map(|slot| slot * held.stride + c);
            let held = places.filter(|&k| (near[k] as usize) < held.stride);
            held.map(|k| (near[k] - level.first, couplings[k])).collect()
        };
        Ok(CellEquation {
            of: of[below].iter().map(|c| c - level.first).collect(),
            rows: cells.clone().map(row).collect(),
            diagonal: executor.download(&held.diagonal)?[cells].to_vec(),
        })
    }

    pub(super) fn fields(&mut self, executor: &dyn Executor) -> CellFields {
        let held = &mut self.held;
        CellFields {
            stride: held.stride as u32,
            map: executor.output(&mut self.map),
            key: executor.output(&mut held.key),
            parent: executor.output(&mut held.parent),
            first: executor.output(&mut held.first),
            near: executor.output(&mut held.near),
            couplings: executor.output(&mut held.couplings),
            air: executor.output(&mut held.air),
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
        let (start, n_cells, dense) = (&fine.cells.start, self.boxes[0].len(), n_dense(&self.boxes));
        MARK_CELLS.expect("start", start.len(), n_cells + 1)?;
        let (start, map, n) = (executor.input(start), executor.output(&mut self.map), count(n_cells)?);
        // SAFETY: `start` has an item more than cells, the map one for each dense cell; the dense cells of a wider
        // level are those around the ones of the finer level.
        unsafe { executor.launch(MARK_CELLS.for_each(D, n_cells)?, arguments![start, n, @marks map])? };
        for pair in self.boxes.windows(2) {
            let (launch, n) = (MARK_WIDE.for_each(D, pair[1].len())?, count(pair[1].len())?);
            // SAFETY: as above.
            unsafe { executor.launch(launch, arguments![@fine pair[0], @coarse pair[1], n, @marks map])? };
        }
        self.scan.exclusive(executor, D, &mut self.map, dense + 1)?;
        let n_levels = self.boxes.len();
        let (boxes, map) = (executor.input(&self.boxes_there), executor.input(&self.map));
        let (number, dense) = (count(n_levels)?, count(dense)?);
        let ends = executor.output(&mut self.ends);
        let launch = COUNT_CELLS.for_each(D, n_levels + 1)?;
        // SAFETY: there is an end more than levels.
        unsafe { executor.launch(launch, arguments![boxes, @n_levels number, @n_dense dense, map, ends])? };
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

    fn number_cells(&mut self, executor: &dyn Executor, fine: &Fine<'_, D>) -> Result<(), CudaError> {
        NUMBER_CELLS.expect("cells of particles", self.of.len(), fine.n)?;
        NUMBER_CELLS.expect("order", fine.cells.order.len(), fine.n)?;
        let dense = n_dense(&self.boxes);
        let (start, n_cells) = (executor.input(&fine.cells.start), count(self.boxes[0].len())?);
        let (cells, of) = (self.fields(executor), executor.output(&mut self.of));
        // SAFETY: there is room for all cells, and `start` counts the n particles.
        unsafe {
            let launch = NUMBER_CELLS.for_each(D, dense)?;
            executor.launch(launch, arguments![cells, @n_dense count(dense)?, start, n_cells, of])
        }
    }

    /// The equation of the first level, of that of the particles.
    fn gather(&mut self, executor: &dyn Executor, fine: &Fine<'_, D>) -> Result<(), CudaError> {
        let (kernel, n, entries) = (GATHER_COUPLINGS, fine.n, fine.rows.entries());
        kernel.expect("rows", fine.rows.rows.len(), entries)?;
        kernel.expect("counts of rows", fine.rows.count.len(), n)?;
        kernel.expect("entries", fine.entries.len(), entries)?;
        GATHER_AIR.expect("air", fine.air.len(), n)?;
        let (level, cells) = (self.in_use[0], self.fields(executor));
        let rows = StoredRows {
            rows: executor.input(&fine.rows.rows),
            count: executor.input(&fine.rows.count),
            line: executor.input(&fine.rows.lines.line),
        };
        let (entries, of) = (executor.input(fine.entries), executor.input(&self.of));
        let blocks = level.n.div_ceil(THREADS / 32);
        let launch = Launch { kernel, dim: D, smoothing: None, blocks, threads: THREADS };
        // SAFETY: neighbors are in cells beside each other, which have numbers.
        unsafe { executor.launch(launch, arguments![level, cells, rows, entries, of])? };
        let air = executor.input(fine.air);
        // SAFETY: cells hold the first n particles.
        unsafe { executor.launch(GATHER_AIR.for_each(D, level.n as usize)?, arguments![level, cells, air]) }
    }

    /// The equation of level `l`, of that of the level below.
    fn join(&mut self, executor: &dyn Executor, l: usize) -> Result<(), CudaError> {
        let (fine, coarse, cells) = (self.in_use[l - 1], self.in_use[l], self.fields(executor));
        let n = coarse.n as usize;
        // SAFETY: cells of both levels have numbers, and rows of the finer one are there.
        unsafe {
            executor
                .launch(JOIN_COUPLINGS.for_each(D, n * width::<D>())?, arguments![fine, coarse, cells])?;
            executor.launch(JOIN_AIR.for_each(D, n)?, arguments![fine, coarse, cells])
        }
    }
}
