//! Neighbor rows, stored by chunks of whole cells.
//!
//! A row lists the neighbors of one point, ascending, without the point itself, padded to a multiple of
//! [`PAD`] with the index of the *null particle*: one past the last, far outside of everything, where
//! every kernel vanishes. Hence loops over rows have neither tail nor mask.

use super::frame::Periodic;
use crate::{
    Real,
    numerics::{
        lane::{Lane, prefetch},
        parallel::{self, Merge, Outputs},
        vector::norm2,
    },
};

/// Rows are padded to a multiple of this.
pub const PAD: usize = 16;
/// Every coordinate of the null particle, `[m]`.
pub const FAR: Real = 1e15;
/// Points a chunk holds, about.
pub const CHUNK: usize = 1024;

/// Loops ask for what stands this many entries further, `[-]`: 2 KiB, some hundred nanoseconds of a loop.
pub const AHEAD: usize = 512;

/// The rows of the points `first..end`, which are whole cells.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// First point.
    pub first: usize,
    /// One past the last point.
    pub end: usize,
    /// Where each row begins in `indices`; one more than points.
    pub offsets: Vec<u32>,
    /// The rows, padded.
    pub indices: Vec<u32>,
    /// The largest index a row may hold: that of the null particle.
    pub null: u32,
}

impl Chunk {
    /// The points whose rows these are.
    #[inline(always)]
    pub fn points(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }

    /// The row of point `i`, with its padding.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[u32] {
        let k = i - self.first;
        &self.indices[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    /// The neighbors of point `i`, without padding.
    pub fn neighbors(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(i).iter().take_while(|&&j| j != self.null).map(|&j| j as usize)
    }

    /// Number of neighbors of point `i`.
    pub fn count(&self, i: usize) -> usize {
        self.row(i).partition_point(|&j| j != self.null)
    }

    /// `Σ_j f(x_ij, |x_ij|², record j)` over the neighbors of point `i` at `x_i`.
    ///
    /// A record begins with the position in its first `D` slots (four are reserved); `K` is a multiple of 4.
    /// Every term of `f` must vanish at a distance of 1e15 m.
    ///
    /// # Panics
    /// When `records` is shorter than the null particle's index plus one.
    #[inline(always)]
    pub fn sum<L: Lane, const D: usize, const K: usize, const M: usize>(
        &self,
        i: usize,
        x_i: [Real; D],
        records: &[[Real; K]],
        periodic: &Periodic<D>,
        f: impl Fn([L; D], L, [L; K]) -> [L; M],
    ) -> [Real; M] {
        let mut nothing: [Real; 0] = [];
        self.walk(i, x_i, records, periodic, &mut nothing, |_, x_ij, r2, record| {
            (f(x_ij, r2, record), L::splat(0.0))
        })
    }

    /// The same, and for each entry of the row a number is kept: `f` gets the one from before in front, and returns the
    /// terms and the new one. `stored` has as many as [`Chunk::indices`].
    ///
    /// # Panics
    /// As [`Chunk::sum`], and when `stored` is too short.
    #[inline(always)]
    pub fn sum_storing<L: Lane, const D: usize, const K: usize, const M: usize>(
        &self,
        i: usize,
        x_i: [Real; D],
        records: &[[Real; K]],
        periodic: &Periodic<D>,
        stored: &mut [Real],
        f: impl Fn(L, [L; D], L, [L; K]) -> ([L; M], L),
    ) -> [Real; M] {
        let entries = &mut stored[self.entries(i)];
        self.walk(i, x_i, records, periodic, entries, f)
    }

    /// `Σ_j c_j a_j` over the neighbors of point `i`, with the numbers `c` that were kept for the entries of its row.
    ///
    /// # Panics
    /// When `a` is shorter than the null particle's index plus one, or `stored` is too short.
    #[inline(always)]
    pub fn weighted_sum<L: Lane>(&self, i: usize, stored: &[Real], a: &[Real]) -> Real {
        let (row, kept) = (self.row(i), &stored[self.entries(i)]);
        assert!(a.len() > self.null as usize);
        let mut sum = L::splat(0.0);
        for (j, c) in row.chunks_exact(L::N).zip(kept.chunks_exact(L::N)) {
            prefetch(j.as_ptr().wrapping_add(AHEAD));
            prefetch(c.as_ptr().wrapping_add(AHEAD));
            // SAFETY: both slices hold L::N items, and all indices are at most `null`, checked above.
            sum = sum + unsafe { L::load(c.as_ptr()) * L::gather(a.as_ptr(), j.as_ptr()) };
        }
        if row.is_empty() { 0.0 } else { sum.sum() }
    }

    /// Where the row of point `i` stands in [`Chunk::indices`].
    #[inline(always)]
    pub fn entries(&self, i: usize) -> std::ops::Range<usize> {
        let k = i - self.first;
        self.offsets[k] as usize..self.offsets[k + 1] as usize
    }

    /// The loop of all sums: `f` gets what `kept` holds for the entries, and what it returns beside its terms goes there,
    /// unless that is empty.
    #[inline(always)]
    fn walk<L: Lane, const D: usize, const K: usize, const M: usize>(
        &self,
        i: usize,
        x_i: [Real; D],
        records: &[[Real; K]],
        periodic: &Periodic<D>,
        kept: &mut [Real],
        f: impl Fn(L, [L; D], L, [L; K]) -> ([L; M], L),
    ) -> [Real; M] {
        const { assert!(K.is_multiple_of(4)) };
        let row = self.row(i);
        if row.is_empty() {
            return [0.0; M];
        }
        assert!(records.len() > self.null as usize);
        let keeps = !kept.is_empty();
        assert!(!keeps || kept.len() == row.len());
        // Loops, not `each`: a closure of a function without target features may stay a call.
        let mut splat_x = [L::splat(0.0); D];
        for a in 0..D {
            splat_x[a] = L::splat(x_i[a]);
        }
        let mut sum = [L::splat(0.0); M];
        for (at, j) in row.chunks_exact(L::N).enumerate() {
            prefetch(j.as_ptr().wrapping_add(AHEAD));
            if keeps {
                prefetch(kept.as_ptr().wrapping_add(at * L::N + AHEAD));
            }
            let mut record = [L::splat(0.0); K];
            for b in (0..K).step_by(4) {
                // SAFETY: all indices of a row are at most `null`, checked against the length above.
                let quad = unsafe { L::quads(records.as_ptr().cast::<Real>().add(b), K, j.as_ptr()) };
                record[b..b + 4].copy_from_slice(&quad);
            }
            let mut x_ij = splat_x;
            for a in 0..D {
                x_ij[a] = x_ij[a] - record[a];
            }
            let x_ij = periodic.nearest(x_ij);
            // SAFETY: `kept` is as long as the row, of which these are whole lanes; so below.
            let before = if keeps { unsafe { L::load(kept.as_ptr().add(at * L::N)) } } else { L::splat(0.0) };
            let (term, after) = f(before, x_ij, norm2(x_ij), record);
            for m in 0..M {
                sum[m] = sum[m] + term[m];
            }
            if keeps {
                // SAFETY: as above.
                unsafe { after.store(kept.as_mut_ptr().add(at * L::N)) };
            }
        }
        let mut total = [0.0; M];
        for m in 0..M {
            total[m] = sum[m].sum();
        }
        total
    }
}

/// The rows of a set of points.
#[derive(Debug, Default)]
pub struct NeighborLists {
    pub(super) chunks: Vec<Chunk>,
    pub(super) n_chunks: usize,
    pub(super) n: usize,
}

impl NeighborLists {
    /// The chunks, in the order of the points.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks[..self.n_chunks]
    }

    /// Number of points that have rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True when no point has a row.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Runs `f` on every chunk, which owns its part of the outputs, and merges what they return in order.
    pub fn for_each<O: Outputs, R: Merge + Default>(
        &self,
        outputs: O,
        f: impl Fn(usize, &Chunk, O) -> R + Sync,
    ) -> R {
        if self.n_chunks == 0 {
            return R::default();
        }
        let start_of = |k: usize| self.chunks().get(k).map_or(self.n, |c| c.first);
        parallel::pieces(0..self.n_chunks, &start_of, outputs, &|k, outputs| f(k, &self.chunks[k], outputs))
    }

    /// As [`NeighborLists::for_each`], for a field over the entries of all rows as well: chunk `k` owns `stored[k]`, which
    /// has a number for each of its indices. Allocates only where a chunk has grown.
    pub fn for_each_storing<O: Outputs, R: Merge + Default>(
        &self,
        stored: &mut Vec<Vec<Real>>,
        outputs: O,
        f: impl Fn(usize, &Chunk, &mut [Real], O) -> R + Sync,
    ) -> R {
        if stored.len() < self.n_chunks {
            stored.resize_with(self.n_chunks, Vec::new);
        }
        let all = Storing { lists: self, f: &f };
        if self.n_chunks == 0 { R::default() } else { all.run(0, &mut stored[..self.n_chunks], outputs) }
    }

    /// The neighbors of point `i`, without padding.
    pub fn neighbors(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let k = self.chunks().partition_point(|c| c.end <= i);
        self.chunks[k].neighbors(i)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| 4 * (c.offsets.capacity() + c.indices.capacity())).sum()
    }
}

/// The recursion of [`NeighborLists::for_each_storing`].
struct Storing<'a, F> {
    lists: &'a NeighborLists,
    f: &'a F,
}

impl<F> Storing<'_, F> {
    fn run<O: Outputs, R: Merge>(&self, first: usize, stored: &mut [Vec<Real>], mut outputs: O) -> R
    where
        F: Fn(usize, &Chunk, &mut [Real], O) -> R + Sync,
    {
        if let [stored] = stored {
            let chunk = &self.lists.chunks[first];
            stored.resize(chunk.indices.len(), 0.0);
            return (self.f)(first, chunk, stored, outputs);
        }
        let mid = stored.len() / 2;
        let at = |chunk: usize| self.lists.chunks[chunk].first;
        let rest = outputs.cut_off(at(first + mid) - at(first));
        let (stored_left, stored_right) = stored.split_at_mut(mid);
        let (a, b) = parallel::join(
            || self.run(first, stored_left, outputs),
            || self.run(first + mid, stored_right, rest),
        );
        a.merge(b)
    }
}
