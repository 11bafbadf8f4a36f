//! Acceleration: pressure and viscosity of fluid and walls in one loop, because both need the same records.

use crate::physics::{self, Pair, Viscosity};
use sph_core::{
    Real,
    fluid::{boundary::Boundary, material::Forces},
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::lane::{Lane, each},
    phase,
};

/// What the momentum loop reads.
pub struct Momentum<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z p/ρ² | v ρ]` of the fluid.
    pub record: &'a [[Real; 8]],
    /// `[x y z p/ρ² | v ρ | psi no-slip · ·]` of the walls.
    pub walls: &'a [[Real; 12]],
    pub m: Real,
    /// 1 over the lattice's gradient factor, on the pressure term.
    pub gradient: Real,
    pub viscosity: Viscosity,
    /// `0.01 h_s²`, `[m²]`.
    pub softening: Real,
    /// `σ h_s c₀` of pseudo-mass walls, `[m²/s]`.
    pub friction: Real,
    pub wall: Wall,
    pub contact: physics::Contact,
    pub rho_0: Real,
    pub forces: Forces<D>,
}

/// Acceleration of a particle by a wall sample of record `b`: `p_i` from [`Wall::pressure_term`]. A macro, so that both
/// of its users inherit the target features of their phase.
macro_rules! from_wall {
    ($s:ident, $kernel:ident, $p_i:expr, $rho_i:expr, $v_ib:expr, $x_ib:expr, $r2:expr, $b:expr) => {{
        let (x_ib, v_ib, r2, b): ([L; D], [L; D], L, [L; 12]) = ($x_ib, $v_ib, $r2, $b);
        let f = $kernel.grad_factor(r2);
        let pair = Pair { x_ij: x_ib, v_ij: v_ib, r2, f, rho_i: $rho_i, rho_j: b[7] };
        let [along_x, along_v] = $s.viscosity.factors(&pair, $s.softening);
        let friction = physics::wall_friction(L::splat($s.friction), &pair, $s.softening);
        let (psi, sticks) = (b[8], b[8] * b[9]);
        let push = physics::pressure_force(L::splat($s.gradient) * psi, $p_i, b[3], f)
            + sticks * along_x
            + psi * friction
            + $s.contact.factor(r2);
        each(|a| push * x_ib[a] + sticks * along_v * v_ib[a])
    }};
}

/// Where the wall's half of the pressure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// Nowhere: `p_i/ρ_i²` alone, never negative.
    OneSided,
    /// Mirrored: `p_i (1/ρ_i² + 1/ρ₀²)`, never negative.
    Mirrored,
    /// The sample's own pressure. With `pulls` a negative particle pressure counts as well.
    Own {
        /// False at free surfaces: a drop below rest density would be drawn into the wall.
        pulls: bool,
    },
}

impl Wall {
    /// True for dummy particles with a pressure of their own.
    pub fn is_dummy(self) -> bool {
        matches!(self, Wall::Own { .. })
    }

    /// The particle's part of the pressure term; the sample's part is in its record (zero but for `Own`).
    #[inline(always)]
    pub fn pressure_term<L: Lane>(self, p_rho2: L, rho: L, rho_0: Real) -> L {
        let pushing = p_rho2.max(L::splat(0.0));
        match self {
            Wall::Mirrored => {
                let ratio = rho / L::splat(rho_0);
                pushing * (L::splat(1.0) + ratio * ratio)
            }
            Wall::OneSided | Wall::Own { pulls: false } => pushing,
            Wall::Own { pulls: true } => p_rho2,
        }
    }
}

phase! {
/// `a_i = −Σ_j m (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij + viscosity + the same over walls + gravity`.
pub fn acceleration<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Momentum<'_, D>, fluid: &Chunk, walls: &Chunk, out: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let v_i: [L; D] = each(|a| L::splat(r_i[4 + a]));
        let (p_i, rho_i) = (L::splat(r_i[3]), L::splat(r_i[7]));
        let (m, m_pressure) = (L::splat(s.m), L::splat(s.m * s.gradient));
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let f = kernel.grad_factor(r2);
            let v_ij: [L; D] = each(|a| v_i[a] - j[4 + a]);
            let pair = Pair { x_ij, v_ij, r2, f, rho_i, rho_j: j[7] };
            let [along_x, along_v] = s.viscosity.factors(&pair, s.softening);
            let push = physics::pressure_force(m_pressure, p_i, j[3], f) + m * along_x;
            each(|a| push * x_ij[a] + m * along_v * v_ij[a])
        });
        let p_i = L::splat(s.wall.pressure_term(r_i[3], r_i[7], s.rho_0));
        let outer = walls.sum::<L, D, 12, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, b| {
            from_wall!(s, kernel, p_i, rho_i, each(|a| v_i[a] - b[4 + a]), x_ib, r2, b)
        });
        let outside = s.forces.acceleration(x_i);
        for a in 0..D {
            out[a][k] = inner[a] + outer[a] + outside[a];
        }
    }
}
}

phase! {
/// Force on the samples of dynamic bodies, opposite to that on the fluid: `F_b = −m Σ_i a_ib`. All others get 0.
pub fn reaction<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Momentum<'_, D>, walls: &Boundary<D>, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate() {
        if !walls.is_rigid(b) {
            for a in 0..D {
                out[a][k] = 0.0;
            }
            continue;
        }
        let x_b: [Real; D] = each(|a| s.walls[b][a]);
        let r_b: [L; 12] = each(|k| L::splat(s.walls[b][k]));
        let sum = rows.sum::<L, D, 8, D>(b, x_b, s.record, &s.periodic, |x_bi, r2, i| {
            let p_i = s.wall.pressure_term(i[3], i[7], s.rho_0);
            from_wall!(s, kernel, p_i, i[7], each(|a| i[4 + a] - r_b[4 + a]), each(|a| -x_bi[a]), r2, r_b)
        });
        for a in 0..D {
            out[a][k] = -s.m * sum[a];
        }
    }
}
}
