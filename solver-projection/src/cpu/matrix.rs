//! The tangential wall correction `E_i`, the matrix and the right-hand side of the equation for the pressure.

use super::Cpu;
use crate::{
    memory::record::{
        BESIDE_WALL, CORRECTION, CORRECTION_SCALE, GRADIENT, INV_ALPHA, Moments, NORMAL, RowSums, TANGENTIAL,
        V,
    },
    physics::{self, WallCorrection, Weight, against_wall, correction_scale, dot},
};
use sph_core::{
    Real,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::{self, First},
    },
    phase,
};

/// What the loop over ghosts reads.
struct Ghosts<'a, const D: usize> {
    weight: Weight,
    periodic: Periodic<D>,
    moments: &'a [Moments],
    walls: &'a [[Real; 12]],
}

phase! {
/// `E_i`, and 1 into the last slot of the record of a particle that has ghosts.
fn ghosts<L>[const D: usize](
    s: &Ghosts<'_, D>, walls: &Chunk, out: (&mut [[Real; 8]], &mut [[Real; 12]]),
) {
    let (record, wall_correction) = out;
    for (k, i) in walls.points().enumerate() {
        wall_correction[k] = [0.0; 12];
        wall_correction[k][..3].copy_from_slice(&record[k][..3]);
        if walls.row(i).is_empty() {
            continue;
        }
        let x_i: [Real; D] = each(|a| record[k][a]);
        let g = walls.sum::<L, D, 12, 6>(i, x_i, s.walls, &s.periodic, |x_ik, r2, ghost| {
            let at = s.weight.at(r2);
            let term = WallCorrection::of_ghost::<D>(each(|a| x_ik[a] * at.inv_r), each(|a| ghost[NORMAL + a]));
            each(|t| at.w * term.0[t])
        });
        let share = correction_scale::<D>(WallCorrection(g), s.moments[i].alpha, record[k][INV_ALPHA]);
        for t in 0..6 {
            wall_correction[k][CORRECTION + t] = share * g[t];
        }
        // Read by the tangential_gradient on bodies alone.
        wall_correction[k][CORRECTION_SCALE] = share;
        record[k][BESIDE_WALL] = 1.0;
    }
}
}

/// What the loop over neighbors reads.
struct Pairs<'a, const D: usize> {
    weight: Weight,
    periodic: Periodic<D>,
    /// `[x y z 1/α | v*, 1 beside a wall]`.
    record: &'a [[Real; 8]],
    walls: &'a [[Real; 12]],
    /// `[x y z · | E]`; empty without walls.
    wall_correction: &'a [[Real; 12]],
    separation: Real,
    slide: Real,
}

phase! {
/// Entries `a_ij w²_ij`, `[Σ_j a w² | the same with ghosts | (D v*)_i | Σ_j n·(E_i + E_j) n w²]` and `Σ ½ a w¹ r`, with
/// `(D v)_i = Σ_j ½ a_ij w¹_ij v_ij·n_ij + Σ_k a_ik w¹_ik ũ_ik·n_ik`, `a_ik = 2/α_i`. `slide` is the part of τ in ũ. Beside walls
/// `n·(E_i + E_j) n` joins `a_ij` in entries, and `v_ij·E_i n` in the divergence.
fn assemble<L>[const D: usize](
    s: &Pairs<'_, D>, fluid: &Chunk, walls: &Chunk, entries: &mut [Real], out: (&mut [RowSums], &mut [Real]),
) {
    let (sums, share) = out;
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let v_i: [L; D] = each(|a| L::splat(r_i[V + a]));
        let (inv_i, half) = (L::splat(r_i[INV_ALPHA]), L::splat(0.5));
        let (separation, slide) = (L::splat(s.separation), L::splat(s.slide));
        let inner = fluid.sum_storing::<L, D, 8, 4>(i, x_i, s.record, &s.periodic, entries, |_, x_ij, r2, j| {
            let at = s.weight.at(r2);
            let a_ij = inv_i + j[INV_ALPHA];
            let entry = a_ij * at.w2;
            let v_ij: [L; D] = each(|a| v_i[a] - j[V + a]);
            let coefficient = half * a_ij * at.w1 * at.inv_r;
            ([entry, coefficient * dot(v_ij, x_ij), coefficient * r2, j[BESIDE_WALL]], entry)
        });
        let outer = walls.sum::<L, D, 12, 3>(i, x_i, s.walls, &s.periodic, |x_ik, r2, k| {
            let at = s.weight.at(r2);
            let u: [L; D] = each(|a| v_i[a] - k[V + a]);
            let felt = against_wall::<L, D>(u, each(|a| k[NORMAL + a]), slide * k[TANGENTIAL], separation);
            let coefficient = inv_i * at.w1 * at.inv_r;
            let twice = L::splat(2.0);
            [twice * inv_i * at.w2, twice * coefficient * dot(felt, x_ik), coefficient * r2]
        });
        let (mut correction, mut divergence) = (0.0, inner[1] + outer[1]);
        // One number counts those beside a wall: the particle, and its neighbors.
        if r_i[BESIDE_WALL] + inner[3] > 0.0 {
            let e_i = WallCorrection::<L>(each(|t| L::splat(s.wall_correction[i][CORRECTION + t])));
            [correction] = fluid.sum_storing::<L, D, 12, 1>(i, x_i, s.wall_correction, &s.periodic, entries, |kept, x_ij, r2, j| {
                let at = s.weight.at(r2);
                let n: [L; D] = each(|a| x_ij[a] * at.inv_r);
                let both = WallCorrection::<L>(each(|t| e_i.0[t] + j[CORRECTION + t]));
                let entry = at.w2 * dot(n, both.times(n));
                ([entry], kept + entry)
            });
        }
        if r_i[BESIDE_WALL] > 0.0 {
            let e_i = WallCorrection::<L>(each(|t| L::splat(s.wall_correction[i][CORRECTION + t])));
            let [more] = fluid.sum::<L, D, 8, 1>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
                let at = s.weight.at(r2);
                let v_ij: [L; D] = each(|a| v_i[a] - j[V + a]);
                [at.w1 * at.inv_r * dot(v_ij, e_i.times(x_ij))]
            });
            divergence += more;
        }
        sums[k] = RowSums { fluid: inner[0], total: inner[0] + outer[0], divergence, correction };
        share[k] = inner[2] + outer[2];
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Marks the particles beside a wall, and computes their correction.
    pub(super) fn correct_walls(&mut self) {
        let s = &mut *self.method;
        let n = self.state.fluid.len();
        let loops = Ghosts {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            moments: &s.fields.moments,
            walls: &s.fields.wall_record,
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors.walls);
        let outputs = (&mut s.fields.record[..n], &mut s.fields.wall_correction[..n]);
        lists.for_each(outputs, |_, walls, out| ghosts(isa, &loops, walls, out));
    }

    /// `[x y z · | E/G Σ_j w¹ (p_j − p_i) n_ij ·]`, from those sums.
    pub(super) fn scale_tangential_gradients(&mut self) {
        let fields = &mut self.method.fields;
        let n = fields.p.len();
        let wall_correction = &fields.wall_correction;
        parallel::blocks(n, &mut fields.tangential_gradient[..n], |range, tangential_gradient| {
            for (out, i) in tangential_gradient.iter_mut().zip(range) {
                out[..3].copy_from_slice(&wall_correction[i][..3]);
                for a in 0..D {
                    out[GRADIENT + a] *= wall_correction[i][CORRECTION_SCALE];
                }
            }
        });
    }

    pub(super) fn assemble(&mut self) {
        let s = &mut *self.method;
        let loops = Pairs {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            record: &s.fields.record,
            walls: &s.fields.wall_record,
            wall_correction: &s.fields.wall_correction,
            separation: s.params.separation,
            slide: s.slide(),
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        lists.fluid.for_each_storing(
            &mut s.fields.entries,
            (&mut s.fields.sums[..], &mut s.fields.share[..]),
            |k, fluid, entries, sums| {
                assemble(isa, &loops, fluid, &lists.walls.chunks()[k], entries, sums);
            },
        );
    }

    /// `b_i = −ρ₀/dt (D v*)_i + λ̂ ρ₀/(d dt dt_max) (ρ_i/ρ₀ − 1)`. Returns the first particle whose row is not finite.
    pub(super) fn right_hand_side(&mut self, dt: f64) -> First {
        let (two_sided, rest) = (self.is_two_sided(), self.state.rest);
        let [rate, excess_rate] = self.method.rates(self.state, dt, self.source_part);
        let fields = &mut self.method.fields;
        let (sums, dirichlet, rho) = (&fields.sums, &fields.dirichlet, &self.state.fluid.rho);
        let region = &fields.surface_region;
        let diagonal = &fields.equation.diagonal;
        parallel::blocks(rho.len(), &mut fields.equation.b[..], |range, b| {
            let mut bad = First::NONE;
            for (b, i) in b.iter_mut().zip(range) {
                let is_inside = dirichlet[i] == 0.0 && region.get(i).is_none_or(|region| region[3] == 0.0);
                let error = physics::density_error(rho[i] / rest.rho_0 - 1.0, two_sided & is_inside);
                *b = excess_rate * error - rate * sums[i].divergence;
                bad.count(i, !(diagonal[i] + *b).is_finite());
            }
            bad
        })
    }
}
