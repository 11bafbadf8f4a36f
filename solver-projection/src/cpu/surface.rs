//! The free surface, its Dirichlet terms, and the particles in reach of it.

use super::{Cpu, velocity::Gradients};
use crate::{
    memory::record::{AT_SURFACE, INV_ALPHA, Moments, P, RowSums},
    params::Gradient,
    physics::{GROWTH, REACH, STEEPEST, Weight, of_void},
};
use sph_core::{
    Real,
    method::solids::Flow,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::{self, First},
        vector::norm2,
    },
    phase,
};
use std::mem::take;

/// Dirichlet terms and the diagonal of particles.
type Own<'a> = (&'a mut [Real], &'a mut [Real]);

/// What the loop over neighbors reads.
struct Region<'a, const D: usize> {
    weight: Weight,
    periodic: Periodic<D>,
    /// `[x y z 1/α | v*, 1 at the surface]`.
    record: &'a [[Real; 8]],
    walls: &'a [[Real; 12]],
    moments: &'a [Moments],
    /// Share of neighbors of the surface from which on a particle is in the surface region, `[-]`.
    least: Real,
    /// d, or 0 where the gradient is not the mirrored one of either sign.
    answered: Real,
}

phase! {
/// `[N | 1 in the surface region]` with `N = Σ_j w n_ji` over neighbors of the surface, and at it `Σ w n` besides. In the surface region the Dirichlet term
/// is no less than `d σ²`, with the mirrored gradient `d σ` of the pressure 1, `σ = Σ_j a w¹ n + Σ_k 2/α_i w¹ n`: the divergence of
/// that gradient adds up to `Σ d σ²`.
fn find<L>[const D: usize](
    s: &Region<'_, D>, fluid: &Chunk, walls: &Chunk, out: (&mut [[Real; 4]], Own<'_>),
) {
    let (region, (dirichlet, diagonal)) = out;
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let (inv_i, zero) = (L::splat(r_i[INV_ALPHA]), L::splat(0.0));
        let inner = fluid.sum::<L, D, 8, 7>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let at = s.weight.at(r2);
            let share = at.w * j[AT_SURFACE];
            let (out, pull) = (zero - share * at.inv_r, (inv_i + j[INV_ALPHA]) * at.w1 * at.inv_r);
            let mut terms = [zero; 7];
            for a in 0..D {
                (terms[a], terms[4 + a]) = (out * x_ij[a], pull * x_ij[a]);
            }
            terms[3] = share;
            terms
        });
        let own = r_i[AT_SURFACE];
        if own + inner[3] < s.least {
            region[k] = [0.0; 4];
            continue;
        }
        let w_n = s.moments[i].w_n;
        region[k] = [inner[0] + own * w_n[0], inner[1] + own * w_n[1], inner[2] + own * w_n[2], 1.0];
        let outer = walls.sum::<L, D, 12, D>(i, x_i, s.walls, &s.periodic, |x_ik, r2, _| {
            let at = s.weight.at(r2);
            each(|a| L::splat(2.0) * inv_i * at.w1 * at.inv_r * x_ik[a])
        });
        let least = s.answered * norm2::<_, D>(each(|a| inner[4 + a] + outer[a]));
        if least > dirichlet[k] {
            diagonal[k] += least - dirichlet[k];
            dirichlet[k] = least;
        }
    }
}
}

phase! {
/// Dirichlet terms of voids, with `σ_i = Σ_j a_ij w¹_ij n_ij + Σ_k 2/α_i w¹_ik n_ik`, each ghost times its part of the pressure.
/// Returns the first that was raised.
fn open<L>[const D: usize](s: &Gradients<'_, D>, fluid: &Chunk, walls: &Chunk, out: Own<'_>) -> First {
    let ((dirichlet, diagonal), mut opened) = (out, First::NONE);
    for (k, i) in fluid.points().enumerate() {
        let push = s.factor * s.record[i][P];
        if push * STEEPEST * s.weight.inv_h <= s.parting.speed {
            continue;
        }
        let (inner, outer) = (s.mirrored::<L>(fluid, i, |_| L::splat(2.0)), s.of_walls::<L>(walls, i));
        let twice = 2.0 * s.record[i][INV_ALPHA];
        let sigma2 = norm2::<_, D>(each(|a| inner[a] + twice * outer[a]));
        let least = of_void::<D>(push, sigma2, s.parting.speed);
        if least > (1.0 + GROWTH) * dirichlet[k] {
            diagonal[k] += least - dirichlet[k];
            dirichlet[k] = least;
            opened.count(i, true);
        }
    }
    opened
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Adds the Dirichlet terms of particles that the pressure accelerates into voids. False if this rank has none.
    pub(super) fn open(&mut self, dt: Real) -> bool {
        let mut dirichlet = take(&mut self.method.fields.dirichlet);
        let mut diagonal = take(&mut self.method.fields.equation.diagonal);
        let (s, gradients) = (&*self.method, self.gradients(dt));
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        let opened = lists.fluid.for_each((&mut dirichlet[..], &mut diagonal[..]), |k, fluid, out| {
            open(isa, &gradients, fluid, &lists.walls.chunks()[k], out)
        });
        let fields = &mut self.method.fields;
        (fields.dirichlet, fields.equation.diagonal) = (dirichlet, diagonal);
        opened.place().is_some()
    }

    /// The free surface, its Dirichlet terms `s_i`, and `A_ii = Σ_j a w² + s_i`. False if there is none.
    pub(super) fn find_surface(&mut self) -> bool {
        let (surface, full) = (self.method.surface(self.state), self.method.full()[0]);
        let is_free = self.method.flow == Flow::FreeSurface;
        let n = self.state.fluid.len();
        let fields = &mut self.method.fields;
        let (sums, moments) = (&fields.sums, &fields.moments);
        let outputs =
            (&mut fields.record[..n], (&mut fields.dirichlet[..], &mut fields.equation.diagonal[..]));
        let found = parallel::blocks(n, outputs, |range, (record, (dirichlet, diagonal))| {
            let mut found = First::NONE;
            for (k, i) in range.enumerate() {
                let RowSums { fluid, total, correction, .. } = sums[i];
                let [asymmetry, alpha] = [norm2(moments[i].w_n).sqrt() / full, moments[i].alpha / full];
                let total = surface.counted(fluid, total);
                let at_wall = total > fluid;
                let at_surface = is_free && surface.holds(total, alpha, asymmetry, at_wall);
                record[k][AT_SURFACE] = if at_surface { 1.0 } else { 0.0 };
                dirichlet[k] = if at_surface { surface.missing(total, alpha, at_wall) } else { 0.0 };
                diagonal[k] = fluid + correction + dirichlet[k];
                found.count(i, at_surface);
            }
            found
        });
        if is_free && self.method.constants.needs.surface_region {
            self.find_surface_region(full);
        }
        found.place().is_some()
    }

    /// The particles in reach of the surface.
    fn find_surface_region(&mut self, full: Real) {
        let s = &mut *self.method;
        let is_answered = s.params.gradient == Gradient::Difference;
        let loops = Region {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            record: &s.fields.record,
            walls: &s.fields.wall_record,
            moments: &s.fields.moments,
            least: REACH * full,
            answered: if is_answered { D as Real } else { 0.0 },
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        let outputs = (
            &mut s.fields.surface_region[..],
            (&mut s.fields.dirichlet[..], &mut s.fields.equation.diagonal[..]),
        );
        lists.fluid.for_each(outputs, |k, fluid, out| {
            find(isa, &loops, fluid, &lists.walls.chunks()[k], out);
        });
    }
}
