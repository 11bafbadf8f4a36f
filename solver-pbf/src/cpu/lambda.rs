//! Density, its gradients and the multiplier, in one loop because all need the same distances.

use crate::{Constants, Params, physics};
use sph_core::{
    Real,
    fluid::material::Material,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::First,
        vector::norm2,
    },
    phase,
};

/// Input of the loops over the constraint.
pub struct Constraint<'a, const D: usize> {
    periodic: Periodic<D>,
    /// `[x y z ·]` of the fluid.
    x_star: &'a [[Real; 4]],
    /// `[x y z psi]` of the walls.
    x_psi: &'a [[Real; 4]],
    /// Mass of a particle, `[kg]`.
    m: Real,
    rho_0: Real,
    /// ε, `[1/m²]`.
    epsilon: Real,
    unilateral: bool,
    walls_in_denominator: bool,
}

impl<'a, const D: usize> Constraint<'a, D> {
    pub fn new(
        (params, constants): (&Params, &Constants),
        rest: Material,
        periodic: Periodic<D>,
        [x_star, x_psi]: [&'a [[Real; 4]]; 2],
    ) -> Self {
        Self {
            periodic,
            x_star,
            x_psi,
            m: rest.m,
            rho_0: rest.rho_0,
            epsilon: constants.epsilon,
            unilateral: params.unilateral,
            walls_in_denominator: params.walls_in_denominator,
        }
    }
}

phase! {
/// `ρ_i = Σ_j m W_ij + Σ_b psi_b W_ib` (itself included), `∇_i C_i = 1/ρ₀ (Σ_j m ∇W_ij + Σ_b psi_b ∇W_ib)`,
/// `∇_j C_i = −m/ρ₀ ∇W_ij`, and `λ̂_i = −C_i / (|∇_i C_i|² + Σ_j |∇_j C_i|² + ε)`. Wall samples do not move: they have
/// no `∇_b C_i` unless they count in the denominator. Written: `[x y z λ̂]`, ρ, λ̂. Returns the first particle
/// whose density or multiplier is not finite.
pub fn lambda<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Constraint<'_, D>, fluid: &Chunk, walls: &Chunk,
    out: (&mut [[Real; 4]], &mut [Real], &mut [Real])
) -> First {
    let (x_lambda, rho_out, lambda_out) = out;
    let mut bad = First::NONE;
    let (volume, inv_rho_0) = (s.m / s.rho_0, 1.0 / s.rho_0);
    for (k, i) in fluid.points().enumerate() {
        let record = s.x_star[i];
        let x_i: [Real; D] = each(|a| record[a]);
        let zero = L::splat(0.0);
        // Σ W, Σ of squared gradients, Σ F x: the last ones are D.
        let inner = fluid.sum::<L, D, 4, 5>(i, x_i, s.x_star, &s.periodic, |x_ij, r2, _| {
            let f = kernel.grad_factor(r2);
            let mut terms = [zero; 5];
            terms[0] = kernel.w(r2);
            terms[1] = f * f * r2;
            for a in 0..D {
                terms[2 + a] = f * x_ij[a];
            }
            terms
        });
        let outer = walls.sum::<L, D, 4, 5>(i, x_i, s.x_psi, &s.periodic, |x_ib, r2, [_, _, _, psi]| {
            let f = psi * kernel.grad_factor(r2);
            let mut terms = [zero; 5];
            terms[0] = psi * kernel.w(r2);
            let gradient: [L; D] = each(|a| f * x_ib[a]);
            terms[1] = norm2(gradient);
            terms[2..2 + D].copy_from_slice(&gradient);
            terms
        });
        let rho = s.m * (inner[0] + kernel.w_0()) + outer[0];
        let gradient: [Real; D] = each(|a| volume * inner[2 + a] + inv_rho_0 * outer[2 + a]);
        let mut sum = volume * volume * inner[1];
        if s.walls_in_denominator {
            sum += inv_rho_0 * inv_rho_0 * outer[1];
        }
        let c = physics::constraint(rho, inv_rho_0, s.unilateral);
        let lambda = physics::lambda(c, norm2(gradient), sum, s.epsilon);
        x_lambda[k] = [record[0], record[1], record[2], lambda];
        (rho_out[k], lambda_out[k]) = (rho, lambda);
        bad.count(i, !(rho + lambda).is_finite());
    }
    bad
}
}

phase! {
/// The density alone, where no correction will follow. Returns the first particle whose density is not finite.
pub fn density<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Constraint<'_, D>, fluid: &Chunk, walls: &Chunk, rho: &mut [Real]
) -> First {
    let mut bad = First::NONE;
    for (k, i) in fluid.points().enumerate() {
        let x_i: [Real; D] = each(|a| s.x_star[i][a]);
        let [inner] = fluid.sum::<L, D, 4, 1>(i, x_i, s.x_star, &s.periodic, |_, r2, _| [kernel.w(r2)]);
        let [outer] = walls.sum::<L, D, 4, 1>(i, x_i, s.x_psi, &s.periodic, |_, r2, [_, _, _, psi]| {
            [psi * kernel.w(r2)]
        });
        rho[k] = s.m * (inner + kernel.w_0()) + outer;
        bad.count(i, !rho[k].is_finite());
    }
    bad
}
}
