//! The drift correction: what the velocity that moves a particle has over its own.

use crate::physics;
use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::lane::{Lane, each},
    phase,
};

/// What the loop of the drift correction reads.
pub struct Drift<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z ·]` of the fluid.
    pub x4: &'a [[Real; 4]],
    /// `[x y z psi]` of the walls.
    pub walls: &'a [[Real; 4]],
    /// Volume Δx^D of a particle at rest, `[m³]`.
    pub volume: Real,
    /// 1 over W at one spacing, `[m^D]`.
    pub inv_w_dx: Real,
    /// Factor of the sum: `A_s v_max h_s`, `[m²/s]`.
    pub factor: Real,
}

phase! {
/// Shifting (Lind et al. 2012, Sun et al. 2017), as a velocity:
/// `w_i = −A_s v_max h_s Σ_j Δx^D [1 + 0.2 (W_ij/W(Δx))⁴] ∇W_ij`, walls included.
pub fn shifting<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Drift<'_, D>, fluid: &Chunk, walls: &Chunk, w: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let x_i = each(|a| s.x4[i][a]);
        let (volume, inv_w_dx) = (L::splat(s.volume), L::splat(s.inv_w_dx));
        let term = |x_ij: [L; D], r2: L| {
            let weight = volume * physics::shifting(kernel.w(r2), inv_w_dx, kernel.grad_factor(r2));
            each(|a| weight * x_ij[a])
        };
        let inner = fluid.sum::<L, D, 4, D>(i, x_i, s.x4, &s.periodic, |x_ij, r2, _| term(x_ij, r2));
        let outer = walls.sum::<L, D, 4, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, _| term(x_ib, r2));
        for a in 0..D {
            w[a][k] = -s.factor * (inner[a] + outer[a]);
        }
    }
}
}
