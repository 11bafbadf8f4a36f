//! Density: summed, or its rate by continuity with diffusion.

use crate::physics::{self, dot};
use sph_core::{
    Real,
    kernel::Kernel,
    lane::{Lane, each},
    neighbors::{Chunk, Periodic},
    phase,
};

/// What the density loops read.
pub struct Density<'a, const D: usize, K> {
    pub kernel: K,
    pub periodic: Periodic<D>,
    /// `[x y z ρ]` of the fluid.
    pub x4: &'a [[Real; 4]],
    /// `[x y z psi]` of the walls.
    pub walls: &'a [[Real; 4]],
    pub m: Real,
}

impl<const D: usize, K> Density<'_, D, K> {
    #[inline(always)]
    fn x(&self, i: usize) -> [Real; D] {
        each(|a| self.x4[i][a])
    }
}

phase! {
/// `ρ_i = Σ_j m W_ij + m W(0) + Σ_b psi_b W_ib`.
pub fn summation<L>[const D: usize, K: Kernel<D>](
    s: &Density<'_, D, K>, fluid: &Chunk, walls: &Chunk, rho: &mut [Real],
) {
    for (k, i) in fluid.points().enumerate() {
        let x_i = s.x(i);
        let [sum_w] = fluid.sum::<L, D, 4, 1>(i, x_i, s.x4, &s.periodic, |_, r2, _| [s.kernel.w(r2)]);
        let [sum_psi_w] = walls.sum::<L, D, 4, 1>(i, x_i, s.walls, &s.periodic, |_, r2, [_, _, _, psi]| {
            [psi * s.kernel.w(r2)]
        });
        rho[k] = s.m * (sum_w + s.kernel.w_0()) + sum_psi_w;
    }
}
}

/// Largest condition number for which a gradient is corrected (Bonet & Lok).
const MAX_CONDITION: f64 = 1e3;

phase! {
/// Corrected gradient of density, `∇ρ_i = B_i⁻¹ Σ_j V_j (ρ_j − ρ_i) ∇W_ij`, `B_i = Σ_j V_j ∇W_ij x_jiᵀ`.
/// Walls do not enter. Written into the last quad of `wide`.
pub fn gradient<L>[const D: usize, K: Kernel<D>](s: &Density<'_, D, K>, fluid: &Chunk, wide: &mut [[Real; 12]]) {
    let zero = L::splat(0.0);
    for (k, i) in fluid.points().enumerate() {
        let rho_i = L::splat(s.x4[i][3]);
        // Six sums are the upper triangle of B in 3D (three in 2D), three the right side.
        let sums = fluid.sum::<L, D, 4, 9>(i, s.x(i), s.x4, &s.periodic, |x_ij, r2, [_, _, _, rho_j]| {
            let v_f = L::splat(s.m) / rho_j * s.kernel.grad_factor(r2);
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
        let gradient = solve_symmetric::<D>(&sums);
        wide[k][8..8 + D].copy_from_slice(&gradient);
    }
}
}

/// Solves `B g = r` for the sums of [`gradient`]; `g = r` where `B` is nearly singular.
fn solve_symmetric<const D: usize>(sums: &[Real; 9]) -> [Real; D] {
    let s = sums.map(f64::from);
    let r: [f64; D] = each(|a| s[6 + a]);
    let solution = if D == 2 {
        let (a, b, c) = (s[0], s[1], s[2]);
        inverse_times([[a, b, 0.0], [b, c, 0.0], [0.0, 0.0, 1.0]], [r[0], r[1], 0.0])
    } else {
        inverse_times([[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]], each(|a| s[6 + a]))
    };
    each(|a| solution.map_or(r[a], |g| g[a]) as Real)
}

/// `M⁻¹ r` by cofactors, unless the condition number (in the Frobenius norm) is beyond the limit.
fn inverse_times(m: [[f64; 3]; 3], r: [f64; 3]) -> Option<[f64; 3]> {
    let cofactor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum::<f64>();
    let adjugate: [[f64; 3]; 3] = each(|i| each(|j| cofactor(j, i)));
    let norm = |m: &[[f64; 3]; 3]| m.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    // Written so that 0 ≤ 0, of a particle with too few neighbors, is no inverse either.
    let regular = norm(&m) * norm(&adjugate) < MAX_CONDITION * det.abs();
    regular.then(|| each(|i| (0..3).map(|j| adjugate[i][j] * r[j]).sum::<f64>() / det))
}

/// What the continuity loops read.
pub struct Continuity<'a, const D: usize, K, const N: usize> {
    pub kernel: K,
    pub periodic: Periodic<D>,
    /// `[x y z V | v ρ]`, followed by `[∇ρ ·]` when `N` is 12.
    pub record: &'a [[Real; N]],
    /// `[x y z · | v ρ | psi ...]` of the walls, with their prescribed velocity.
    pub walls: &'a [[Real; 12]],
    /// Mass over the lattice's gradient factor.
    pub m: Real,
    /// `2 δ h_s c₀`, `[m²/s]`.
    pub diffusion: Real,
}

phase! {
/// `dρ_i/dt = Σ_j m v_ij·∇W_ij + 2 δ h_s c₀ Σ_j V_j ψ_ij·∇W_ij + Σ_b psi_b v_ib·∇W_ib`.
pub fn continuity<L>[const D: usize, K: Kernel<D>, const N: usize](
    s: &Continuity<'_, D, K, N>, fluid: &Chunk, walls: &Chunk, rate: &mut [Real],
) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let (rho_i, zero) = (L::splat(r_i[7]), L::splat(0.0));
        let grad_i: [L; D] = each(|a| if N == 12 { L::splat(r_i[8 + a]) } else { zero });
        let [inner] = fluid.sum::<L, D, N, 1>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let f = s.kernel.grad_factor(r2);
            let v_ij: [L; D] = each(|a| v_i[a] - j[4 + a]);
            let grads = if N == 12 { dot::<L, D>(each(|a| grad_i[a] + j[8 + a]), x_ij) } else { zero };
            let flow = physics::continuity(L::splat(s.m), dot(v_ij, x_ij), f);
            [flow + L::splat(s.diffusion) * j[3] * physics::density_diffusion(j[7] - rho_i, grads, f)]
        });
        let [outer] = walls.sum::<L, D, 12, 1>(i, x_i, s.walls, &s.periodic, |x_ib, r2, b| {
            let v_ib: [L; D] = each(|a| v_i[a] - b[4 + a]);
            [physics::continuity(b[8], dot(v_ib, x_ib), s.kernel.grad_factor(r2))]
        });
        rate[k] = inner + outer;
    }
}
}
