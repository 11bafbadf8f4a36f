//! Velocities: from positions, then vorticity confinement and XSPH.

use crate::physics;
use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        vector::norm2,
    },
    phase,
};

/// Input of the loops over velocities.
pub struct Velocities<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z · | v ρ]` of the fluid.
    pub x_v_rho: &'a [[Real; 8]],
    /// Mass of a particle, `[kg]`.
    pub m: Real,
    /// Part c of XSPH, `[-]`.
    pub xsph: Real,
}

impl<const D: usize> Velocities<'_, D> {
    #[inline(always)]
    fn x(&self, i: usize) -> [Real; D] {
        each(|a| self.x_v_rho[i][a])
    }
}

phase! {
/// XSPH (Macklin & Müller 2013, eq. 17): `v_i += c Σ_j w_ij (v_j − v_i)`. Reads the records and writes `v`, so that
/// no particle sees a new velocity.
pub fn xsph<L>[const D: usize, K: Kernel<D>](kernel: K, s: &Velocities<'_, D>, fluid: &Chunk, v: [&mut [Real]; D]) {
    let m = L::splat(s.m);
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.x_v_rho[i];
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let rho_i = L::splat(r_i[7]);
        let inner = fluid.sum::<L, D, 8, D>(i, s.x(i), s.x_v_rho, &s.periodic, |_, r2, j| {
            let weight = physics::xsph(m, rho_i, j[7], kernel.w(r2));
            each(|a| weight * (j[4 + a] - v_i[a]))
        });
        for a in 0..D {
            v[a][k] = r_i[4 + a] + s.xsph * inner[a];
        }
    }
}
}

phase! {
/// Vorticity (Macklin & Müller 2013, eq. 15, with volumes): `ω_i = Σ_j V_j ∇W_ij × (v_j − v_i)`. Written
/// `[x y z V | ω |ω|]`.
pub fn vorticity<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Velocities<'_, D>, fluid: &Chunk, vorticity: &mut [[Real; 8]]
) {
    let m = L::splat(s.m);
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.x_v_rho[i];
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let omega = fluid.sum::<L, D, 8, 3>(i, s.x(i), s.x_v_rho, &s.periodic, |x_ij, r2, j| {
            let f = m / j[7] * kernel.grad_factor(r2);
            let v_ji: [L; D] = each(|a| j[4 + a] - v_i[a]);
            physics::cross(physics::in_space(each::<L, D>(|a| f * x_ij[a])), physics::in_space(v_ji))
        });
        let size = norm2(omega).sqrt();
        vorticity[k] = [r_i[0], r_i[1], r_i[2], s.m / r_i[7], omega[0], omega[1], omega[2], size];
    }
}
}

/// Input of the vorticity confinement.
pub struct Confinement<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z V | ω |ω|]`.
    pub vorticity: &'a [[Real; 8]],
    /// `Δt ε_vc`, `[m]`.
    pub strength: Real,
    /// Gradients of |ω| below this have no direction, `[1/(m s)]`.
    pub least: Real,
}

phase! {
/// Vorticity confinement (Fedkiw, Stam & Jensen 2001; Macklin & Müller 2013, eq. 16): `v_i += Δt ε_vc N_i × ω_i`,
/// `N = η/|η|`, `η_i = Σ_j V_j (|ω_j| − |ω_i|) ∇W_ij`.
pub fn confine<L>[const D: usize, K: Kernel<D>](kernel: K, s: &Confinement<'_, D>, fluid: &Chunk, v: [&mut [Real]; D]) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.vorticity[i];
        let size_i = L::splat(r_i[7]);
        let eta = fluid.sum::<L, D, 8, D>(i, each(|a| r_i[a]), s.vorticity, &s.periodic, |x_ij, r2, j| {
            let f = j[3] * (j[7] - size_i) * kernel.grad_factor(r2);
            each(|a| f * x_ij[a])
        });
        let size = norm2(eta).sqrt();
        if size > s.least {
            let n: [Real; D] = each(|a| eta[a] / size);
            let push = physics::cross(physics::in_space(n), [r_i[4], r_i[5], r_i[6]]);
            for a in 0..D {
                v[a][k] += s.strength * push[a];
            }
        }
    }
}
}
