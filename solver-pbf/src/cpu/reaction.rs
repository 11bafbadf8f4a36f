//! What dynamic bodies get from the fluid (Akinci et al. 2012): the opposite of what it got from their samples.

use super::{Cpu, correction, velocity::Velocities};
use crate::physics;
use sph_core::{
    Real,
    fluid::boundary::Boundary,
    kernel::Kernel,
    method::state::State,
    neighbors::{Chunk, Periodic},
    numerics::lane::{Lane, each},
    phase,
};

/// What the loop over samples reads of a correction.
struct Reaction<'a, const D: usize, const N: usize> {
    periodic: Periodic<D>,
    /// `[x y z λ̂ (| μ)]` of the fluid, where it was before the correction.
    push: &'a [[Real; N]],
    /// `[x y z psi]` of the walls.
    walls: &'a [[Real; 4]],
    boundary: &'a Boundary<D>,
    /// `m s/(ρ₀ Δt)` over the time in which a correction is made, `[kg m³/(kg s²)]`.
    factor: Real,
}

phase! {
/// Forces on samples of bodies, added: `F_b −= Σ_i m_i Δx_ib/Δt²`, with `m_i Δx_ib = m λ̂_i/ρ₀ s psi_b ∇W_ib`.
fn correction<L>[const D: usize, K: Kernel<D>, const N: usize](
    kernel: K, s: &Reaction<'_, D, N>, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| s.boundary.is_rigid(*b)) {
        let sample = &s.walls[b];
        let x_b: [Real; D] = each(|a| sample[a]);
        let sums = rows.sum::<L, D, N, D>(b, x_b, s.push, &s.periodic, |x_bi, r2, i| {
            let f = i[3] * kernel.grad_factor(r2);
            each(|a| f * x_bi[a])
        });
        for a in 0..D {
            // x_ib = −x_bi
            out[a][k] += s.factor * sample[3] * sums[a];
        }
    }
}
}

phase! {
/// Forces on samples of bodies, added, of the velocity that XSPH took from the fluid:
/// `F_b += Σ_i m_i c_b psi_b/ρ_i W_ib (v_i − v_b)/Δt`.
fn friction<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Velocities<'_, D>, boundary: &Boundary<D>, inv_dt: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_rigid(*b)) {
        let sample = &s.walls[b];
        let v_b: [L; D] = each(|a| L::splat(sample[4 + a]));
        let psi = L::splat(sample[7] * sample[3]);
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| sample[a]), s.record, &s.periodic, |_, r2, i| {
            let weight = i[3] * physics::wall_xsph(psi, i[7], kernel.w(r2));
            each(|a| weight * (i[4 + a] - v_b[a]))
        });
        for a in 0..D {
            out[a][k] += s.wall_xsph * inv_dt * sums[a];
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Adds what bodies feel of a correction. Makes `λ̂` of the records what was done of it.
    pub(super) fn push_back<const N: usize>(&mut self, push: &mut [[Real; N]]) {
        let (s, state) = (&mut *self.method, &*self.state);
        let n = state.fluid.len();
        correction::relax_lambda(&mut push[..n], &s.fields.delta, s.constants.relaxation);
        let rest = state.rest;
        let reaction = Reaction {
            periodic: state.domain.periodic,
            push,
            walls: &s.fields.wall_x4,
            boundary: &state.walls,
            factor: rest.m * s.params.solid_pressure / rest.rho_0 * self.per_way / self.dt as Real,
        };
        let (isa, out) = (s.isa, s.fields.reaction.each_mut().map(Vec::as_mut_slice));
        s.neighbors.wall_fluid.for_each(out, |_, rows, out| {
            correction(isa, s.kernel, &reaction, rows, out);
        });
    }

    /// Adds what bodies feel of the velocity that the fluid loses at their surfaces.
    pub(super) fn rub_back(&mut self) {
        let mut force = self.method.fields.reaction.each_mut().map(std::mem::take);
        let (s, inv_dt, boundary) = (&*self.method, (1.0 / self.dt) as Real, &self.state.walls);
        let loops = self.velocity_loops();
        let out = force.each_mut().map(Vec::as_mut_slice);
        s.neighbors.wall_fluid.for_each(out, |_, rows, out| {
            friction(s.isa, s.kernel, &loops, boundary, inv_dt, rows, out);
        });
        self.method.fields.reaction = force;
    }

    /// Bodies take up the forces of the substep, and move.
    pub(super) fn advance_bodies(&mut self, damping: Real) {
        let State { bodies, walls, forces, rest, .. } = &mut *self.state;
        bodies.collect(walls, &self.method.fields.reaction);
        bodies.kick(forces, self.dt, f64::from(damping));
        bodies.drift(walls, self.end, f64::from(rest.spacing), self.dt);
    }
}
