//! The constraint: density, its gradients and the multiplier, in one loop because all need the same distances.

use crate::physics::{self, Weights};
use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::{First, Merge},
        vector::norm2,
    },
    phase,
};

/// What the loops over the constraint read. Records have `N` numbers: four for equal masses, eight for others.
pub struct Constraint<'a, const D: usize, const N: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z · (| μ)]` of the fluid.
    pub place: &'a [[Real; N]],
    /// `[x y z psi]` of the walls.
    pub walls: &'a [[Real; 4]],
    /// Mass of a particle at rest, `[kg]`.
    pub m: Real,
    pub rho_0: Real,
    /// Part of psi that walls have, `[-]`.
    pub solid: Real,
    /// ε, `[1/m²]`.
    pub epsilon: Real,
    pub unilateral: bool,
    pub weights: Weights,
    pub walls_in_denominator: bool,
}

/// Mass over that at rest, μ, of a record.
#[inline(always)]
pub fn mu<const N: usize>(record: &[Real; N]) -> Real {
    if N == 8 { record[4] } else { 1.0 }
}

/// The same of a neighbor.
#[inline(always)]
fn mu_j<L: Lane, const N: usize>(record: &[L; N]) -> L {
    if N == 8 { record[4] } else { L::splat(1.0) }
}

/// What the loop over particles found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Sum of max(ρ/ρ₀ − 1, 0), `[-]`.
    pub excess: f64,
    /// Largest ρ/ρ₀ − 1, `[-]`.
    pub largest: Real,
    /// First particle whose multiplier or density is not finite.
    pub bad: First,
}

impl Default for Found {
    fn default() -> Self {
        Self { excess: 0.0, largest: Real::NEG_INFINITY, bad: First::NONE }
    }
}

impl Merge for Found {
    fn merge(self, later: Self) -> Self {
        Self {
            excess: self.excess + later.excess,
            largest: self.largest.max(later.largest),
            bad: self.bad.merge(later.bad),
        }
    }
}

impl Found {
    #[inline(always)]
    fn count(&mut self, i: usize, rho: Real, rho_0: Real, lambda: Real) {
        let error = rho / rho_0 - 1.0;
        self.excess += error.max(0.0) as f64;
        self.largest = self.largest.max(error);
        self.bad.count(i, !(rho + lambda).is_finite());
    }
}

phase! {
/// `ρ_i = Σ_j m_j W_ij + Σ_b s psi_b W_ib` (itself included),
/// `∇_i C_i = 1/ρ₀ (Σ_j m_j ∇W_ij + Σ_b s psi_b ∇W_ib)`, `∇_j C_i = −m_j/ρ₀ ∇W_ij`, and
/// `λ̂_i = −C_i / (|∇_i C_i|²/μ_i + Σ_j |∇_j C_i|²/μ_j + ε)`. Samples of walls have no inverse mass.
/// Written: records with λ̂, densities, λ̂.
pub fn lambda<L>[const D: usize, K: Kernel<D>, const N: usize](
    kernel: K, s: &Constraint<'_, D, N>, fluid: &Chunk, walls: &Chunk,
    out: (&mut [[Real; N]], &mut [Real], &mut [Real])
) -> Found {
    let (push, rho_out, lambda_out) = out;
    let mut found = Found::default();
    let (volume, solid) = (s.m / s.rho_0, s.solid / s.rho_0);
    for (k, i) in fluid.points().enumerate() {
        let record = s.place[i];
        let x_i: [Real; D] = each(|a| record[a]);
        let mu_i = mu(&record);
        let zero = L::splat(0.0);
        // Σ μ W, Σ of squared gradients, Σ μ F x: the last ones are D.
        let inner = fluid.sum::<L, D, N, 5>(i, x_i, s.place, &s.periodic, |x_ij, r2, j| {
            let (mu_j, f) = (mu_j(&j), kernel.grad_factor(r2));
            let g = mu_j * f;
            let mut terms = [zero; 5];
            terms[0] = mu_j * kernel.w(r2);
            terms[1] = s.weights.of_gradient(mu_j) * (f * f * r2);
            for a in 0..D {
                terms[2 + a] = g * x_ij[a];
            }
            terms
        });
        let outer = walls.sum::<L, D, 4, 5>(i, x_i, s.walls, &s.periodic, |x_ib, r2, [_, _, _, psi]| {
            let f = psi * kernel.grad_factor(r2);
            let mut terms = [zero; 5];
            terms[0] = psi * kernel.w(r2);
            let gradient: [L; D] = each(|a| f * x_ib[a]);
            terms[1] = norm2(gradient);
            terms[2..2 + D].copy_from_slice(&gradient);
            terms
        });
        let rho = s.m * (inner[0] + mu_i * kernel.w_0()) + s.solid * outer[0];
        let gradient: [Real; D] = each(|a| volume * inner[2 + a] + solid * outer[2 + a]);
        let mut sum = volume * volume * inner[1];
        if s.walls_in_denominator {
            sum += solid * solid * outer[1];
        }
        let c = physics::constraint(rho, 1.0 / s.rho_0, s.unilateral);
        let lambda = physics::lambda(c, norm2(gradient) / s.weights.of_own(mu_i), sum, s.epsilon);
        push[k] = record;
        push[k][3] = lambda;
        (rho_out[k], lambda_out[k]) = (rho, lambda);
        found.count(i, rho, s.rho_0, lambda);
    }
    found
}
}

phase! {
/// The density alone, where no correction will follow.
pub fn density<L>[const D: usize, K: Kernel<D>, const N: usize](
    kernel: K, s: &Constraint<'_, D, N>, fluid: &Chunk, walls: &Chunk, rho: &mut [Real]
) -> Found {
    let mut found = Found::default();
    for (k, i) in fluid.points().enumerate() {
        let record = s.place[i];
        let x_i: [Real; D] = each(|a| record[a]);
        let [inner] = fluid.sum::<L, D, N, 1>(i, x_i, s.place, &s.periodic, |_, r2, j| {
            [mu_j(&j) * kernel.w(r2)]
        });
        let [outer] = walls.sum::<L, D, 4, 1>(i, x_i, s.walls, &s.periodic, |_, r2, [_, _, _, psi]| {
            [psi * kernel.w(r2)]
        });
        rho[k] = s.m * (inner + mu(&record) * kernel.w_0()) + s.solid * outer;
        found.count(i, rho[k], s.rho_0, 0.0);
    }
    found
}
}
