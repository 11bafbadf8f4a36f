//! Acceleration: pressure and viscosity of fluid and walls in one loop, because both need the same records.

use crate::{
    Constants,
    physics::{self, Pair, Viscosity},
};
use sph_core::{
    Real,
    fluid::{boundary::Boundary, material::Forces},
    kernel::Kernel,
    method::state::State,
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
    pub viscosity: Viscosity,
    /// `0.01 h_s²`, `[m²]`.
    pub softening: Real,
    pub wall: Wall,
    pub contact: physics::Contact,
    pub rho_0: Real,
    pub forces: Forces<D>,
}

impl<'a, const D: usize> Momentum<'a, D> {
    pub fn new(
        constants: &Constants,
        record: &'a [[Real; 8]],
        walls: &'a [[Real; 12]],
        state: &State<D>,
    ) -> Self {
        let Constants { viscosity, softening, wall, contact, .. } = *constants;
        let (rest, periodic) = (state.rest, state.domain.periodic);
        Self {
            periodic,
            record,
            walls,
            m: rest.m,
            viscosity,
            softening,
            wall,
            contact,
            rho_0: rest.rho_0,
            forces: state.forces,
        }
    }

    /// Acceleration of a particle by a wall sample of record `b`; `p_i` is that of [`Wall::pressure_term`].
    #[inline(always)]
    fn wall_acceleration<L: Lane>(&self, p_i: L, pair: &Pair<L, D>, b: &[L; 12]) -> [L; D] {
        let [along_x, along_v] = self.viscosity.factors(pair, self.softening);
        let (psi, psi_no_slip) = (b[8], b[8] * b[9]);
        let radial = physics::pressure_force(psi, p_i, b[3], pair.f)
            + psi_no_slip * along_x
            + self.contact.factor(pair.r2);
        each(|a| radial * pair.x_ij[a] + psi_no_slip * along_v * pair.v_ij[a])
    }
}

/// The pressure of walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// Mirrored: `p_i (1/ρ_i² + 1/ρ₀²)`, never negative.
    Mirrored,
    /// Extrapolated from the fluid to dummy particles.
    Dummy {
        /// Whether negative pressure of wall and particle counts. At free surfaces it would draw drops below rest
        /// density into the wall.
        tensile: bool,
    },
}

impl Wall {
    /// True for dummy particles with a pressure of their own.
    pub fn is_dummy(self) -> bool {
        matches!(self, Wall::Dummy { .. })
    }

    /// The particle's part of the pressure term; the sample's part is in its record (zero if mirrored).
    #[inline(always)]
    pub fn pressure_term<L: Lane>(self, p_rho2: L, rho: L, rho_0: Real) -> L {
        let compressive = p_rho2.max(L::splat(0.0));
        match self {
            Wall::Mirrored => {
                let ratio = rho / L::splat(rho_0);
                compressive * (L::splat(1.0) + ratio * ratio)
            }
            Wall::Dummy { tensile: false } => compressive,
            Wall::Dummy { tensile: true } => p_rho2,
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
        let m = L::splat(s.m);
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let f = kernel.grad_factor(r2);
            let v_ij: [L; D] = each(|a| v_i[a] - j[4 + a]);
            let pair = Pair { x_ij, v_ij, r2, f, rho_i, rho_j: j[7] };
            let [along_x, along_v] = s.viscosity.factors(&pair, s.softening);
            let radial = physics::pressure_force(m, p_i, j[3], f) + m * along_x;
            each(|a| radial * x_ij[a] + m * along_v * v_ij[a])
        });
        let p_i = L::splat(s.wall.pressure_term(r_i[3], r_i[7], s.rho_0));
        let outer = walls.sum::<L, D, 12, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, b| {
            let (v_ij, f) = (each(|a| v_i[a] - b[4 + a]), kernel.grad_factor(r2));
            s.wall_acceleration(p_i, &Pair { x_ij: x_ib, v_ij, r2, f, rho_i, rho_j: b[7] }, &b)
        });
        let outside = s.forces.acceleration(x_i);
        for a in 0..D {
            out[a][k] = inner[a] + outer[a] + outside[a];
        }
    }
}
}

phase! {
/// Force on loaded samples, opposite to that on the fluid: `F_b = −m Σ_i a_ib`. All others get 0.
pub fn reaction<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Momentum<'_, D>, walls: &Boundary<D>, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate() {
        if !walls.is_loaded(b) {
            for a in 0..D {
                out[a][k] = 0.0;
            }
            continue;
        }
        let x_b: [Real; D] = each(|a| s.walls[b][a]);
        let r_b: [L; 12] = each(|k| L::splat(s.walls[b][k]));
        let sum = rows.sum::<L, D, 8, D>(b, x_b, s.record, &s.periodic, |x_bi, r2, i| {
            let p_i = s.wall.pressure_term(i[3], i[7], s.rho_0);
            let (x_ij, v_ij) = (each(|a| -x_bi[a]), each(|a| i[4 + a] - r_b[4 + a]));
            let f = kernel.grad_factor(r2);
            s.wall_acceleration(p_i, &Pair { x_ij, v_ij, r2, f, rho_i: i[7], rho_j: r_b[7] }, &r_b)
        });
        for a in 0..D {
            out[a][k] = -s.m * sum[a];
        }
    }
}
}
