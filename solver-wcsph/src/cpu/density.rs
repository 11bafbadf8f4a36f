//! Density: summed, or its rate by continuity with diffusion.

use crate::physics::{self, dot};
use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        linear,
    },
    phase,
};

/// What the density loops read.
pub struct Density<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z ρ]` of the fluid.
    pub x4: &'a [[Real; 4]],
    /// `[x y z psi]` of the walls.
    pub walls: &'a [[Real; 4]],
    pub m: Real,
}

impl<const D: usize> Density<'_, D> {
    #[inline(always)]
    fn x(&self, i: usize) -> [Real; D] {
        each(|a| self.x4[i][a])
    }
}

phase! {
/// `ρ_i = Σ_j m W_ij + m W(0) + Σ_b psi_b W_ib`.
pub fn summation<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Density<'_, D>, fluid: &Chunk, walls: &Chunk, rho: &mut [Real],
) {
    for (k, i) in fluid.points().enumerate() {
        let x_i = s.x(i);
        let [sum_w] = fluid.sum::<L, D, 4, 1>(i, x_i, s.x4, &s.periodic, |_, r2, _| [kernel.w(r2)]);
        let [sum_psi_w] = walls.sum::<L, D, 4, 1>(i, x_i, s.walls, &s.periodic, |_, r2, [_, _, _, psi]| {
            [psi * kernel.w(r2)]
        });
        rho[k] = s.m * (sum_w + kernel.w_0()) + sum_psi_w;
    }
}
}

phase! {
/// Corrected gradient of density, `∇ρ_i = B_i⁻¹ Σ_j V_j (ρ_j − ρ_i) ∇W_ij`, `B_i = Σ_j V_j ∇W_ij x_jiᵀ`.
/// Walls do not enter. Written into the last quad of `wide`.
pub fn gradient<L>[const D: usize, K: Kernel<D>](kernel: K, s: &Density<'_, D>, fluid: &Chunk, wide: &mut [[Real; 12]]) {
    let zero = L::splat(0.0);
    for (k, i) in fluid.points().enumerate() {
        let rho_i = L::splat(s.x4[i][3]);
        // Six sums are the upper triangle of B in 3D (three in 2D), three the right-hand side.
        let sums = fluid.sum::<L, D, 4, 9>(i, s.x(i), s.x4, &s.periodic, |x_ij, r2, [_, _, _, rho_j]| {
            let v_f = L::splat(s.m) / rho_j * kernel.grad_factor(r2);
            let rise = (rho_j - rho_i) * v_f;
            let mut terms = [zero; 9];
            let mut t = 0;
            for a in 0..D {
                for b in a..D {
                    terms[t] = zero - v_f * x_ij[a] * x_ij[b];
                    t += 1;
                }
                terms[6 + a] = rise * x_ij[a];
            }
            terms
        });
        let gradient = linear::solve_symmetric::<D>(&sums);
        wide[k][8..8 + D].copy_from_slice(&gradient);
    }
}
}

/// What the continuity loops read.
pub struct Continuity<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z V | v ρ | ∇ρ ·]`.
    pub record: &'a [[Real; 12]],
    /// `[x y z · | v ρ | psi ...]` of the walls, with their prescribed velocity.
    pub walls: &'a [[Real; 12]],
    pub m: Real,
    /// `2 δ h_s c₀`, `[m²/s]`.
    pub diffusion: Real,
}

phase! {
/// `dρ_i/dt = Σ_j m v_ij·∇W_ij + 2 δ h_s c₀ Σ_j V_j ψ_ij·∇W_ij + Σ_b psi_b v_ib·∇W_ib`.
pub fn continuity<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Continuity<'_, D>, fluid: &Chunk, walls: &Chunk, rate: &mut [Real],
) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let rho_i = L::splat(r_i[7]);
        let grad_i: [L; D] = each(|a| L::splat(r_i[8 + a]));
        let [inner] = fluid.sum::<L, D, 12, 1>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let f = kernel.grad_factor(r2);
            let v_ij: [L; D] = each(|a| v_i[a] - j[4 + a]);
            let grads = dot::<L, D>(each(|a| grad_i[a] + j[8 + a]), x_ij);
            let flow = physics::continuity(L::splat(s.m), dot(v_ij, x_ij), f);
            [flow + L::splat(s.diffusion) * j[3] * physics::density_diffusion(j[7] - rho_i, grads, f)]
        });
        let [outer] = walls.sum::<L, D, 12, 1>(i, x_i, s.walls, &s.periodic, |x_ib, r2, b| {
            let v_ib: [L; D] = each(|a| v_i[a] - b[4 + a]);
            [physics::continuity(b[8], dot(v_ib, x_ib), kernel.grad_factor(r2))]
        });
        rate[k] = inner + outer;
    }
}
}
