//! Viscosity impulses between approaching neighbors (Clavet et al. 2005, algorithm 5).

use super::{
    Cpu,
    colors::{CellRange, Shared, with_next},
};
use crate::{
    is_reversed,
    params::RelaxMode,
    physics::{self, Viscosity},
};
use sph_core::{
    Real,
    neighbors::{Chunk, NeighborLists, Periodic},
    numerics::{
        lane::{Lane, each, prefetch_all},
        parallel,
        vector::norm2,
    },
    phase,
};
use std::mem::take;

/// Inputs of the loops.
pub struct Impulses<'a, const D: usize> {
    pub periodic: Periodic<D>,
    pub viscosity: Viscosity,
    /// 1/h, `[1/m]`.
    pub inv_h: Real,
    /// Rows of the fluid.
    pub rows: &'a NeighborLists,
    /// Reverses the order of particles.
    pub reverse: bool,
}

phase! {
/// Jacobi: all impulses from the same velocities, `Δv_i = ½ Σ_j I x_ij/r`.
pub fn gather<L>[const D: usize](s: &Impulses<'_, D>, velocity: &[[Real; 8]], fluid: &Chunk, delta: &mut [[Real; 4]]) {
    for (k, i) in fluid.points().enumerate() {
        let own = &velocity[i];
        let v_i: [L; D] = each(|a| L::splat(own[4 + a]));
        let sums = fluid.sum::<L, D, 8, D>(i, each(|a| own[a]), velocity, &s.periodic, |x_ij, r2, j| {
            let r = r2.sqrt();
            let inverse = physics::inverse(r);
            let mut u = L::splat(0.0);
            for a in 0..D {
                u = u - (v_i[a] - j[4 + a]) * (x_ij[a] * inverse);
            }
            let impulse = s.viscosity.impulse(u, physics::closeness(r, s.inv_h)) * inverse;
            each(|a| impulse * x_ij[a])
        });
        delta[k] = [0.0; 4];
        for a in 0..D {
            delta[k][a] = 0.5 * sums[a];
        }
    }
}
}

/// Gauss-Seidel: each pair uses the velocities that the last one has left.
pub fn sweep<const D: usize>(s: &Impulses<'_, D>, velocity: Shared<[Real; 8]>, cells: &[CellRange]) {
    for (cell, next) in with_next(cells, s.reverse) {
        let [fluid, ahead] = [cell, next].map(|cell| &s.rows.chunks()[cell.chunk as usize]);
        let mut later = next.particles(s.reverse);
        for i in cell.particles(s.reverse) {
            later.next().into_iter().for_each(|i| prefetch_all(ahead.row(i)));
            let row = fluid.row(i);
            // Each pair once.
            let first = row.partition_point(|&j| j as usize <= i);
            for &j in &row[first..row.partition_point(|&j| j < fluid.null)] {
                // SAFETY: i and j lie in a cell and around it; cells of one color have no neighbors in common.
                unsafe { damp_pair(s, &velocity, i, j as usize) };
            }
        }
    }
}

/// The impulse of a pair: `v_i += ½ I x_ij/r`, `v_j −= ½ I x_ij/r`.
///
/// # Safety
/// Both are below the length, and no other task touches them.
#[inline(always)]
unsafe fn damp_pair<const D: usize>(s: &Impulses<'_, D>, velocity: &Shared<[Real; 8]>, i: usize, j: usize) {
    // SAFETY: the caller vouches for both, and they differ.
    let (own, other) = unsafe { (&mut *velocity.at(i), &mut *velocity.at(j)) };
    let x_ij: [Real; D] = s.periodic.nearest(each(|a| own[a] - other[a]));
    let r = norm2(x_ij).sqrt();
    let inverse = physics::inverse(r);
    let u: Real = (0..D).map(|a| (other[4 + a] - own[4 + a]) * (x_ij[a] * inverse)).sum();
    let half = 0.5 * s.viscosity.impulse(u, physics::closeness(r, s.inv_h)) * inverse;
    for a in 0..D {
        own[4 + a] += half * x_ij[a];
        other[4 + a] -= half * x_ij[a];
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// Impulses between all neighbors.
    pub(super) fn viscous_impulses(&mut self, viscosity: Viscosity) {
        let mut velocity = take(&mut self.method.fields.velocity);
        let reverse = is_reversed(self.state.step);
        let s = &mut *self.method;
        let impulses = Impulses {
            periodic: self.state.domain.periodic,
            viscosity,
            inv_h: 1.0 / s.constants.h,
            rows: &s.shell.neighbors.fluid,
            reverse,
        };
        if s.params.relax_mode == RelaxMode::Jacobi {
            s.shell.neighbors.fluid.for_each(&mut s.fields.delta[..], |_, fluid, delta| {
                gather(s.shell.isa, &impulses, &velocity, fluid, delta);
            });
            let delta = &s.fields.delta;
            parallel::blocks(delta.len(), &mut velocity[..delta.len()], |range, velocity| {
                for (record, delta) in velocity.iter_mut().zip(&delta[range]) {
                    for a in 0..D {
                        record[4 + a] += delta[a];
                    }
                }
            });
        } else {
            let shared = Shared::new(&mut velocity);
            s.colors.for_each(s.params.relax_mode, reverse, |cells| {
                sweep(&impulses, shared, cells);
            });
        }
        let v = self.state.fluid.v.each_mut().map(Vec::as_mut_slice);
        parallel::blocks(v[0].len(), v, |range, v| {
            for (k, i) in range.enumerate() {
                for a in 0..D {
                    v[a][k] = velocity[i][4 + a];
                }
            }
        });
        s.fields.velocity = velocity;
    }
}
