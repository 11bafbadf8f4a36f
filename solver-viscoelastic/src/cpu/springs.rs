//! Springs (Clavet et al. 2005, algorithms 3 and 4): plastic flow, removal, creation and displacements.

use super::{
    colors::{CellRange, Shared, with_next},
    relax::scatter,
};
use crate::{
    physics::{self, Flow, Spring},
    springs::{Before, End, Row, SpringChunk},
};
use sph_core::{
    Real,
    neighbors::{AHEAD, Chunk, Periodic},
    numerics::{
        lane::{Lane, WIDTH, each, prefetch},
        vector::norm2,
    },
    phase,
};

/// How springs change in a step.
pub struct Adjustment<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z ·]`.
    pub position: &'a [[Real; 4]],
    pub flow: Flow,
    /// Interaction radius, `[m]`.
    pub h: Real,
    /// True when pairs without a spring get one.
    pub creates: bool,
}

/// Memory of a task for the row of one particle.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Of each particle, the last one that had a spring to it. Shape `[n]`.
    partner_of: Vec<u32>,
    /// Its springs that are longer than h.
    far: Vec<End>,
    /// First particle of those written here with a rest length that is not finite.
    pub not_finite: Option<usize>,
}

phase! {
/// Writes the rows of the particles of a chunk: springs shorter than h, new ones, then longer ones. A spring whose rest
/// length has become longer than h is gone.
pub fn adjust<L>[const D: usize](
    s: &Adjustment<'_, D>, fluid: &Chunk, before: Before<'_>, out: &mut SpringChunk, scratch: &mut Scratch,
) {
    assert!(s.position.len() > fluid.null as usize);
    let (records, h) = (s.position.as_ptr().cast::<Real>(), L::splat(s.h));
    let mut sum = L::splat(0.0);
    for i in fluid.points() {
        let row = before.row(i);
        let x_i: [L; D] = each(|a| L::splat(s.position[i][a]));
        let (others, rests) = out.reserve(row.others.len() + L::N);
        let (mut n_near, mut n_met) = (0, 0);
        scratch.far.clear();
        for k in (0..row.others.len()).step_by(L::N) {
            prefetch(row.others.as_ptr().wrapping_add(k + AHEAD));
            prefetch(row.rests.as_ptr().wrapping_add(k + AHEAD));
            // SAFETY: rows are padded to whole lanes, and their entries are particles, the null particle, and far ends behind
            // it, which all have records; as many springs as there were, and a lane, are reserved.
            unsafe {
                let there = L::quads(records, 4, row.others.as_ptr().add(k));
                let r = norm2(s.periodic.nearest(each::<L, D>(|a| x_i[a] - there[a]))).sqrt();
                let rest = L::load(row.rests.as_ptr().add(k));
                // Later it is hidden: springs of infinite length break, and limits make a finite number of NaN.
                sum = sum + rest;
                let rest = s.flow.rest(rest, r);
                let real = low_bits(row.n.saturating_sub(k));
                let (near, kept) = (r.below(h) & real, real & !h.below(rest));
                rest.pack(near & kept, rests.add(n_near));
                L::pack_index(row.others.as_ptr().add(k), near & kept, others.add(n_near));
                n_near += (near & kept).count_ones() as usize;
                n_met += near.count_ones() as usize;
                let far = kept & !near & low_bits(L::N);
                if far != 0 {
                    push_lanes(&mut scratch.far, far, &row.others[k..], rest);
                }
            }
        }
        out.keep(n_near);
        // Each neighbor within h has a spring, in most steps.
        if s.creates && n_met < fluid.count(i) {
            create(s, i, row, fluid, out, scratch);
        }
        let n_near = out.n_written();
        scratch.far.iter().for_each(|end| out.push(*end));
        out.end_row(n_near);
    }
    if !sum.sum().is_finite() {
        scratch.find_not_finite(fluid, before);
    }
}
}

/// Appends the springs of the lanes whose bits are set.
#[inline(always)]
fn push_lanes<L: Lane>(ends: &mut Vec<End>, mut lanes: u32, others: &[u32], rest: L) {
    let mut rests = [0.0; WIDTH];
    // SAFETY: wide lanes hold WIDTH numbers.
    unsafe { rest.store(rests.as_mut_ptr()) };
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        ends.push(End { other: others[lane], rest: rests[lane] });
        lanes &= lanes - 1;
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
    scratch: &mut Scratch,
) {
    let me = i as u32;
    row.others[..row.n].iter().for_each(|&other| scratch.partner_of[other as usize] = me);
    for j in fluid.neighbors(i) {
        let r = s.distance(i, j);
        if scratch.partner_of[j] != me && r < s.h {
            out.push(End { other: j as u32, rest: r });
        }
    }
}

impl Scratch {
    /// Scratch for springs to `n` places, of which none has one yet.
    pub fn clear(&mut self, n: usize) {
        self.not_finite = None;
        self.partner_of.clear();
        self.partner_of.resize(n, u32::MAX);
    }

    fn find_not_finite(&mut self, fluid: &Chunk, before: Before<'_>) {
        let is_bad = |i: &usize| before.row(*i).rests.iter().any(|rest| !rest.is_finite());
        self.not_finite = self.not_finite.into_iter().chain(fluid.points().find(is_bad)).min();
    }
}

impl<const D: usize> Adjustment<'_, D> {
    fn distance(&self, i: usize, j: usize) -> Real {
        let (own, other) = (&self.position[i], &self.position[j]);
        norm2::<Real, D>(self.periodic.nearest(each(|a| own[a] - other[a]))).sqrt()
    }
}

/// Displacements by springs.
pub struct SpringPass<const D: usize> {
    pub periodic: Periodic<D>,
    pub spring: Spring,
    /// Largest displacement by a spring, `[m]`.
    pub max_displacement: Real,
}

impl<const D: usize> SpringPass<D> {
    /// Half the displacement by a spring over the distance of its particles, `[-]`.
    #[inline(always)]
    fn half_over_r<L: Lane>(&self, r: L, rest: L) -> L {
        let half = L::splat(0.5) * self.spring.displacement(rest, r);
        physics::limited(half, self.max_displacement) * physics::inverse(r)
    }

    /// Half the displacement by a spring, that of its first particle, `[m]`.
    #[inline(always)]
    fn half(&self, own: &[Real; 4], other: &[Real; 4], rest: Real) -> [Real; D] {
        let x_ij: [Real; D] = self.periodic.nearest(each(|a| own[a] - other[a]));
        let over_r = self.half_over_r(norm2(x_ij).sqrt(), rest);
        each(|a| over_r * x_ij[a])
    }

    /// Jacobi displacements of the particles of a chunk by the springs longer than h.
    pub fn gather_far(&self, position: &[[Real; 4]], chunk: &SpringChunk, delta: &mut [[Real; 4]]) {
        for (k, delta) in delta.iter_mut().enumerate() {
            let i = chunk.first + k;
            let row = chunk.row(i);
            *delta = [0.0; 4];
            for end in row.ends(row.n_near..row.n) {
                let half = self.half(&position[i], &position[end.other as usize], end.rest);
                for a in 0..D {
                    delta[a] += half[a];
                }
            }
        }
    }

    /// Sequential Gauss-Seidel, as published, on one thread: each spring uses the positions that the last one has left.
    pub fn sweep(
        &self,
        position: Shared<[Real; 4]>,
        springs: &[SpringChunk],
        cells: &[CellRange],
        reverse: bool,
    ) {
        let particles =
            with_next(cells, reverse).flat_map(|(cell, _)| cell.particles(reverse).map(move |i| (cell, i)));
        for (cell, i) in particles {
            let row = springs[cell.chunk as usize].row(i);
            for end in row.ends(0..row.n).filter(|end| end.other as usize > i) {
                // SAFETY: springs join particles, which differ, and there is but one task.
                let (own, other) = unsafe { (&mut *position.at(i), &mut *position.at(end.other as usize)) };
                let half = self.half(own, other, end.rest);
                for a in 0..D {
                    own[a] += half[a];
                    other[a] -= half[a];
                }
            }
        }
    }
}

/// Springs that are evaluated together.
const BATCH: usize = 64;

phase! {
/// Multicolor Gauss-Seidel over the springs shorter than h: all springs of a particle use its old position and displace
/// their other ends, then the particle moves. A spring belongs to the particle with the lower index.
pub fn sweep_short<L>[const D: usize](
    s: &SpringPass<D>, position: Shared<[Real; 4]>, springs: &[SpringChunk], cells: &[CellRange], reverse: bool,
) {
    let null = (position.len() - 1) as u32;
    // A spring as long as h does nothing.
    let (mut others, mut rests) = ([null; BATCH], [s.spring.h; BATCH]);
    for (cell, next) in with_next(cells, reverse) {
        let [chunk, ahead] = [cell, next].map(|cell| &springs[cell.chunk as usize]);
        let mut later = next.particles(reverse);
        for i in cell.particles(reverse) {
            later.next().into_iter().for_each(|i| ahead.row(i).prefetch());
            let row = chunk.row(i);
            // SAFETY: springs join particles; those shorter than h lie in a cell and around it, and cells of one color
            // have no neighbors in common, so no other task touches them.
            let (records, here) = unsafe { (position.at(0).cast::<Real>(), *position.at(i)) };
            let x_i: [L; D] = each(|a| L::splat(here[a]));
            let (mut displacement, mut from) = ([L::splat(0.0); D], 0);
            while from < row.n_near {
                let end = row.n_near.min(from + BATCH);
                let mut n = 0;
                for k in from..end {
                    (others[n], rests[n]) = (row.others[k], row.rests[k]);
                    n += usize::from(row.others[k] as usize > i);
                }
                from = end;
                let padded = n.next_multiple_of(L::N);
                others[n..padded].fill(null);
                rests[n..padded].fill(s.spring.h);
                for k in (0..padded).step_by(L::N) {
                    // SAFETY: as above, and the batch is padded to whole lanes.
                    let (there, rest) = unsafe {
                        (L::quads(records, 4, others.as_ptr().add(k)), L::load(rests.as_ptr().add(k)))
                    };
                    let x_ij: [L; D] = s.periodic.nearest(each(|a| x_i[a] - there[a]));
                    let over_r = s.half_over_r(norm2(x_ij).sqrt(), rest);
                    let part: [L; D] = each(|a| over_r * x_ij[a]);
                    displacement = each(|a| displacement[a] + part[a]);
                    // SAFETY: as above.
                    unsafe { scatter(records, &others[k..k + L::N], null, part) };
                }
            }
            for a in 0..D {
                // SAFETY: as above.
                unsafe { (*position.at(i))[a] = here[a] + displacement[a].sum() };
            }
        }
    }
}
}

phase! {
/// Jacobi displacements of the particles of a chunk by all springs: `Δx_i = Σ ½ D x_ij/r`.
pub fn gather<L>[const D: usize](
    s: &SpringPass<D>, position: &[[Real; 4]], chunk: &SpringChunk, delta: &mut [[Real; 4]],
) {
    let records = position.as_ptr().cast::<Real>();
    for (k, delta) in delta.iter_mut().enumerate() {
        let i = chunk.first + k;
        let row = chunk.row(i);
        let x_i: [L; D] = each(|a| L::splat(position[i][a]));
        let mut sum = [L::splat(0.0); D];
        for k in (0..row.others.len()).step_by(L::N) {
            prefetch(row.others.as_ptr().wrapping_add(k + AHEAD));
            prefetch(row.rests.as_ptr().wrapping_add(k + AHEAD));
            // SAFETY: rows are padded to whole lanes, and their entries are particles, the null particle, and far ends behind
            // it, which all have records.
            let (there, rest) = unsafe {
                (L::quads(records, 4, row.others.as_ptr().add(k)), L::load(row.rests.as_ptr().add(k)))
            };
            let x_ij: [L; D] = s.periodic.nearest(each(|a| x_i[a] - there[a]));
            let over_r = s.half_over_r(norm2(x_ij).sqrt(), rest);
            sum = each(|a| sum[a] + over_r * x_ij[a]);
        }
        *delta = [0.0; 4];
        for a in 0..D {
            delta[a] = sum[a].sum();
        }
    }
}
}
