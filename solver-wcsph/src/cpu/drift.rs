//! The drift correction: what the velocity that moves a particle has over its own.

use crate::physics;
use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::lane::{Lane, each},
    phase,
};

/// What the loops of the drift correction read.
pub struct Drift<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z p/ρ² | v ρ]` of the fluid.
    pub record: &'a [[Real; 8]],
    /// `[x y z psi]` of the walls.
    pub walls: &'a [[Real; 4]],
    pub m: Real,
    /// Volume Δx^D of a particle at rest, `[m³]`.
    pub volume: Real,
    /// 1 over W at one spacing, `[m^D]`.
    pub inv_w_dx: Real,
    /// Factor of the sum: `A_s v_max h_s` of shifting, `[m²/s]`, or `Δt p_b / 2 m` of the transport velocity.
    pub factor: Real,
}

impl<const D: usize> Drift<'_, D> {
    #[inline(always)]
    fn x(&self, i: usize) -> [Real; D] {
        each(|a| self.record[i][a])
    }
}

phase! {
/// Shifting (Lind et al. 2012, Sun et al. 2017), as a velocity:
/// `w_i = −A_s v_max h_s Σ_j Δx^D [1 + 0.2 (W_ij/W(Δx))⁴] ∇W_ij`, walls included.
pub fn shifting<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Drift<'_, D>, fluid: &Chunk, walls: &Chunk, w: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let (volume, inv_w_dx) = (L::splat(s.volume), L::splat(s.inv_w_dx));
        let term = |x_ij: [L; D], r2: L| {
            let weight = volume * physics::shifting(kernel.w(r2), inv_w_dx, kernel.grad_factor(r2));
            each(|a| weight * x_ij[a])
        };
        let inner = fluid.sum::<L, D, 8, D>(i, s.x(i), s.record, &s.periodic, |x_ij, r2, _| term(x_ij, r2));
        let outer = walls.sum::<L, D, 4, D>(i, s.x(i), s.walls, &s.periodic, |x_ib, r2, _| term(x_ib, r2));
        for a in 0..D {
            w[a][k] = -s.factor * (inner[a] + outer[a]);
        }
    }
}
}

phase! {
/// Transport velocity (Adami, Hu & Adams 2013, eq. 13):
/// `w_i = −Δt/(2m) p_b Σ_j (V_i² + V_j²) ∇W_ij`, walls with the volume of a particle at rest.
pub fn transport<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Drift<'_, D>, fluid: &Chunk, walls: &Chunk, w: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let v_i = s.m / s.record[i][7];
        let (m, v_i2, wall_v2) = (L::splat(s.m), L::splat(v_i * v_i), L::splat(v_i * v_i + s.volume * s.volume));
        let inner = fluid.sum::<L, D, 8, D>(i, s.x(i), s.record, &s.periodic, |x_ij, r2, j| {
            let v_j = m / j[7];
            let weight = (v_i2 + v_j * v_j) * kernel.grad_factor(r2);
            each(|a| weight * x_ij[a])
        });
        let outer = walls.sum::<L, D, 4, D>(i, s.x(i), s.walls, &s.periodic, |x_ib, r2, _| {
            let weight = wall_v2 * kernel.grad_factor(r2);
            each(|a| weight * x_ib[a])
        });
        for a in 0..D {
            w[a][k] = -s.factor * (inner[a] + outer[a]);
        }
    }
}
}

/// What the transport stress reads.
pub struct Stress<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z V | v ρ | w ·]` of the fluid.
    pub wide: &'a [[Real; 12]],
    pub m: Real,
}

phase! {
/// Momentum carried by the drift correction (Adami et al. 2013, eq. 12):
/// `a_i += 1/m Σ_j (V_i² + V_j²) ½ (A_i + A_j) ∇W_ij`, `A = ρ v ⊗ w`.
pub fn transport_stress<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Stress<'_, D>, fluid: &Chunk, acceleration: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let r_i: [L; 12] = each(|k| L::splat(s.wide[i][k]));
        let x_i: [Real; D] = each(|a| s.wide[i][a]);
        let half = L::splat(0.5 / s.m);
        let sum = fluid.sum::<L, D, 12, D>(i, x_i, s.wide, &s.periodic, |x_ij, r2, j| {
            let weight = half * (r_i[3] * r_i[3] + j[3] * j[3]) * kernel.grad_factor(r2);
            let w_i = physics::dot::<L, D>(each(|a| r_i[8 + a]), x_ij);
            let w_j = physics::dot::<L, D>(each(|a| j[8 + a]), x_ij);
            each(|a| weight * (r_i[7] * r_i[4 + a] * w_i + j[7] * j[4 + a] * w_j))
        });
        for a in 0..D {
            acceleration[a][k] += sum[a];
        }
    }
}
}
