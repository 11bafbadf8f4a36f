//! Multicolor Gauss-Seidel: cells of one color have no neighbors in common, so that they may be swept in parallel.

use crate::params::RelaxMode;
use sph_core::{
    neighbors::{Cell, Neighbors},
    numerics::parallel::{self, Merge},
};

/// Particles of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellRange {
    /// The chunk of their rows.
    pub chunk: u32,
    /// First particle.
    pub first: u32,
    /// One past the last.
    pub end: u32,
}

impl CellRange {
    /// Its particles, from the last to the first with `reverse`.
    #[inline(always)]
    pub fn particles(self, reverse: bool) -> impl Iterator<Item = usize> {
        let Self { first, end, .. } = self;
        (first..end).map(move |k| (if reverse { first + end - 1 - k } else { k }) as usize)
    }
}

/// These cells, from the last to the first with `reverse`, each with the next one (at the end an empty one) for
/// prefetching: cells of a color are not contiguous in memory.
#[inline(always)]
pub fn with_next(cells: &[CellRange], reverse: bool) -> impl Iterator<Item = (CellRange, CellRange)> {
    let nth = move |k: usize| cells.get(if reverse { cells.len().wrapping_sub(1 + k) } else { k }).copied();
    (0..cells.len()).map(move |k| (nth(k).unwrap_or_default(), nth(k + 1).unwrap_or_default()))
}

/// Cells of a task.
const PIECE: usize = 16;
/// Colors of an axis: three, and two for the last cells of a periodic axis.
const OF_AXIS: usize = 5;
/// Colors in 3D.
const ALL: usize = OF_AXIS * OF_AXIS * OF_AXIS;

/// The occupied cells, sorted by color and position.
#[derive(Debug, Default)]
pub struct Colors {
    cells: Vec<CellRange>,
    /// Color of each cell, in the order of the cells.
    color: Vec<u8>,
    /// Where each color begins; the last entry is the number of cells.
    starts: Vec<usize>,
}

/// Color of a coordinate on an axis with `turn` cells, or a nonperiodic one (0). Cells of one color are three apart,
/// also across the end of a period.
pub fn of_axis(c: i32, turn: i32) -> usize {
    let whole = turn - turn % 3;
    let color = if turn > 0 && c >= whole { 3 + c - whole } else { c.rem_euclid(3) };
    color as usize
}

impl Colors {
    /// Takes the cells of the last listing. The published order is a single color with all cells.
    pub fn update<const D: usize>(&mut self, neighbors: &Neighbors<D>, mode: RelaxMode) {
        let cells = neighbors.cells();
        let turn = cells.frame.turn;
        let of = |cell: &Cell<D>| match mode {
            RelaxMode::Sequential => 0,
            _ => (0..D).rev().fold(0, |color, a| OF_AXIS * color + of_axis(cell.at[a], turn[a])),
        };
        let occupied = cells.occupied.split_last().map_or(&[][..], |(_, cells)| cells);
        self.color.clear();
        self.color.extend(occupied.iter().map(|cell| of(cell) as u8));
        let mut next = [0_usize; ALL + 1];
        for &color in &self.color {
            next[usize::from(color) + 1] += 1;
        }
        for color in 0..ALL {
            next[color + 1] += next[color];
        }
        self.starts.clear();
        self.starts.extend(next);
        self.cells.resize(occupied.len(), CellRange::default());
        let (mut chunk, chunks) = (0, neighbors.fluid.chunks());
        for (k, cell) in occupied.iter().enumerate() {
            while chunks[chunk].end <= cell.start as usize {
                chunk += 1;
            }
            let slot = &mut next[usize::from(self.color[k])];
            let end = cells.occupied[k + 1].start;
            self.cells[*slot] = CellRange { chunk: chunk as u32, first: cell.start, end };
            *slot += 1;
        }
    }

    /// Runs `sweep` over the cells of one color after the other, in parallel within a color; in the published order
    /// over all cells on one thread. `reverse` reverses the order of colors; `sweep` has to reverse that of cells and
    /// particles.
    pub fn for_each<R: Merge + Default>(
        &self,
        mode: RelaxMode,
        reverse: bool,
        sweep: impl Fn(&[CellRange]) -> R + Sync,
    ) -> R {
        if mode == RelaxMode::Sequential {
            return sweep(&self.cells);
        }
        let one = |color: usize| {
            let cells = &self.cells[self.starts[color]..self.starts[color + 1]];
            if cells.is_empty() {
                return R::default();
            }
            let piece = |k: usize, ()| sweep(&cells[k * PIECE..((k + 1) * PIECE).min(cells.len())]);
            parallel::pieces(0..cells.len().div_ceil(PIECE), &|_| 0, (), &piece)
        };
        let colors = 0..self.starts.len().saturating_sub(1);
        let merge = |all: R, color: usize| all.merge(one(color));
        if reverse { colors.rev().fold(R::default(), merge) } else { colors.fold(R::default(), merge) }
    }
}

/// Records that tasks of one color write in parallel.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T> {
    first: *mut T,
    len: usize,
}

// SAFETY: callers of `Shared::at` vouch that no other task accesses the item.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The items of a slice, which the caller keeps borrowed.
    pub fn new(items: &mut [T]) -> Self {
        Self { first: items.as_mut_ptr(), len: items.len() }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The place of item `i`.
    ///
    /// # Safety
    /// `i` is below the length. What is read and written there is touched by no other task at the same time: items of
    /// particles in a cell and in the cells around it, by the task that sweeps the cell.
    #[inline(always)]
    pub unsafe fn at(&self, i: usize) -> *mut T {
        debug_assert!(i < self.len);
        // SAFETY: the caller vouches for `i`.
        unsafe { self.first.add(i) }
    }
}
