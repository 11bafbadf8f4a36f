//! Velocities: from positions, then vorticity confinement and XSPH.

use super::lambda::Constraint;
use crate::physics;
use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::Sum,
        vector::norm2,
    },
    phase,
};

/// What the loops over velocities read.
pub struct Velocities<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z m | v ρ]` of the fluid.
    pub record: &'a [[Real; 8]],
    /// `[x y z psi | v no-slip]` of the walls; empty if the fluid slips.
    pub walls: &'a [[Real; 8]],
    /// Part c of XSPH, `[-]`.
    pub xsph: Real,
    /// The same of walls, `[-]`.
    pub wall_xsph: Real,
    /// Whether pairs weigh each other alike.
    pub symmetric: bool,
}

impl<const D: usize> Velocities<'_, D> {
    #[inline(always)]
    fn x(&self, i: usize) -> [Real; D] {
        each(|a| self.record[i][a])
    }
}

phase! {
/// XSPH (Macklin & Müller 2013, eq. 17): `v_i += c Σ_j w_ij (v_j − v_i)`, and towards walls
/// `v_i −= c_b Σ_b psi_b/ρ_i W_ib (v_i − v_b)`. Reads the records and writes `v`, so that no one sees a new velocity.
pub fn xsph<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Velocities<'_, D>, fluid: &Chunk, walls: &Chunk, v: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let rho_i = L::splat(r_i[7]);
        let inner = fluid.sum::<L, D, 8, D>(i, s.x(i), s.record, &s.periodic, |_, r2, j| {
            let weight = physics::xsph(s.symmetric, j[3], rho_i, j[7], kernel.w(r2));
            each(|a| weight * (j[4 + a] - v_i[a]))
        });
        let mut outer = [0.0; D];
        if s.wall_xsph > 0.0 {
            outer = walls.sum::<L, D, 8, D>(i, s.x(i), s.walls, &s.periodic, |_, r2, b| {
                let weight = physics::wall_xsph(b[7] * b[3], rho_i, kernel.w(r2));
                each(|a| weight * (b[4 + a] - v_i[a]))
            });
        }
        for a in 0..D {
            v[a][k] = r_i[4 + a] + (s.xsph * inner[a] + s.wall_xsph * outer[a]);
        }
    }
}
}

phase! {
/// Vorticity (Macklin & Müller 2013, eq. 15, with volumes): `ω_i = Σ_j V_j ∇W_ij × (v_j − v_i)`. Written
/// `[x y z V | ω |ω|]`; returns `Σ |ω|²`.
pub fn vorticity<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Velocities<'_, D>, fluid: &Chunk, spin: &mut [[Real; 8]]
) -> Sum {
    let mut squares = 0.0;
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let omega = fluid.sum::<L, D, 8, 3>(i, s.x(i), s.record, &s.periodic, |x_ij, r2, j| {
            let f = j[3] / j[7] * kernel.grad_factor(r2);
            let v_ji: [L; D] = each(|a| j[4 + a] - v_i[a]);
            physics::cross(physics::in_space(each::<L, D>(|a| f * x_ij[a])), physics::in_space(v_ji))
        });
        let size2 = norm2(omega);
        spin[k] = [r_i[0], r_i[1], r_i[2], r_i[3] / r_i[7], omega[0], omega[1], omega[2], size2.sqrt()];
        squares += size2 as f64;
    }
    Sum(squares)
}
}

/// What the confinement reads.
pub struct Confinement<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z V | ω |ω|]`.
    pub spin: &'a [[Real; 8]],
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
        let r_i = &s.spin[i];
        let size_i = L::splat(r_i[7]);
        let eta = fluid.sum::<L, D, 8, D>(i, each(|a| r_i[a]), s.spin, &s.periodic, |x_ij, r2, j| {
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

phase! {
/// Normals of the surface `[x y z · | n̂ ·]`: `n_i = h/ρ₀ (Σ_j m ∇W_ij + Σ_b psi_b ∇W_ib)` made a unit vector
/// where it is long enough, zero elsewhere.
pub fn surface_normals<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Constraint<'_, D, 4>, fluid: &Chunk, walls: &Chunk, out: &mut [[Real; 8]],
) {
    let scale = kernel.support_radius() / s.rho_0;
    for (k, i) in fluid.points().enumerate() {
        let record = &s.place[i];
        let x_i: [Real; D] = each(|a| record[a]);
        let inner = fluid.sum::<L, D, 4, D>(i, x_i, s.place, &s.periodic, |x_ij, r2, _| {
            let f = kernel.grad_factor(r2);
            each(|a| f * x_ij[a])
        });
        let outer = walls.sum::<L, D, 4, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, [_, _, _, psi]| {
            let f = psi * kernel.grad_factor(r2);
            each(|a| f * x_ib[a])
        });
        let n: [Real; D] = each(|a| scale * (s.m * inner[a] + outer[a]));
        let size = norm2(n).sqrt();
        out[k] = [record[0], record[1], record[2], 0.0, 0.0, 0.0, 0.0, 0.0];
        if size > physics::SURFACE {
            for a in 0..D {
                out[k][4 + a] = n[a] / size;
            }
        }
    }
}
}
