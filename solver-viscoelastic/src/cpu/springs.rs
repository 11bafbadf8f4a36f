//! Springs (Clavet et al. 2005, algorithms 3 and 4): how they flow, break and are made, and what they do.

use super::colors::{CellRange, Shared};
use crate::{
    physics::{self, Flow, Spring},
    springs::{Before, End, Row, SpringChunk},
};
use sph_core::{
    Real,
    lane::{Lane, WIDTH, each},
    neighbors::{Chunk, Periodic, norm2},
    phase,
};

/// How springs change in a step.
pub struct Adjustment<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z ·]`.
    pub place: &'a [[Real; 4]],
    pub flow: Flow,
    /// Interaction radius, `[m]`.
    pub h: Real,
    /// True when pairs without a spring get one.
    pub creates: bool,
    /// True when new springs are as long as the interaction radius.
    pub full_length: bool,
}

/// Room of a task for the row of one particle.
#[derive(Debug, Default)]
pub struct Room {
    /// Its partners before, sorted.
    partners: Vec<u32>,
    /// Its springs that are longer than h.
    far: Vec<End>,
}

phase! {
/// Writes the rows of the particles of a chunk: springs shorter than h, new ones, then longer ones. A spring whose rest
/// length has become longer than h is gone.
pub fn adjust<L>[const D: usize](
    s: &Adjustment<'_, D>, fluid: &Chunk, before: Before<'_>, out: &mut SpringChunk, room: &mut Room,
) {
    assert!(s.place.len() > fluid.null as usize);
    let (records, h) = (s.place.as_ptr().cast::<Real>(), L::splat(s.h));
    let mut stored = [0.0; WIDTH];
    for i in fluid.points() {
        let row = before.row(i);
        let x_i: [L; D] = each(|a| L::splat(s.place[i][a]));
        let (others, rests) = out.room(row.others.len() + L::N);
        let (mut n_near, mut n_met) = (0, 0);
        room.far.clear();
        for k in (0..row.others.len()).step_by(L::N) {
            // SAFETY: rows are padded to whole lanes, and their entries are at most the null particle's; there is room for
            // as many springs as there were, and a lane.
            unsafe {
                let there = L::quads(records, 4, row.others.as_ptr().add(k));
                let r = norm2(s.periodic.nearest(each::<L, D>(|a| x_i[a] - there[a]))).sqrt();
                let rest = s.flow.rest(L::load(row.rests.as_ptr().add(k)), r);
                let real = low_bits(row.n.saturating_sub(k));
                let (near, kept) = (r.below(h) & real, real & !h.below(rest));
                rest.pack(near & kept, rests.add(n_near));
                L::pack_index(row.others.as_ptr().add(k), near & kept, others.add(n_near));
                n_near += (near & kept).count_ones() as usize;
                n_met += near.count_ones() as usize;
                let mut far = kept & !near & low_bits(L::N);
                if far != 0 {
                    rest.store(stored.as_mut_ptr());
                    while far != 0 {
                        let lane = far.trailing_zeros() as usize;
                        room.far.push(End { other: row.others[k + lane], rest: stored[lane] });
                        far &= far - 1;
                    }
                }
            }
        }
        out.keep(n_near);
        // Each neighbor within h has a spring, in most steps.
        if s.creates && n_met < fluid.count(i) {
            create(s, i, row, fluid, out, room);
        }
        let n_near = out.n_written();
        room.far.iter().for_each(|end| out.push(*end));
        out.end_row(n_near);
    }
}
}

/// The lowest `n` bits, at most 32.
#[inline(always)]
fn low_bits(n: usize) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}

/// Springs to those neighbors of particle `i` within h that had none.
fn create<const D: usize>(
    s: &Adjustment<'_, D>,
    i: usize,
    row: Row<'_>,
    fluid: &Chunk,
    out: &mut SpringChunk,
    room: &mut Room,
) {
    room.partners.clear();
    room.partners.extend_from_slice(&row.others[..row.n]);
    room.partners.sort_unstable();
    let mut partners = room.partners.iter().peekable();
    for j in fluid.neighbors(i) {
        while partners.next_if(|&&other| (other as usize) < j).is_some() {}
        let r = s.distance(i, j);
        if partners.peek().is_none_or(|&&other| other as usize != j) && r < s.h {
            out.push(End { other: j as u32, rest: if s.full_length { s.h } else { r } });
        }
    }
}

impl<const D: usize> Adjustment<'_, D> {
    fn distance(&self, i: usize, j: usize) -> Real {
        let (own, other) = (&self.place[i], &self.place[j]);
        norm2::<Real, D>(self.periodic.nearest(each(|a| own[a] - other[a]))).sqrt()
    }
}

/// What springs do.
pub struct Pulls<const D: usize> {
    pub periodic: Periodic<D>,
    pub spring: Spring,
    /// Largest displacement by a spring, `[m]`.
    pub most: Real,
}

impl<const D: usize> Pulls<D> {
    /// Half of what a spring does over the distance of its particles, `[-]`.
    #[inline(always)]
    fn along<L: Lane>(&self, r: L, rest: L) -> L {
        let half = L::splat(0.5) * self.spring.displacement(rest, r);
        physics::limited(half, self.most) * physics::inverse(r)
    }

    /// Half of what a spring does to the first of its particles, `[m]`.
    #[inline(always)]
    fn half(&self, own: &[Real; 4], other: &[Real; 4], rest: Real) -> [Real; D] {
        let x_ij: [Real; D] = self.periodic.nearest(each(|a| own[a] - other[a]));
        let along = self.along(norm2(x_ij).sqrt(), rest);
        each(|a| along * x_ij[a])
    }

    /// What the springs longer than h do to the particles of a chunk.
    pub fn gather_far(&self, place: &[[Real; 4]], chunk: &SpringChunk, delta: &mut [[Real; 4]]) {
        for (k, delta) in delta.iter_mut().enumerate() {
            let i = chunk.first + k;
            let row = chunk.row(i);
            *delta = [0.0; 4];
            for end in row.ends(row.n_near..row.n) {
                let half = self.half(&place[i], &place[end.other as usize], end.rest);
                for a in 0..D {
                    delta[a] += half[a];
                }
            }
        }
    }

    /// One spring after the other, each from where the last one has left its particles; those that are longer than h
    /// only where `far` says so.
    pub fn sweep(
        &self,
        place: Shared<[Real; 4]>,
        springs: &[SpringChunk],
        cells: &[CellRange],
        order: Order,
    ) {
        for k in 0..cells.len() {
            let cell = cells[if order.reverse { cells.len() - 1 - k } else { k }];
            let chunk = &springs[cell.chunk as usize];
            for k in cell.first..cell.end {
                let i = if order.reverse { cell.first + cell.end - 1 - k } else { k };
                let row = chunk.row(i as usize);
                let n = if order.far { row.n } else { row.n_near };
                for end in row.ends(0..n).filter(|end| end.other > i) {
                    // SAFETY: both particles lie in a cell and around it, unless there is but one task; cells of one color
                    // have no neighbors in common.
                    let (own, other) =
                        unsafe { (&mut *place.at(i as usize), &mut *place.at(end.other as usize)) };
                    let half = self.half(own, other, end.rest);
                    for a in 0..D {
                        own[a] += half[a];
                        other[a] -= half[a];
                    }
                }
            }
        }
    }
}

phase! {
/// What all springs do to the particles of a chunk, from the same places: `Δx_i = Σ ½ D x_ij/r`.
pub fn gather<L>[const D: usize](
    s: &Pulls<D>, place: &[[Real; 4]], chunk: &SpringChunk, delta: &mut [[Real; 4]],
) {
    let records = place.as_ptr().cast::<Real>();
    for (k, delta) in delta.iter_mut().enumerate() {
        let i = chunk.first + k;
        let row = chunk.row(i);
        let x_i: [L; D] = each(|a| L::splat(place[i][a]));
        let mut sum = [L::splat(0.0); D];
        for k in (0..row.others.len()).step_by(L::N) {
            // SAFETY: rows are padded to whole lanes, and their entries are at most the null particle's, whose record is
            // the last.
            let (there, rest) = unsafe {
                (L::quads(records, 4, row.others.as_ptr().add(k)), L::load(row.rests.as_ptr().add(k)))
            };
            let x_ij: [L; D] = s.periodic.nearest(each(|a| x_i[a] - there[a]));
            let along = s.along(norm2(x_ij).sqrt(), rest);
            sum = each(|a| sum[a] + along * x_ij[a]);
        }
        *delta = [0.0; 4];
        for a in 0..D {
            delta[a] = sum[a].sum();
        }
    }
}
}

/// In which order springs are swept, and which.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// From the last particle to the first.
    pub reverse: bool,
    /// Springs longer than h, too.
    pub far: bool,
}
