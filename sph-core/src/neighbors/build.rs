//! Builds the rows: candidates of a cell are packed once, then each point of the cell tests only those.

use super::{
    Backend,
    cells::{Cells, Run},
    frame::Periodic,
    lists::{CHUNK, Chunk, FAR, NeighborLists, PAD},
    partition::Share,
};
use crate::{
    Real,
    numerics::{
        lane::{Isa, Lane, prefetch},
        parallel,
        vector::norm2,
    },
    phase,
};
use std::sync::Mutex;

/// What a thread needs to build the rows of a cell.
#[derive(Debug)]
pub struct Candidates<const D: usize> {
    x: [Vec<Real>; D],
    j: Vec<u32>,
    runs: Vec<Run<D>>,
}

impl<const D: usize> Default for Candidates<D> {
    fn default() -> Self {
        Self { x: [const { Vec::new() }; D], j: Vec::new(), runs: Vec::with_capacity(27) }
    }
}

impl<const D: usize> Candidates<D> {
    /// Capacity for all points of the runs, and for the vectors that write past the end.
    fn reserve(&mut self) {
        let most = self.runs.iter().map(|r| r.end - r.start).sum::<usize>() + 2 * PAD;
        if self.j.len() < most {
            self.grow(most.max(2048).next_power_of_two());
        }
    }

    fn grow(&mut self, capacity: usize) {
        if self.j.len() < capacity {
            self.j.resize(capacity, 0);
            for x in &mut self.x {
                x.resize(capacity, FAR);
            }
        }
    }
}

/// One candidate buffer a thread.
pub type PerThread<const D: usize> = Vec<Mutex<Candidates<D>>>;

/// Gives every thread the capacity that one of them needed: which thread meets the fullest cell is left to chance.
pub fn equalize_capacity<const D: usize>(per_thread: &mut PerThread<D>) {
    let mut all =
        per_thread.iter_mut().map(|c| c.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner));
    let capacity = all.by_ref().map(|c| c.j.len()).max().unwrap_or(0);
    for c in per_thread {
        c.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).grow(capacity);
    }
}

/// Rows of the points `query` over the points `from`, both in the order of their cells.
pub struct Search<'a, const D: usize> {
    /// Points that get rows.
    pub query: &'a Cells<D>,
    /// Their positions.
    pub query_x: &'a [Vec<Real>; D],
    /// Points that stand in the rows.
    pub from: &'a Cells<D>,
    /// Their positions.
    pub from_x: &'a [Vec<Real>; D],
    /// 0, 1, 2, ... at least as many as points in `from`, plus `PAD`.
    pub iota: &'a [u32],
    /// True when both are the same set: a row then leaves out its own point.
    pub same: bool,
    /// Pairs nearer than this are neighbors, `[m]`.
    pub radius: Real,
    /// Periodic axes.
    pub periodic: Periodic<D>,
    /// The cells whose points get rows; all without one.
    pub share: Option<&'a Share<D>>,
}

impl<const D: usize> Search<'_, D> {
    /// Builds all rows.
    pub fn build(&self, isa: Isa, backend: Backend, per_thread: &PerThread<D>, lists: &mut NeighborLists) {
        let isa = isa.for_search();
        self.cut_into_chunks(lists);
        let n_chunks = lists.n_chunks;
        let chunks = &mut lists.chunks[..n_chunks];
        if n_chunks == 0 {
            return;
        }
        parallel::pieces(0..n_chunks, &|k| k, chunks, &|_, chunks| {
            for chunk in chunks {
                if backend == Backend::BruteForce {
                    super::brute::rows(self, chunk);
                    continue;
                }
                let thread = rayon::current_thread_index().unwrap_or(0) % per_thread.len();
                // A poisoned buffer holds nothing that the next cell would read.
                let mut scratch =
                    per_thread[thread].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                rows(isa, self, chunk, &mut scratch);
            }
        });
    }

    /// Whole cells, about [`CHUNK`] points each; fewer when there are few points.
    fn cut_into_chunks(&self, lists: &mut NeighborLists) {
        lists.n = self.query_x[0].len();
        lists.n_chunks = 0;
        let target = CHUNK.min((lists.n / 16).max(64));
        let (mut c, n_cells) = (0, self.query.n_occupied());
        while c < n_cells {
            let first = self.query.first_point(c);
            let full =
                self.query.occupied[..n_cells].partition_point(|cell| (cell.start as usize) < first + target);
            let next = full.max(c + 1);
            if lists.chunks.len() == lists.n_chunks {
                lists.chunks.push(Chunk::default());
            }
            let chunk = &mut lists.chunks[lists.n_chunks];
            (chunk.first, chunk.end) = (first, self.query.first_point(next));
            chunk.null = self.from_x[0].len() as u32;
            lists.n_chunks += 1;
            c = next;
        }
    }
}

phase! {
/// The rows of one chunk.
fn rows<L>[const D: usize](search: &Search<'_, D>, chunk: &mut Chunk, candidates: &mut Candidates<D>) {
    chunk.offsets.clear();
    chunk.offsets.push(0);
    let (mut len, mut peak) = (0, 0);
    let mut c = search.query.occupied.partition_point(|cell| (cell.start as usize) < chunk.first);
    while search.query.first_point(c) < chunk.end {
        let (s, e) = (search.query.first_point(c), search.query.first_point(c + 1));
        let at = search.query.occupied[c].at;
        candidates.runs.clear();
        if search.share.is_none_or(|share| share.owns(at)) {
            search.from.runs_around(at, &mut candidates.runs);
        }
        if candidates.runs.is_empty() {
            chunk.offsets.resize(e - chunk.first + 1, len as u32);
            c += 1;
            continue;
        }
        candidates.reserve();
        // SAFETY: `reserve` made the buffer hold every point of the runs and two vectors more.
        let (m, own) = unsafe { pack_candidates::<L, D>(search, s, e, candidates) };
        let most = len + (e - s) * (m + 2 * PAD);
        peak = peak.max(most);
        if chunk.indices.len() < most {
            reserve_indices(chunk, most);
        }
        for i in s..e {
            let myself = if search.same { own + (i - s) } else { usize::MAX };
            // SAFETY: this row and its padding were reserved above; candidates end with FAR.
            len = unsafe { write_row::<L, D>(search, i, myself, m, candidates, &mut chunk.indices, len) };
            chunk.offsets.push(len as u32);
        }
        c += 1;
    }
    // What the next steps need may be a little more: take it now, not whenever a particle has moved.
    if chunk.indices.len() < peak + peak / 16 {
        reserve_indices(chunk, peak);
    }
}
}

/// Reserves `most` indices. An eighth more keeps the memory near what is used; flowing fluid rarely exceeds it.
fn reserve_indices(chunk: &mut Chunk, most: usize) {
    chunk.indices.reserve_exact(most + most / 8 - chunk.indices.len());
    chunk.indices.resize(chunk.indices.capacity(), chunk.null);
}

/// Keeps of the runs what lies within the radius of the box around points `s..e`. Returns how many, and
/// the place of point `s` among them.
///
/// # Safety
/// `c.reserve()` was called for these runs.
#[inline(always)]
unsafe fn pack_candidates<L: Lane, const D: usize>(
    search: &Search<'_, D>,
    s: usize,
    e: usize,
    c: &mut Candidates<D>,
) -> (usize, usize) {
    let (low, high) = bounds(search.query_x, s, e);
    let limit = box_limit(search);
    let (zero, limit) = (L::splat(0.0), L::splat(limit * limit));
    let n = search.from_x[0].len();
    let (mut m, mut own) = (0, 0);
    // Pointers and slices of their own, which the stores below cannot change: no reload in the loop. And
    // loops, not `each`: a closure of a function without target features may stay a call.
    let (mut to_x, to_j, iota) = ([std::ptr::null_mut(); D], c.j.as_mut_ptr(), search.iota.as_ptr());
    let mut from: [&[Real]; D] = [&[]; D];
    for a in 0..D {
        to_x[a] = c.x[a].as_mut_ptr();
        from[a] = &search.from_x[a];
    }
    for run in &c.runs {
        let mut k = run.start;
        let (mut box_low, mut box_high) = ([zero; D], [zero; D]);
        for a in 0..D {
            box_low[a] = L::splat(low[a] - run.shift[a]);
            box_high[a] = L::splat(high[a] - run.shift[a]);
        }
        while k < run.end {
            let (mut x, mut d) = ([zero; D], [zero; D]);
            for a in 0..D {
                x[a] = load_from::<L>(from[a], k, n);
                d[a] = (box_low[a] - x[a]).max(x[a] - box_high[a]).max(zero);
            }
            let mut mask = norm2(d).below(limit);
            if k + L::N > run.end {
                mask &= (1 << (run.end - k)) - 1;
            }
            if search.same && s.wrapping_sub(k) < L::N {
                own = m + (mask & ((1 << (s - k)) - 1)).count_ones() as usize;
            }
            // SAFETY: `reserve` left capacity for all points of the runs plus one vector; `iota` has PAD more.
            unsafe {
                for a in 0..D {
                    x[a].pack(mask, to_x[a].add(m));
                }
                L::pack_index(iota.add(k), mask, to_j.add(m));
            }
            m += mask.count_ones() as usize;
            k += L::N;
        }
    }
    // SAFETY: one more vector fits, see above.
    unsafe { L::splat(FAR).store(to_x[0].add(m)) };
    (m, own)
}

/// Loads a vector that may reach past the last point.
#[inline(always)]
fn load_from<L: Lane>(x: &[Real], k: usize, n: usize) -> L {
    if k + L::N <= n {
        // SAFETY: in bounds by the condition.
        return unsafe { L::load(x.as_ptr().add(k)) };
    }
    let mut lanes = [FAR; PAD];
    lanes[..n - k].copy_from_slice(&x[k..n]);
    // SAFETY: PAD numbers are at least one vector.
    unsafe { L::load(lanes.as_ptr()) }
}

/// The box around points `s..e`.
#[inline(always)]
fn bounds<const D: usize>(x: &[Vec<Real>; D], s: usize, e: usize) -> ([Real; D], [Real; D]) {
    let (mut low, mut high) = ([FAR; D], [-FAR; D]);
    for a in 0..D {
        for &x in &x[a][s..e] {
            low[a] = if x < low[a] { x } else { low[a] };
            high[a] = if x > high[a] { x } else { high[a] };
        }
    }
    (low, high)
}

/// The radius for the test against the box, larger by what a periodic shift may round away.
fn box_limit<const D: usize>(search: &Search<'_, D>) -> Real {
    let reach = search.periodic.low.iter().zip(&search.periodic.length).map(|(l, d)| l.abs() + d);
    search.radius * (1.0 + 4.0 * Real::EPSILON) + 8.0 * Real::EPSILON * reach.fold(0.0, Real::max)
}

/// Writes the row of point `i` from place `len` on, pads it, and returns where the next one begins.
///
/// # Safety
/// `out` has capacity for `m + 2 PAD` numbers from `len` on; the candidates end with a vector at FAR.
#[inline(always)]
unsafe fn write_row<L: Lane, const D: usize>(
    search: &Search<'_, D>,
    i: usize,
    myself: usize,
    m: usize,
    c: &Candidates<D>,
    out: &mut [u32],
    mut len: usize,
) -> usize {
    // Copies, which the stores below cannot change: nothing is read again in the loop.
    let (mut x_i, mut from_x) = ([L::splat(0.0); D], [std::ptr::null(); D]);
    for a in 0..D {
        x_i[a] = L::splat(search.query_x[a][i]);
        from_x[a] = c.x[a].as_ptr();
    }
    let (periodic, from_j) = (search.periodic, c.j.as_ptr());
    let limit = L::splat(search.radius * search.radius);
    let null = search.from_x[0].len() as u32;
    let to = out.as_mut_ptr();
    // The lines that a row of some fifty entries fills, written soon.
    for line in 0..3 {
        prefetch(to.wrapping_add(len + 256 + 16 * line));
    }
    let mut k = 0;
    while k < m {
        let mut d = x_i;
        for a in 0..D {
            // SAFETY: k < m, and one vector more than m is filled.
            d[a] = unsafe { L::load(from_x[a].add(k)) } - x_i[a];
        }
        let mut mask = norm2(periodic.nearest(d)).below(limit);
        let own = myself.wrapping_sub(k);
        mask &= !(((own < L::N) as u32) << (own & 31));
        // SAFETY: capacity by the contract.
        unsafe { L::pack_index(from_j.add(k), mask, to.add(len)) };
        len += mask.count_ones() as usize;
        k += L::N;
    }
    out[len..len + PAD].fill(null);
    len.next_multiple_of(PAD)
}
