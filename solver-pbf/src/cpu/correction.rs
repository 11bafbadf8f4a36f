//! Corrections: what all constraints ask of a particle, and how much of it is done.

use super::lambda::mu;
use crate::physics::{self, Scorr, Weights};
use sph_core::{
    Real,
    geometry::shape::Enclosure,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::{self, First},
    },
    phase,
};

/// What the loop over corrections reads. Records have `N` numbers: four for equal masses, eight for others.
pub struct Correction<'a, const D: usize, const N: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z λ̂ (| μ)]` of the fluid.
    pub push: &'a [[Real; N]],
    /// `[x y z psi]` of the walls.
    pub walls: &'a [[Real; 4]],
    /// Mass of a particle at rest, `[kg]`.
    pub m: Real,
    pub rho_0: Real,
    /// Part of psi that walls have, `[-]`.
    pub solid: Real,
    pub weights: Weights,
    pub scorr: Scorr,
    /// Whether the constraints of a particle must be counted.
    pub counts: bool,
}

phase! {
/// `Δx_i = 1/(μ_i ρ₀) [Σ_j m (μ_j λ̂_i + μ_i λ̂_j + μ_i μ_j s_ij) ∇W_ij + λ̂_i Σ_b s psi_b ∇W_ib]`, and the number of
/// constraints in it if asked for: its own, and those of its neighbors that are broken.
pub fn delta_x<L>[const D: usize, K: Kernel<D>, const N: usize](
    kernel: K, s: &Correction<'_, D, N>, fluid: &Chunk, walls: &Chunk, delta: &mut [[Real; 4]],
) {
    for (k, i) in fluid.points().enumerate() {
        let record = &s.push[i];
        let x_i: [Real; D] = each(|a| record[a]);
        let (lambda_i, mu_i) = (record[3], mu(record));
        let (l_i, m_i, zero) = (L::splat(lambda_i), L::splat(mu_i), L::splat(0.0));
        // Σ of corrections, and in the last place the number of broken constraints.
        let inner = fluid.sum::<L, D, N, 4>(i, x_i, s.push, &s.periodic, |x_ij, r2, j| {
            let f = kernel.grad_factor(r2);
            let s_ij = s.scorr.s(|| kernel.w(r2));
            let along = match N {
                8 => physics::pair_correction(l_i, j[3], s_ij, m_i, j[4]),
                _ => l_i + j[3] + s_ij,
            } * f;
            let mut terms = [zero; 4];
            for a in 0..D {
                terms[a] = along * x_ij[a];
            }
            if s.counts {
                // In reach: its gradient does not vanish.
                terms[3] = physics::is_nonzero(j[3] * f);
            }
            terms
        });
        let mut outer = [0.0; D];
        if lambda_i != 0.0 {
            outer = walls.sum::<L, D, 4, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, [_, _, _, psi]| {
                let f = psi * kernel.grad_factor(r2);
                each(|a| f * x_ib[a])
            });
        }
        let inv = 1.0 / (s.rho_0 * s.weights.of_own(mu_i));
        delta[k] = [0.0; 4];
        for a in 0..D {
            delta[k][a] = inv * (s.m * inner[a] + lambda_i * s.solid * outer[a]);
        }
        delta[k][3] = inner[3] + physics::is_nonzero(lambda_i);
    }
}
}

/// How much of the corrections is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// The factor, `[-]`.
    pub factor: Real,
    /// True when corrections are divided by the number of constraints.
    pub averages: bool,
}

impl Relaxation {
    /// Factor of a correction that so many constraints made.
    #[inline(always)]
    pub fn of(self, count: Real) -> Real {
        if self.averages { self.factor / count.max(1.0) } else { self.factor }
    }
}

/// `x* ← x* + f Δx`, inside of the containers. Where `Δx` is not finite `x*` stays. Returns the first particle of
/// which this is so.
pub fn apply<const D: usize, const N: usize>(
    place: &mut [[Real; N]],
    delta: &[[Real; 4]],
    relaxation: Relaxation,
    containers: &[Enclosure<D>],
) -> First {
    let n = place.len();
    parallel::blocks(n, place, |range, place| {
        let mut bad = First::NONE;
        for ((record, delta), i) in place.iter_mut().zip(&delta[range.clone()]).zip(range) {
            let f = relaxation.of(delta[3]);
            let mut x: [Real; D] = each(|a| record[a] + f * delta[a]);
            for container in containers {
                container.collide(&mut x, &mut [0.0; D]);
            }
            let finite = x.iter().fold(true, |finite, x| finite & x.is_finite());
            bad.count(i, !finite);
            for a in 0..D {
                record[a] = if finite { x[a] } else { record[a] };
            }
        }
        bad
    })
}

/// Makes `λ̂` what was done of it, for the reaction of bodies.
pub fn relax_lambda<const N: usize>(push: &mut [[Real; N]], delta: &[[Real; 4]], relaxation: Relaxation) {
    let n = push.len();
    parallel::blocks(n, push, |range, push| {
        for (record, delta) in push.iter_mut().zip(&delta[range]) {
            record[3] *= relaxation.of(delta[3]);
        }
    });
}

/// What the loop over the surface reads.
pub struct Pull<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z · | n̂ ·]`, with normals that are zero inside.
    pub normal: &'a [[Real; 8]],
    /// Support radius squared, `[m²]`.
    pub h2: Real,
    /// `½ k`, `[-]`.
    pub half_k: Real,
}

phase! {
/// Surface constraint, averaged over the constraints of a particle and added:
/// `Δx_i −= ½ k/n_i Σ_j [(x_ij·n̂_i) n̂_i + (x_ij·n̂_j) n̂_j]` over the surface particles in reach.
pub fn surface_pull<L>[const D: usize](s: &Pull<'_, D>, fluid: &Chunk, delta: &mut [[Real; 4]]) {
    for (k, i) in fluid.points().enumerate() {
        let record = &s.normal[i];
        let n_i: [L; D] = each(|a| L::splat(record[4 + a]));
        if record[4..4 + D].iter().all(|n| *n == 0.0) {
            continue;
        }
        let (h2, zero) = (L::splat(s.h2), L::splat(0.0));
        let sums = fluid.sum::<L, D, 8, 4>(i, each(|a| record[a]), s.normal, &s.periodic, |x_ij, r2, j| {
            let n_j: [L; D] = each(|a| j[4 + a]);
            let on_surface = physics::is_nonzero(sph_core::numerics::vector::norm2(n_j))
                * physics::is_nonzero((h2 - r2).max(zero));
            let pull = physics::surface_pull(x_ij, n_i, n_j);
            let mut terms = [zero; 4];
            for a in 0..D {
                terms[a] = on_surface * pull[a];
            }
            terms[3] = on_surface;
            terms
        });
        // Each pair is two constraints, one of either normal.
        let part = s.half_k / (2.0 * sums[3]).max(1.0);
        for a in 0..D {
            delta[k][a] -= part * sums[a];
        }
    }
}
}
