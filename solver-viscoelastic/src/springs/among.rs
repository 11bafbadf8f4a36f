//! Rows of springs on several ranks: their particles go over to other ranks, and their ends become ghosts, or neither.
//!
//! Particles carry their places through a search, so that rows follow it as on one rank. Only ends that were ghosts or are, and
//! rows that come from other ranks, are looked up by id.

use super::{BLOCK, End, Row, SpringChunk, Springs};
use rayon::iter::{
    IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator,
};
use rustc_hash::FxHashMap;
use sph_core::{
    Real,
    method::solver::{of_parts, to_parts},
};
use std::{
    mem::{swap, take},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// In the place of a place: the particle is not here any more.
const GONE: u32 = u32::MAX;
/// Numbers of a spring on its way to another rank: parts of the ids of both ends, rest length.
const NUMBERS: usize = 5;

/// A place as particles carry it through a search, in bits that nothing computes with. Ghosts carry 0.
pub fn carried(place: usize) -> Real {
    Real::from_bits(place as _)
}

/// What has become of the particles of the rows in a search.
pub struct Moves {
    /// Where the particle of each place is now.
    to: Vec<u32>,
    /// Where the particle of each place was.
    from: Vec<u32>,
    /// Where those were that are not here any more, by id.
    left: FxHashMap<u64, u32>,
}

/// Where ends that are looked up by id are now.
struct Found {
    place: FxHashMap<u64, u32>,
    n: u32,
    /// Whether each of those that are not here is the end of a spring.
    used: Vec<AtomicBool>,
}

impl Found {
    fn place(&self, id: u64) -> u32 {
        let place = self.place[&id];
        if place > self.n {
            self.used[(place - self.n) as usize - 1].store(true, Relaxed);
        }
        place
    }
}

impl Springs {
    /// What has become of the particles of the rows: those with `ids` have [carried] `was`.
    pub fn moves(&self, was: &[Real], ids: &[u64]) -> Moves {
        let (mut to, mut from) = (vec![GONE; self.ids.len()], vec![GONE; ids.len()]);
        for (k, (was, id)) in was.iter().zip(ids).enumerate() {
            let place = (was.to_bits() as usize).wrapping_sub(1);
            // One that has come from another rank was at a place of that one.
            if self.ids.get(place) == Some(id) {
                (to[place], from[k]) = (k as u32, place as u32);
            }
        }
        let left = to.iter().zip(&self.ids).zip(0..).filter(|((to, _), _)| **to == GONE);
        let left = left.map(|((_, id), place)| (*id, place)).collect();
        Moves { to, from, left }
    }

    /// The springs of particles that have left, as numbers.
    pub fn of_left(&self, moves: &Moves, ids: &[u64]) -> Vec<Real> {
        let mut numbers = Vec::new();
        for (id, &place) in ids.iter().filter_map(|id| Some((id, moves.left.get(id)?))) {
            let row = self.row(place as usize);
            for end in row.ends(0..row.n) {
                let other = self.id_at(end.other as usize);
                numbers.extend([to_parts(*id), to_parts(other)].into_iter().flatten().chain([end.rest]));
            }
        }
        numbers
    }

    /// Follows a search: the particles are now `ids`, and springs `came` with some of them, as numbers.
    pub fn follow_among(&mut self, moves: &Moves, ids: &[u64], came: &[Real]) {
        let mut rows_of: FxHashMap<u64, Vec<(u64, Real)>> = FxHashMap::default();
        for spring in came.chunks_exact(NUMBERS) {
            let [owner, other] = [0, 2].map(|k| of_parts([spring[k], spring[k + 1]]));
            rows_of.entry(owner).or_default().push((other, spring[4]));
        }
        let ends = rows_of.values().flatten().map(|(other, _)| *other);
        let (found, far) = self.find(moves, ids, ends);
        self.padding.0 = ids.len() as u32;
        let mut next = take(&mut self.next);
        let (rows, padding) = (&self.rows, self.padding);
        let place = |other: u32| match moves.to.get(other as usize) {
            Some(&to) if to != GONE => to,
            _ => found.place(self.id_at(other as usize)),
        };
        let write = |(k, chunk): (usize, &mut SpringChunk)| {
            let first = k * BLOCK;
            chunk.clear(first, padding);
            for i in first..(first + BLOCK).min(ids.len()) {
                let row =
                    if moves.from[i] == GONE { Row::default() } else { rows.row(moves.from[i] as usize) };
                chunk.others.extend(row.others[..row.n].iter().map(|&other| place(other)));
                chunk.rests.extend_from_slice(&row.rests[..row.n]);
                let came = if row.n == 0 { rows_of.get(&ids[i]) } else { None };
                for &(other, rest) in came.into_iter().flatten() {
                    chunk.push(End { other: found.place(other), rest });
                }
                chunk.end_row(chunk.n_written());
            }
        };
        next.writable(ids.len().div_ceil(BLOCK)).par_iter_mut().enumerate().for_each(write);
        self.next = next;
        swap(&mut self.rows, &mut self.next);
        self.remember(ids);
        self.far = far.into_iter().zip(found.used.into_iter().map(AtomicBool::into_inner)).collect();
    }

    /// Looks up the ends that are not where the moves say, and gives places to those that are not here.
    fn find(&self, moves: &Moves, ids: &[u64], came: impl Iterator<Item = u64>) -> (Found, Vec<u64>) {
        let far = self.far.iter().map(|(id, _)| *id);
        let asked = moves.left.keys().copied().chain(far).chain(came);
        let mut place: FxHashMap<u64, u32> = asked.map(|id| (id, GONE)).collect();
        let here = ids.par_iter().enumerate().filter(|(_, id)| place.contains_key(id));
        let here: Vec<(u64, u32)> = here.map(|(i, id)| (*id, i as u32)).collect();
        place.extend(here);
        let mut far: Vec<u64> =
            place.iter().filter(|(_, place)| **place == GONE).map(|(id, _)| *id).collect();
        far.sort_unstable();
        let n = ids.len() as u32;
        place.extend(far.iter().copied().zip(n + 1..));
        let used = far.iter().map(|_| AtomicBool::new(false)).collect();
        (Found { place, n, used }, far)
    }

    /// Ids of the particles that have places behind the null particle's, and whether each is the end of a spring.
    pub fn far(&self) -> &[(u64, bool)] {
        &self.far
    }

    /// Removes the springs to some particles, which are nowhere any more.
    pub fn remove_ends(&mut self, gone: &[u64]) {
        self.store_by_id();
        let Some(by_id) = &mut self.by_id else { return };
        let kept: Vec<_> = by_id.entries().filter(|(_, other, _)| !gone.contains(other)).collect();
        by_id.columns.iter_mut().for_each(Vec::clear);
        kept.into_iter().for_each(|(owner, other, rest)| by_id.push(owner, other, rest));
    }
}
