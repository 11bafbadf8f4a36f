//! Reaction forces on dynamic bodies (Akinci et al. 2012), opposite to what the fluid got from their samples.

use super::{Cpu, correction};
use sph_core::{
    Real,
    fluid::boundary::Boundary,
    kernel::Kernel,
    method::state::State,
    neighbors::{Chunk, Periodic},
    numerics::lane::each,
    phase,
};

/// Input of the loop over samples.
struct Reaction<'a, const D: usize> {
    periodic: Periodic<D>,
    /// `[x y z λ̂]` of the fluid, before the correction.
    x_lambda: &'a [[Real; 4]],
    /// `[x y z psi]` of the walls.
    x_psi: &'a [[Real; 4]],
    boundary: &'a Boundary<D>,
    /// `m/(ρ₀ Δt²)`, with `per_displacement` for one of the `1/Δt`, `[m³/s²]`.
    factor: Real,
}

phase! {
/// Forces on loaded samples, added: `F_b −= Σ_i m Δx_ib/Δt²`, with `m Δx_ib = m λ̂_i/ρ₀ psi_b ∇W_ib`.
fn of_correction<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Reaction<'_, D>, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| s.boundary.is_loaded(*b)) {
        let sample = &s.x_psi[b];
        let x_b: [Real; D] = each(|a| sample[a]);
        let sums = rows.sum::<L, D, 4, D>(b, x_b, s.x_lambda, &s.periodic, |x_bi, r2, [_, _, _, l_i]| {
            let f = l_i * kernel.grad_factor(r2);
            each(|a| f * x_bi[a])
        });
        for a in 0..D {
            // x_ib = −x_bi
            out[a][k] += s.factor * sample[3] * sums[a];
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Adds the reaction to a correction. Relaxes `λ̂` of the records like the corrections.
    pub(super) fn react(&mut self) {
        let (s, state) = (&mut *self.method, &*self.state);
        let (n, rest) = (state.fluid.len(), state.rest);
        correction::relax_lambda(&mut s.fields.x_lambda[..n], &s.fields.delta, s.constants.relaxation);
        let reaction = Reaction {
            periodic: state.domain.periodic,
            x_lambda: &s.fields.x_lambda,
            x_psi: &s.fields.x_psi,
            boundary: &state.walls,
            factor: rest.m / rest.rho_0 * self.per_displacement / self.dt as Real,
        };
        let (isa, out) = (s.shell.isa, s.fields.reaction.each_mut().map(Vec::as_mut_slice));
        s.shell.neighbors.wall_fluid.for_each(out, |_, rows, out| {
            of_correction(isa, s.kernel, &reaction, rows, out);
        });
    }

    /// Bodies are accelerated by the forces of the substep, and move.
    pub(super) fn advance_bodies(&mut self, damping: Real) {
        let State { bodies, walls, forces, rest, t, .. } = &mut *self.state;
        let k = ((self.end - *t) / self.dt).round();
        bodies.collect_substep(k, |bodies| bodies.collect(walls, &self.method.fields.reaction));
        bodies.kick(forces, self.dt, f64::from(damping));
        bodies.drift(walls, self.end, f64::from(rest.spacing), self.dt);
    }
}
