//! The springs: pairs and rest lengths.
//!
//! Each spring is stored in the rows of both of its particles, with the same rest length, so that a loop over
//! particles gathers and never scatters. Both ends compute the same flow from the same distance and stay equal to the
//! bit. Rows live in chunks of whole cells, as those of neighbors do; between the steps of a run they are indexed by
//! position, and by persistent id in checkpoints and while particles come and go.

pub mod among;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use sph_core::{
    Real,
    method::solver::{Memory, of_parts, to_parts},
    neighbors::PAD,
    numerics::{lane::prefetch_all, parallel::BLOCK},
};
use std::{mem::swap, ops::Range};

/// One end of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// The particle at the other end.
    pub other: u32,
    /// Rest length L, `[m]`.
    pub rest: Real,
}

/// The springs of a particle: `n` ends, those shorter than the interaction radius first. Both arrays are padded to a
/// multiple of [`PAD`] by springs to the null particle that do nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row<'a> {
    /// The particles at the other ends.
    pub others: &'a [u32],
    /// Rest lengths L, `[m]`.
    pub rests: &'a [Real],
    /// Number of springs.
    pub n: usize,
    /// Number of those that were shorter than the interaction radius.
    pub n_near: usize,
}

impl Row<'_> {
    /// Prefetches the springs shorter than the interaction radius.
    #[inline(always)]
    pub fn prefetch(&self) {
        prefetch_all(&self.others[..self.n_near]);
        prefetch_all(&self.rests[..self.n_near]);
    }

    /// Its springs, from one to another.
    #[inline(always)]
    pub fn ends(&self, range: Range<usize>) -> impl Iterator<Item = End> + '_ {
        let ends = self.others[range.clone()].iter().zip(&self.rests[range]);
        ends.map(|(&other, &rest)| End { other, rest })
    }
}

/// The rows of the particles from `first` on.
#[derive(Clone, Debug, Default)]
pub struct SpringChunk {
    /// First particle.
    pub first: usize,
    /// Where each row begins; one more than particles.
    offsets: Vec<u32>,
    /// Springs of each row, and those shorter than the interaction radius.
    counts: Vec<[u32; 2]>,
    others: Vec<u32>,
    rests: Vec<Real>,
    /// The null particle, and a rest length without force.
    padding: (u32, Real),
}

impl SpringChunk {
    /// Empties the chunk, which begins at particle `first`.
    fn clear(&mut self, first: usize, padding: (u32, Real)) {
        self.first = first;
        self.padding = padding;
        self.offsets.clear();
        self.offsets.push(0);
        self.counts.clear();
        self.others.clear();
        self.rests.clear();
    }

    /// The springs of particle `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'_> {
        let k = i - self.first;
        let range = self.offsets[k] as usize..self.offsets[k + 1] as usize;
        let [n, n_near] = self.counts[k].map(|n| n as usize);
        Row { others: &self.others[range.clone()], rests: &self.rests[range], n, n_near }
    }

    /// Adds a spring to the row that is being written.
    #[inline(always)]
    pub fn push(&mut self, end: End) {
        self.others.push(end.other);
        self.rests.push(end.rest);
    }

    /// Reserves `n` springs behind those that are written, and returns their beginning. [`SpringChunk::keep`] cuts
    /// off the unused ones.
    #[inline(always)]
    pub fn reserve(&mut self, n: usize) -> (*mut u32, *mut Real) {
        let len = self.others.len();
        self.others.resize(len + n, 0);
        self.rests.resize(len + n, 0.0);
        // SAFETY: there are `n` more items.
        unsafe { (self.others.as_mut_ptr().add(len), self.rests.as_mut_ptr().add(len)) }
    }

    /// Keeps `n` springs of the row that is being written.
    #[inline(always)]
    pub fn keep(&mut self, n: usize) {
        let len = *self.offsets.last().unwrap_or(&0) as usize + n;
        self.others.truncate(len);
        self.rests.truncate(len);
    }

    /// Number of springs in the row that is being written.
    #[inline(always)]
    pub fn n_written(&self) -> usize {
        self.others.len() - *self.offsets.last().unwrap_or(&0) as usize
    }

    /// Ends the row that is being written, of which the first `n_near` springs are short.
    #[inline(always)]
    pub fn end_row(&mut self, n_near: usize) {
        let n = self.n_written();
        self.counts.push([n as u32, n_near as u32]);
        let padded = self.others.len() + n.next_multiple_of(PAD) - n;
        self.others.resize(padded, self.padding.0);
        self.rests.resize(padded, self.padding.1);
        self.offsets.push(padded as u32);
    }
}

/// Rows of all particles.
#[derive(Debug, Default)]
struct Rows {
    chunks: Vec<SpringChunk>,
    n_chunks: usize,
}

impl Rows {
    /// The chunks to be written, as many as there will be.
    fn writable(&mut self, n_chunks: usize) -> &mut [SpringChunk] {
        if self.chunks.len() < n_chunks {
            self.chunks.resize_with(n_chunks, SpringChunk::default);
        }
        self.n_chunks = n_chunks;
        &mut self.chunks[..n_chunks]
    }

    fn chunks(&self) -> &[SpringChunk] {
        &self.chunks[..self.n_chunks]
    }

    fn row(&self, i: usize) -> Row<'_> {
        match self.chunks().partition_point(|chunk| chunk.first <= i) {
            0 => Row::default(),
            k => self.chunks[k - 1].row(i),
        }
    }
}

/// The rows that are being replaced.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a>(&'a Rows);

impl<'a> Before<'a> {
    /// The springs that particle `i` had.
    pub fn row(self, i: usize) -> Row<'a> {
        self.0.row(i)
    }
}

/// Springs of a checkpoint, by persistent ids, each id in parts that `Real` holds exactly.
#[derive(Debug, Default)]
struct ById {
    /// Parts of the owner's id, of the other end's, rest length.
    columns: [Vec<Real>; 5],
}

/// Memory of one end of a spring by id, `[B]`.
pub const BY_ID: f64 = 5.0 * size_of::<Real>() as f64;
const COLUMNS: [&str; 5] =
    ["spring_owner_low", "spring_owner_high", "spring_other_low", "spring_other_high", "spring_rest_length"];

impl ById {
    fn push(&mut self, owner: u64, other: u64, rest: Real) {
        let parts = [to_parts(owner), to_parts(other)];
        for (column, part) in self.columns.iter_mut().zip(parts.into_iter().flatten()) {
            column.push(part);
        }
        self.columns[4].push(rest);
    }

    fn entries(&self) -> impl Iterator<Item = (u64, u64, Real)> + '_ {
        let id = |k: usize, at: usize| of_parts([self.columns[k][at], self.columns[k + 1][at]]);
        let n = self.columns.iter().map(Vec::len).min().unwrap_or(0);
        (0..n).map(move |at| (id(0, at), id(2, at), self.columns[4][at]))
    }

    /// Brings the rows into the order of their owners, which are `ids`, and drops those of others. Rows of one owner stand together.
    fn sort(&mut self, ids: &[u64]) {
        let place: FxHashMap<u64, usize> = ids.iter().zip(0..).map(|(&id, i)| (id, i)).collect();
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        let mut last = None;
        for (row, (owner, ..)) in self.entries().enumerate() {
            match (runs.last_mut(), place.get(&owner)) {
                (Some((_, rows)), Some(_)) if last == Some(owner) => rows.end = row + 1,
                (_, Some(&i)) => runs.push((i, row..row + 1)),
                (_, None) => {}
            }
            last = Some(owner);
        }
        runs.sort_by_key(|(i, _)| *i);
        for column in &mut self.columns {
            *column = runs.iter().flat_map(|(_, rows)| &column[rows.clone()]).copied().collect();
        }
    }
}

/// Springs that replace all others.
#[derive(Debug)]
pub struct Replacement<'a> {
    ids: &'a [u64],
    by_id: &'a mut ById,
}

impl Replacement<'_> {
    /// Adds the spring from particle `i` to another, `[m]`, behind those of its row that are there.
    pub fn push(&mut self, i: usize, other: u32, rest: Real) {
        self.by_id.push(self.ids[i], self.ids[other as usize], rest);
    }
}

/// All springs.
#[derive(Debug, Default)]
pub struct Springs {
    rows: Rows,
    next: Rows,
    /// Ids of the particles in the order of the rows.
    ids: Vec<u64>,
    /// Ids of particles that are on other ranks, too far away to be ghosts, and whether springs end at them: their places are
    /// behind that of the null particle.
    far: Vec<(u64, bool)>,
    /// The springs by id, while rows are invalid.
    by_id: Option<ById>,
    /// Place of the particle that was at a place before a sort.
    inverse: Vec<u32>,
    /// Padding of rows: the null particle, and a rest length without force.
    padding: (u32, Real),
    /// 1 once springs were created, else 0.
    pub created: f64,
}

impl Springs {
    /// The rows, in the chunks of the last [`Springs::rewrite`].
    pub fn chunks(&self) -> &[SpringChunk] {
        self.rows.chunks()
    }

    /// The springs of particle `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        self.rows.row(i)
    }

    /// The owner of the first spring by id whose rest length is not finite.
    pub fn first_not_finite(&self) -> Option<u64> {
        let mut entries = self.by_id.iter().flat_map(ById::entries);
        entries.find(|(.., rest)| !rest.is_finite()).map(|(owner, ..)| owner)
    }

    /// Removes all springs; the caller pushes those of particles `ids`.
    pub fn replace<'a>(&'a mut self, ids: &'a [u64]) -> Replacement<'a> {
        Replacement { ids, by_id: self.by_id.insert(ById::default()) }
    }

    /// Restores the rows of the particles `ids`, which are all that there are; `h` is the interaction radius, `[m]`. Springs of
    /// removed particles vanish.
    pub fn restore_rows(&mut self, ids: &[u64], h: Real) {
        if self.by_id.is_some() || self.ids.len() != ids.len() {
            self.write_rows(ids, h, false);
        }
    }

    /// The same, where others are on other ranks: all springs stay. Returns false where rows were there.
    pub fn restore_rows_among(&mut self, ids: &[u64], h: Real) -> bool {
        let restores = self.by_id.is_some();
        if restores {
            self.write_rows(ids, h, true);
        }
        restores
    }

    fn write_rows(&mut self, ids: &[u64], h: Real, among: bool) {
        let by_id = self.by_id.take().unwrap_or_default();
        self.padding = (ids.len() as u32, h);
        let mut index: FxHashMap<u64, u32> = ids.iter().enumerate().map(|(i, &id)| (id, i as u32)).collect();
        let (mut rows, mut far): (Vec<Vec<End>>, _) = (vec![Vec::new(); ids.len()], Vec::new());
        let (mut last, mut at) = (None, None);
        for (owner, other, rest) in by_id.entries() {
            if last != Some(owner) {
                (last, at) = (Some(owner), index.get(&owner).copied());
            }
            let Some(at) = at else { continue };
            let other = match index.get(&other) {
                None if among => {
                    far.push((other, true));
                    let place = (ids.len() + far.len()) as u32;
                    index.insert(other, place);
                    Some(place)
                }
                known => known.copied(),
            };
            rows[at as usize].extend(other.map(|other| End { other, rest }));
        }
        let chunk = &mut self.rows.writable(1)[0];
        chunk.clear(0, self.padding);
        for row in &rows {
            row.iter().for_each(|end| chunk.push(*end));
            chunk.end_row(row.len());
        }
        self.remember(ids);
        self.far = far;
    }

    fn remember(&mut self, ids: &[u64]) {
        self.far.clear();
        self.ids.clear();
        self.ids.extend_from_slice(ids);
    }

    /// The id of the particle at the end of a spring.
    fn id_at(&self, place: usize) -> u64 {
        self.ids.get(place).copied().unwrap_or_else(|| self.far[place - self.ids.len() - 1].0)
    }

    /// Brings the springs by id into the order of their owners, which are `ids`, where pieces of several ranks were joined.
    pub fn sort_by_owner(&mut self, ids: &[u64]) {
        self.by_id.iter_mut().for_each(|by_id| by_id.sort(ids));
    }

    /// Keeps the springs by id: places are void from now on.
    pub fn store_by_id(&mut self) {
        if self.by_id.is_some() {
            return;
        }
        let ends = (0..self.ids.len()).map(|i| self.rows.row(i).n).sum();
        let mut by_id = ById { columns: [(); 5].map(|()| Vec::with_capacity(ends)) };
        for (i, &owner) in self.ids.iter().enumerate() {
            let row = self.rows.row(i);
            for end in row.ends(0..row.n) {
                by_id.push(owner, self.id_at(end.other as usize), end.rest);
            }
        }
        self.by_id = Some(by_id);
    }

    /// Follows a sort of the particles: the new particle `k` is the old `order[k]`, and has the id `ids[k]`.
    pub fn follow(&mut self, order: &[u32], ids: &[u64]) {
        let n = order.len();
        self.inverse.resize(n, 0);
        for (k, &old) in order.iter().enumerate() {
            self.inverse[old as usize] = k as u32;
        }
        let (rows, inverse, padding) = (&self.rows, &self.inverse, self.padding);
        let write = |(k, chunk): (usize, &mut SpringChunk)| {
            let first = k * BLOCK;
            chunk.clear(first, padding);
            for &old in &order[first..(first + BLOCK).min(n)] {
                let row = rows.row(old as usize);
                chunk.others.extend(row.others[..row.n].iter().map(|&other| inverse[other as usize]));
                chunk.rests.extend_from_slice(&row.rests[..row.n]);
                chunk.end_row(row.n_near);
            }
        };
        self.next.writable(n.div_ceil(BLOCK)).par_iter_mut().enumerate().for_each(write);
        swap(&mut self.rows, &mut self.next);
        self.remember(ids);
    }

    /// Rewrites all rows in `n_chunks` chunks: `write(k, before, chunk)` writes the rows of chunk `k`, which begins at
    /// particle `first(k)`.
    pub fn rewrite(
        &mut self,
        n_chunks: usize,
        first: impl Fn(usize) -> usize + Sync,
        write: impl Fn(usize, Before<'_>, &mut SpringChunk) + Sync,
    ) {
        let (rows, padding) = (&self.rows, self.padding);
        self.next.writable(n_chunks).par_iter_mut().enumerate().for_each(|(k, chunk)| {
            chunk.clear(first(k), padding);
            write(k, Before(rows), chunk);
        });
        swap(&mut self.rows, &mut self.next);
        self.created = 1.0;
    }

    /// Visits the memory of checkpoints.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.store_by_id();
        if let Some(by_id) = &mut self.by_id {
            for (name, column) in COLUMNS.into_iter().zip(&mut by_id.columns) {
                visit(name, Memory::Pairs(column));
            }
        }
        visit("springs_made", Memory::Number(&mut self.created));
    }
}
