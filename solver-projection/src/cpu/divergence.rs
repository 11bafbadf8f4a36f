//! Entries of the matrix and divergence of the velocity, then the free surface, diagonal and right side.

use super::Cpu;
use crate::physics::{self, Along, Weight, against_wall, dot};
use sph_core::{
    Real,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::{self, First, Sum},
        vector::norm2,
    },
    phase,
};

/// What the loop over neighbors reads.
struct Pairs<'a, const D: usize> {
    weight: Weight,
    periodic: Periodic<D>,
    /// `[x y z 1/α | v*, 1 beside a wall]`.
    record: &'a [[Real; 8]],
    walls: &'a [[Real; 12]],
    /// `[x y z · | E]`; empty without walls.
    along: &'a [[Real; 12]],
    separation: Real,
}

phase! {
/// Entries `a_ij w²_ij`, `[Σ_j a w² | the same with ghosts | (D v*)_i | Σ_j n·(E_i + E_j) n w²]` and `Σ ½ a w¹ r`, with
/// `(D v)_i = Σ_j ½ a_ij w¹_ij v_ij·n_ij + Σ_k a_ik w¹_ik ũ_ik·n_ik`, `a_ik = 2/α_i`. Beside walls
/// `n·(E_i + E_j) n` joins `a_ij` in entries, and `v_ij·E_i n` in the divergence.
fn assemble<L>[const D: usize](
    s: &Pairs<'_, D>, fluid: &Chunk, walls: &Chunk, entries: &mut [Real], out: (&mut [[Real; 4]], &mut [Real]),
) {
    let (sums, share) = out;
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let (inv_i, half, separation) = (L::splat(r_i[3]), L::splat(0.5), L::splat(s.separation));
        let inner = fluid.sum_storing::<L, D, 8, 4>(i, x_i, s.record, &s.periodic, entries, |_, x_ij, r2, j| {
            let at = s.weight.at(r2);
            let a_ij = inv_i + j[3];
            let entry = a_ij * at.w2;
            let v_ij: [L; D] = each(|a| v_i[a] - j[4 + a]);
            let along = half * a_ij * at.w1 * at.inv_r;
            ([entry, along * dot(v_ij, x_ij), along * r2, j[7]], entry)
        });
        let outer = walls.sum::<L, D, 12, 3>(i, x_i, s.walls, &s.periodic, |x_ik, r2, k| {
            let at = s.weight.at(r2);
            let u: [L; D] = each(|a| v_i[a] - k[4 + a]);
            let felt = against_wall::<L, D>(u, each(|a| k[8 + a]), k[7], separation);
            let along = inv_i * at.w1 * at.inv_r;
            let twice = L::splat(2.0);
            [twice * inv_i * at.w2, twice * along * dot(felt, x_ik), along * r2]
        });
        let (mut left_out, mut divergence) = (0.0, inner[1] + outer[1]);
        // One number counts those beside a wall: the particle, and its neighbors.
        if r_i[7] + inner[3] > 0.0 {
            let e_i = Along::<L>(each(|t| L::splat(s.along[i][4 + t])));
            [left_out] = fluid.sum_storing::<L, D, 12, 1>(i, x_i, s.along, &s.periodic, entries, |kept, x_ij, r2, j| {
                let at = s.weight.at(r2);
                let n: [L; D] = each(|a| x_ij[a] * at.inv_r);
                let both = Along::<L>(each(|t| e_i.0[t] + j[4 + t]));
                let entry = at.w2 * dot(n, both.times(n));
                ([entry], kept + entry)
            });
        }
        if r_i[7] > 0.0 {
            let e_i = Along::<L>(each(|t| L::splat(s.along[i][4 + t])));
            let [more] = fluid.sum::<L, D, 8, 1>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
                let at = s.weight.at(r2);
                let v_ij: [L; D] = each(|a| v_i[a] - j[4 + a]);
                [at.w1 * at.inv_r * dot(v_ij, e_i.times(x_ij))]
            });
            divergence += more;
        }
        sums[k] = [inner[0], inner[0] + outer[0], divergence, left_out];
        share[k] = inner[2] + outer[2];
    }
}
}

/// What the classification found.
pub(super) struct Found {
    /// Number of particles of the surface.
    pub n_surface: f64,
    /// First particle whose right side is not finite.
    pub bad: First,
}

impl<const D: usize> Cpu<'_, D> {
    pub(super) fn assemble(&mut self) {
        let s = &mut *self.method;
        let loops = Pairs {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            record: &s.fields.record,
            walls: &s.fields.wall_record,
            along: &s.fields.along,
            separation: s.params.separation,
        };
        let (isa, lists) = (s.isa, &s.neighbors);
        lists.fluid.for_each_storing(
            &mut s.fields.entries,
            (&mut s.fields.sums[..], &mut s.fields.share[..]),
            |k, fluid, entries, sums| {
                assemble(isa, &loops, fluid, &lists.walls.chunks()[k], entries, sums);
            },
        );
    }

    /// `A_ii = Σ_j a w² + s_i` and `b_i = −ρ₀/dt (D v*)_i + λ̂ ρ₀/(d dt dt_max) (ρ_i/ρ₀ − 1)`.
    pub(super) fn right_side(&mut self, dt: f64) -> Found {
        let (surface, two_sided, full) = (self.surface(), self.is_two_sided(), self.method.full()[0]);
        let (is_free, rest) = (self.method.params.free_surface, self.state.rest);
        let [rate, excess_rate] = self.method.rates(self.state, dt, self.softness);
        let fields = &mut self.method.fields;
        let (sums, crowd, rho) = (&fields.sums, &fields.crowd, &self.state.fluid.rho);
        let outputs = (&mut fields.air[..], &mut fields.equation.diagonal[..], &mut fields.equation.b[..]);
        let (Sum(n_surface), bad) = parallel::blocks(rho.len(), outputs, |range, (air, diagonal, b)| {
            let (mut n_surface, mut bad) = (0.0, First::NONE);
            for (k, i) in range.enumerate() {
                let [inside, total, divergence, left_out] = sums[i];
                let [x, y, z, _] = crowd[i];
                let one_sided = norm2([x, y, z]).sqrt() / full;
                air[k] = if is_free { surface.missing(total, one_sided, total > inside) } else { 0.0 };
                let is_surface = air[k] != 0.0;
                let error = physics::density_error(rho[i] / rest.rho_0 - 1.0, two_sided & !is_surface);
                diagonal[k] = inside + left_out + air[k];
                b[k] = excess_rate * error - rate * divergence;
                n_surface += if is_surface { 1.0 } else { 0.0 };
                bad.count(i, !(diagonal[k] + b[k]).is_finite());
            }
            (Sum(n_surface), bad)
        });
        Found { n_surface, bad }
    }

    /// A closed and full vessel: the right side has to add up to nothing.
    pub(super) fn take_out_mean(&mut self) {
        super::motion::center(&mut self.method.fields.equation.b);
    }
}
