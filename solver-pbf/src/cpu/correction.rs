//! Corrections by all constraints of a particle, and their relaxation.

use crate::physics::{self, Scorr};
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

/// Input of the loop over corrections.
pub struct Correction<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z λ̂]` of the fluid.
    pub x_lambda: &'a [[Real; 4]],
    /// `[x y z psi]` of the walls.
    pub x_psi: &'a [[Real; 4]],
    /// Mass of a particle, `[kg]`.
    pub m: Real,
    pub rho_0: Real,
    pub scorr: Scorr,
    /// Whether the constraints of a particle must be counted.
    pub counts: bool,
}

phase! {
/// `Δx_i = 1/ρ₀ [Σ_j m (λ̂_i + λ̂_j + s_ij) ∇W_ij + λ̂_i Σ_b psi_b ∇W_ib]` (Macklin & Müller 2013, eq. 12 and 14), and
/// the number of violated constraints in it, of which those of the neighbors are counted if asked for.
pub fn delta_x<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Correction<'_, D>, fluid: &Chunk, walls: &Chunk, delta: &mut [[Real; 4]],
) {
    let inv_rho_0 = 1.0 / s.rho_0;
    for (k, i) in fluid.points().enumerate() {
        let record = &s.x_lambda[i];
        let x_i: [Real; D] = each(|a| record[a]);
        let lambda_i = record[3];
        let (l_i, zero) = (L::splat(lambda_i), L::splat(0.0));
        let inner = fluid.sum::<L, D, 4, 4>(i, x_i, s.x_lambda, &s.periodic, |x_ij, r2, [_, _, _, l_j]| {
            let f = kernel.grad_factor(r2);
            let along = (l_i + l_j + s.scorr.s(|| kernel.w(r2))) * f;
            let mut terms = [zero; 4];
            for a in 0..D {
                terms[a] = along * x_ij[a];
            }
            if s.counts {
                // F is 0 beyond the support.
                terms[3] = physics::is_nonzero(l_j * f);
            }
            terms
        });
        let mut outer = [0.0; D];
        if lambda_i != 0.0 {
            outer = walls.sum::<L, D, 4, D>(i, x_i, s.x_psi, &s.periodic, |x_ib, r2, [_, _, _, psi]| {
                let f = psi * kernel.grad_factor(r2);
                each(|a| f * x_ib[a])
            });
        }
        delta[k] = [0.0; 4];
        for a in 0..D {
            delta[k][a] = inv_rho_0 * (s.m * inner[a] + lambda_i * outer[a]);
        }
        delta[k][3] = inner[3] + physics::is_nonzero(lambda_i);
    }
}
}

/// Relaxation of the corrections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// The factor, `[-]`.
    pub factor: Real,
    /// True when corrections are divided by the number of constraints.
    pub averages: bool,
}

impl Relaxation {
    /// Factor of a correction by this number of constraints.
    #[inline(always)]
    pub fn of(self, count: Real) -> Real {
        if self.averages { self.factor / count.max(1.0) } else { self.factor }
    }

    /// `x* + f Δx`.
    #[inline(always)]
    pub fn corrected<const D: usize>(self, x_star: &[Real; 4], delta: &[Real; 4]) -> [Real; D] {
        let f = self.of(delta[3]);
        each(|a| x_star[a] + f * delta[a])
    }
}

/// `x* ← x* + f Δx`, inside of the containers. Where `Δx` is not finite `x*` stays. Returns the first such particle.
pub fn apply<const D: usize>(
    x_star: &mut [[Real; 4]],
    delta: &[[Real; 4]],
    relaxation: Relaxation,
    containers: &[Enclosure<D>],
) -> First {
    let n = x_star.len();
    parallel::blocks(n, x_star, |range, x_star| {
        let mut bad = First::NONE;
        for ((record, delta), i) in x_star.iter_mut().zip(&delta[range.clone()]).zip(range) {
            let mut x: [Real; D] = relaxation.corrected(record, delta);
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

/// Relaxes `λ̂` like the corrections, for the reaction on bodies.
pub fn relax_lambda(x_lambda: &mut [[Real; 4]], delta: &[[Real; 4]], relaxation: Relaxation) {
    let n = x_lambda.len();
    parallel::blocks(n, x_lambda, |range, x_lambda| {
        for (record, delta) in x_lambda.iter_mut().zip(&delta[range]) {
            record[3] *= relaxation.of(delta[3]);
        }
    });
}
