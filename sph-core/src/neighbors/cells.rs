//! Points in the order of their cells, and where each cell begins.
//!
//! Cells are numbered row-major with x fastest, so three cells in a row of x are one run of points.
//! The sort is stable: points of a cell keep the order they had, unless they have ids to stand by.

use super::{
    Backend,
    frame::{CellFrame, Periodic},
    hash::CellTable,
};
use crate::{
    Real,
    numerics::{lane::each, parallel},
};
use rayon::slice::ParallelSliceMut;
use std::ops::Range;

/// A cell that holds points.
#[derive(Clone, Copy, Debug)]
pub struct Cell<const D: usize> {
    /// First point of the cell; the next cell's is the end.
    pub start: u32,
    /// Integer coordinates.
    pub at: [i32; D],
}

/// A run of points near a cell, and the whole periods to add to them.
#[derive(Clone, Copy, Debug)]
pub struct Run<const D: usize> {
    /// Points `start..end`.
    pub start: usize,
    /// End of the run.
    pub end: usize,
    /// What to add to the points so that they lie next to the cell, `[m]`.
    pub shift: [Real; D],
}

/// More cells than this a point, or than [`DENSE_MIN`], and the dense grid refuses.
const DENSE_PER_POINT: usize = 64;
const DENSE_MIN: usize = 1 << 22;

/// The dense grid would not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{cells:e} cells of the dense grid for {points} points: particles are far apart; use the hash grid")]
pub struct TooManyCells {
    /// Cells of the box of all points.
    pub cells: f64,
    /// Number of points.
    pub points: usize,
}

/// The cell structure of one set of points.
#[derive(Debug)]
pub struct Cells<const D: usize> {
    /// Cell geometry.
    pub frame: CellFrame<D>,
    periodic: Periodic<D>,
    backend: Backend,
    /// Cells that hold points, ascending; one more entry marks the end.
    pub occupied: Vec<Cell<D>>,
    low: [i32; D],
    extent: [usize; D],
    start: Vec<u32>,
    keys: Vec<u32>,
    counts: Vec<Vec<u32>>,
    coordinates: Vec<[i32; D]>,
    /// Cells with a point in or next to them, when marked.
    reached: Vec<bool>,
    table: CellTable<D>,
    n: usize,
    /// Points of all ranks, where there are others: as many cells may be made as on one.
    pub points_of_all: usize,
}

impl<const D: usize> Cells<D> {
    /// Cells for lists of the given radius.
    pub fn new(backend: Backend, radius: Real, periodic: Periodic<D>) -> Self {
        Self {
            frame: CellFrame::new(radius, &periodic),
            periodic,
            backend,
            occupied: Vec::new(),
            low: [0; D],
            extent: [0; D],
            start: Vec::new(),
            keys: Vec::new(),
            counts: Vec::new(),
            coordinates: Vec::new(),
            reached: Vec::new(),
            table: CellTable::default(),
            n: 0,
            points_of_all: 0,
        }
    }

    /// Finds the order of the points `x` by cell, and in a cell by `ids` if there are any, else as they stand: the new point `k`
    /// is the old `order[k]`.
    ///
    /// # Errors
    /// When the dense grid would be far larger than the number of points.
    pub fn sort(
        &mut self,
        x: &[Vec<Real>; D],
        ids: Option<&[u64]>,
        order: &mut Vec<u32>,
    ) -> Result<(), TooManyCells> {
        self.n = x[0].len();
        order.resize(self.n, 0);
        match self.backend {
            Backend::DenseGrid => self.sort_dense(x, order)?,
            Backend::HashGrid | Backend::BruteForce => self.sort_hashed(x, order),
        }
        ids.into_iter().for_each(|ids| self.sort_by_id(ids, order));
        Ok(())
    }

    /// Brings the points of each cell into the order of their ids.
    fn sort_by_id(&self, ids: &[u64], order: &mut [u32]) {
        let n_cells = self.n_occupied();
        let start_of = |block: usize| self.first_point((block * CELLS).min(n_cells));
        parallel::pieces(0..n_cells.div_ceil(CELLS), &start_of, order, &|block, order: &mut [u32]| {
            let mut rest = order;
            for c in block * CELLS..n_cells.min((block + 1) * CELLS) {
                let (cell, others) = rest.split_at_mut(self.first_point(c + 1) - self.first_point(c));
                by_id(ids, cell);
                rest = others;
            }
        });
    }

    fn sort_dense(&mut self, x: &[Vec<Real>; D], order: &mut [u32]) -> Result<(), TooManyCells> {
        self.enclose(x)?;
        let n_cells: usize = self.extent.iter().product();
        let slices = rayon::current_num_threads().min(self.n.div_ceil(parallel::BLOCK)).max(1);
        let slice = self.n.div_ceil(slices).max(1);
        self.counts.resize_with(self.counts.len().max(slices), Vec::new);
        self.keys.resize(self.n, 0);
        let (frame, low, extent) = (self.frame, self.low, self.extent);
        let key = |i: usize| dense_key(frame.cell(each(|a| x[a][i])), low, extent);
        let n = self.n;
        let ends = |k: usize| (k * slice).min(n);
        // Each slice of the points counts its own cells ...
        let outputs = (EachItem(&mut self.counts[..slices]), &mut self.keys[..]);
        each_slice(0..slices, &ends, outputs, &|k, (count, keys)| {
            count.clear();
            count.resize(n_cells, 0);
            for (key_of, i) in keys.iter_mut().zip(ends(k)..ends(k + 1)) {
                *key_of = key(i) as u32;
                count[*key_of as usize] += 1;
            }
        });
        self.number_cells(n_cells, slices);
        // ... and then knows where its points go, whatever the number of slices.
        let places = Places::new(order);
        let outputs = (EachItem(&mut self.counts[..slices]), &mut self.keys[..]);
        each_slice(0..slices, &ends, outputs, &|k, (next, keys)| {
            for (&key, i) in keys.iter().zip(ends(k)..ends(k + 1)) {
                let at = &mut next[key as usize];
                // SAFETY: the counts are exact, so every place is given to one point only.
                unsafe { places.set(*at as usize, i as u32) };
                *at += 1;
            }
        });
        Ok(())
    }

    /// The box of cells that holds all points.
    fn enclose(&mut self, x: &[Vec<Real>; D]) -> Result<(), TooManyCells> {
        let boxes = parallel::blocks(self.n, (), |range, ()| {
            let mut bounds = Bounds([(Real::INFINITY, Real::NEG_INFINITY); D]);
            for a in 0..D {
                let (mut low, mut high) = bounds.0[a];
                for &x in &x[a][range.clone()] {
                    low = if x < low { x } else { low };
                    high = if x > high { x } else { high };
                }
                bounds.0[a] = (low, high);
            }
            bounds
        });
        if self.n == 0 {
            (self.low, self.extent) = ([0; D], [0; D]);
            return Ok(());
        }
        self.low = self.frame.cell(boxes.0.map(|b| b.0));
        let high = self.frame.cell(boxes.0.map(|b| b.1));
        self.extent = std::array::from_fn(|a| (high[a] as i64 - self.low[a] as i64 + 1).max(1) as usize);
        let cells: f64 = self.extent.iter().map(|&e| e as f64).product();
        let points = self.n.max(self.points_of_all);
        if cells > (points * DENSE_PER_POINT).max(DENSE_MIN) as f64 {
            return Err(TooManyCells { cells, points });
        }
        Ok(())
    }

    /// Turns the counts of the slices into places, and lists the cells that hold points.
    fn number_cells(&mut self, n_cells: usize, slices: usize) {
        self.start.resize(n_cells + 1, 0);
        self.occupied.clear();
        let (mut sum, mut at) = (0, self.low);
        for c in 0..n_cells {
            let first = sum;
            self.start[c] = first;
            for count in &mut self.counts[..slices] {
                let k = count[c];
                count[c] = sum;
                sum += k;
            }
            if sum > first {
                self.occupied.push(Cell { start: first, at });
            }
            for (a, at) in at.iter_mut().enumerate() {
                *at += 1;
                if *at < self.low[a] + self.extent[a] as i32 || a + 1 == D {
                    break;
                }
                *at = self.low[a];
            }
        }
        self.start[n_cells] = sum;
        self.occupied.push(Cell { start: sum, at });
    }

    fn sort_hashed(&mut self, x: &[Vec<Real>; D], order: &mut [u32]) {
        self.coordinates.resize(self.n, [0; D]);
        let frame = self.frame;
        parallel::blocks(self.n, &mut self.coordinates[..], |range, out| {
            for (c, i) in out.iter_mut().zip(range) {
                *c = frame.cell(std::array::from_fn(|a| x[a][i]));
                c.reverse();
            }
        });
        for (k, o) in order.iter_mut().enumerate() {
            *o = k as u32;
        }
        let c = &self.coordinates;
        // Ties by index make the unstable sort, which needs no memory, a stable one.
        order.par_sort_unstable_by_key(|&i| (c[i as usize], i));
        self.occupied.clear();
        for (k, &i) in order.iter().enumerate() {
            let mut at = c[i as usize];
            at.reverse();
            if self.occupied.last().is_none_or(|cell| cell.at != at) {
                self.occupied.push(Cell { start: k as u32, at });
            }
        }
        self.occupied.push(Cell { start: self.n as u32, at: [i32::MAX; D] });
        self.table.fill(&self.occupied[..self.occupied.len() - 1]);
    }

    /// Number of cells that hold points.
    pub fn n_occupied(&self) -> usize {
        self.occupied.len().saturating_sub(1)
    }

    /// First point of occupied cell `c`, or the number of points for `c = n_occupied()`.
    pub fn first_point(&self, c: usize) -> usize {
        self.occupied.get(c).map_or(self.n, |cell| cell.start as usize)
    }

    /// The cells that hold points, and those of each.
    pub fn points(&self) -> impl Iterator<Item = ([i32; D], Range<u32>)> {
        self.occupied.windows(2).map(|pair| (pair[0].at, pair[0].start..pair[1].start))
    }

    /// Marks the cells that have a point in or next to them, so that [`Cells::runs_around`] need not look
    /// around the others. Pays for walls, which most cells of a fluid are far from.
    pub fn mark_surroundings(&mut self) {
        self.reached.clear();
        if self.backend != Backend::DenseGrid || self.periodic.any() {
            return;
        }
        self.reached.resize(self.extent.iter().product(), false);
        for cell in &self.occupied[..self.n_occupied()] {
            for around in 0..3_i32.pow(D as u32) {
                let (mut at, mut rest) = (cell.at, around);
                for c in &mut at {
                    *c += rest % 3 - 1;
                    rest /= 3;
                }
                if let Some(key) = self.key_inside(at) {
                    self.reached[key] = true;
                }
            }
        }
    }

    /// The number of a cell, if it is inside the box.
    fn key_inside(&self, at: [i32; D]) -> Option<usize> {
        let mut key = 0;
        for a in (0..D).rev() {
            let c = i64::from(at[a]) - i64::from(self.low[a]);
            if c < 0 || c >= self.extent[a] as i64 {
                return None;
            }
            key = key * self.extent[a] + c as usize;
        }
        Some(key)
    }

    /// The runs of points in the 3^D cells around `at`, ascending.
    pub fn runs_around(&self, at: [i32; D], runs: &mut Vec<Run<D>>) {
        runs.clear();
        if self.n == 0 {
            return;
        }
        if self.backend == Backend::BruteForce {
            runs.push(Run { start: 0, end: self.n, shift: [0.0; D] });
            return;
        }
        if self.backend == Backend::DenseGrid && !self.periodic.any() {
            let far = !self.reached.is_empty() && self.key_inside(at).is_some_and(|key| !self.reached[key]);
            if far {
                return;
            }
            return self.runs_inside(at, runs);
        }
        for row in 0..3_i32.pow(D as u32 - 1) {
            let (mut cell, mut shift, mut rest) = (at, [0.0; D], row);
            for a in 1..D {
                cell[a] += rest % 3 - 1;
                rest /= 3;
                (cell[a], shift[a]) = self.turn(a, cell[a]);
            }
            self.runs_of_row(cell, shift, runs);
        }
        if self.periodic.any() {
            runs.sort_unstable_by_key(|r| r.start);
        }
    }

    /// The common case, a dense grid without periodic axes: rows clipped to the box.
    fn runs_inside(&self, at: [i32; D], runs: &mut Vec<Run<D>>) {
        // Axes that do not exist have the one coordinate 0.
        let (mut low, mut high, mut stride) = ([0; 3], [0; 3], [0; 3]);
        let mut size = 1;
        for a in 0..D {
            let c = i64::from(at[a]) - i64::from(self.low[a]);
            low[a] = (c - 1).max(0);
            high[a] = (c + 1).min(self.extent[a] as i64 - 1);
            stride[a] = size;
            size *= self.extent[a] as i64;
        }
        if low[0] > high[0] {
            return;
        }
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let row = z * stride[2] + y * stride[1];
                let start = self.start[(row + low[0]) as usize] as usize;
                let end = self.start[(row + high[0] + 1) as usize] as usize;
                if start < end {
                    runs.push(Run { start, end, shift: [0.0; D] });
                }
            }
        }
    }

    /// The cells `x-1..=x+1` of a row: one run, or two where a periodic axis ends.
    fn runs_of_row(&self, cell: [i32; D], shift: [Real; D], runs: &mut Vec<Run<D>>) {
        let (low, high, turn) = (cell[0] - 1, cell[0] + 1, self.frame.turn[0]);
        let mut push = |low: i32, high: i32, shift_x: Real| {
            let points = self.points_of(cell, low, high);
            if !points.is_empty() {
                let mut shift = shift;
                shift[0] = shift_x;
                runs.push(Run { start: points.start, end: points.end, shift });
            }
        };
        if turn == 0 {
            return push(low, high, 0.0);
        }
        let length = self.periodic.length[0];
        push(low.max(0), high.min(turn - 1), 0.0);
        if low < 0 {
            push(turn - 1, turn - 1, -length);
        }
        if high >= turn {
            push(0, 0, length);
        }
    }

    /// A cell coordinate brought into its periodic axis, and the shift that brings its points here.
    fn turn(&self, a: usize, c: i32) -> (i32, Real) {
        match self.frame.turn[a] {
            0 => (c, 0.0),
            n if c < 0 => (c + n, -self.periodic.length[a]),
            n if c >= n => (c - n, self.periodic.length[a]),
            _ => (c, 0.0),
        }
    }

    /// The points of the cells from `low` to `high` in the row of `cell`.
    fn points_of(&self, cell: [i32; D], low: i32, high: i32) -> Range<usize> {
        if self.backend == Backend::HashGrid {
            return self.table.points_of(&self.occupied, cell, low, high);
        }
        let mut row = 0;
        for a in (1..D).rev() {
            let c = cell[a] as i64 - self.low[a] as i64;
            if c < 0 || c >= self.extent[a] as i64 {
                return 0..0;
            }
            row = row * self.extent[a] + c as usize;
        }
        let first = (low as i64 - self.low[0] as i64).max(0);
        let last = (high as i64 - self.low[0] as i64).min(self.extent[0] as i64 - 1);
        if first > last {
            return 0..0;
        }
        let row = row * self.extent[0];
        self.start[row + first as usize] as usize..self.start[row + last as usize + 1] as usize
    }
}

#[inline(always)]
fn dense_key<const D: usize>(c: [i32; D], low: [i32; D], extent: [usize; D]) -> usize {
    // A NaN position has no cell in the box; it goes to some cell and finds no neighbor there.
    let place = |a: usize| (c[a].saturating_sub(low[a]).max(0) as usize).min(extent[a] - 1);
    (0..D).rev().fold(0, |key, a| key * extent[a] + place(a))
}

/// Cells that a task brings into the order of their points' ids.
const CELLS: usize = 256;

/// Sorts the points of a cell, which are in order but for a few that have come from other cells.
fn by_id(ids: &[u64], cell: &mut [u32]) {
    for k in 1..cell.len() {
        let (point, mut at) = (cell[k], k);
        let id = ids[point as usize];
        while at > 0 && ids[cell[at - 1] as usize] > id {
            cell[at] = cell[at - 1];
            at -= 1;
        }
        cell[at] = point;
    }
}

/// Lower and upper ends of a set of points.
struct Bounds<const D: usize>([(Real, Real); D]);

impl<const D: usize> parallel::Merge for Bounds<D> {
    fn merge(self, later: Self) -> Self {
        Bounds(std::array::from_fn(|a| (self.0[a].0.min(later.0[a].0), self.0[a].1.max(later.0[a].1))))
    }
}

/// A slice of which every task gets one item.
struct EachItem<'a, T>(&'a mut [T]);

fn each_slice<T: Send, U: Send>(
    range: Range<usize>,
    ends: &(impl Fn(usize) -> usize + Sync),
    outputs: (EachItem<'_, T>, &mut [U]),
    leaf: &(impl Fn(usize, (&mut T, &mut [U])) + Sync),
) {
    let (EachItem(items), points) = outputs;
    if let [item] = items {
        return leaf(range.start, (item, points));
    }
    let half = range.len() / 2;
    let mid = range.start + half;
    let (a, b) = items.split_at_mut(half);
    let (p, q) = points.split_at_mut(ends(mid) - ends(range.start));
    parallel::join(
        || each_slice(range.start..mid, ends, (EachItem(a), p), leaf),
        || each_slice(mid..range.end, ends, (EachItem(b), q), leaf),
    );
}

/// A slice that several tasks write at places that never coincide.
struct Places<'a>(*mut u32, usize, std::marker::PhantomData<&'a mut [u32]>);

// SAFETY: `set` is the only use, and its callers write disjoint places.
unsafe impl Sync for Places<'_> {}

impl<'a> Places<'a> {
    fn new(slice: &'a mut [u32]) -> Self {
        Self(slice.as_mut_ptr(), slice.len(), std::marker::PhantomData)
    }

    /// # Safety
    /// No two calls, from whatever thread, may name the same place.
    #[inline(always)]
    unsafe fn set(&self, at: usize, value: u32) {
        assert!(at < self.1);
        // SAFETY: in bounds by the line above, not shared by the contract.
        unsafe { *self.0.add(at) = value }
    }
}
