//! Streaming loops between the state and the packed records that the loops over neighbors gather.

use super::Cpu;
use crate::{Pbf, memory::Fields};
use sph_core::{
    Real,
    numerics::{
        lane::each,
        parallel::{self, Extremes, First},
        vector::norm2,
    },
};

/// Without branches: zero times a number is zero unless that is not finite.
#[inline(always)]
fn is_finite<const N: usize>(record: &[Real; N]) -> bool {
    record.iter().map(|x| 0.0 * x).sum::<Real>() == 0.0
}

impl<const D: usize> Cpu<'_, D> {
    /// The predicted positions that the iteration starts from. Returns the first that is not finite.
    pub(super) fn pack_positions(&mut self) -> First {
        let (n, x) = (self.state.fluid.len(), &self.state.fluid.x);
        parallel::blocks(n, &mut self.method.fields.x_star[..n], |range, x_star| {
            let mut bad = First::NONE;
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            for (k, out) in x_star.iter_mut().enumerate() {
                *out = [0.0; 4];
                for d in 0..D {
                    out[d] = x[d][k];
                }
                bad.count(range.start + k, !is_finite(out));
            }
            bad
        })
    }

    /// Walls where they are now. Returns the first sample whose numbers are not finite.
    pub(super) fn pack_walls(&mut self) -> First {
        let Pbf { fields, shell, .. } = &mut *self.method;
        let (walls, rho_0) = (&self.state.walls, self.state.rest.rho_0);
        if shell.walls_packed && !walls.is_moving() {
            return First::NONE;
        }
        let n = walls.len();
        shell.walls_packed = true;
        parallel::blocks(n, &mut fields.x_psi[..n], |range, x_psi| {
            let mut bad = First::NONE;
            for (out, b) in x_psi.iter_mut().zip(range) {
                for d in 0..D {
                    out[d] = walls.x[d][b];
                }
                out[3] = rho_0 * walls.volume[b];
                let v = (0..D).map(|d| 0.0 * walls.v[d][b]).sum::<Real>();
                bad.count(b, !(is_finite(out) & (v == 0.0)));
            }
            bad
        })
    }

    /// `v = (v* + (x*_corrected − x*_predicted) per_displacement) damping`: equals `(x^{n+1} − x^n)/Δt` without the
    /// cancellation in the difference of two positions. Where that is not finite `v*` stays. Returns the largest
    /// squared change by corrections, and the first particle whose velocity or density is not finite.
    pub(super) fn velocities(&mut self, damping: Real) -> Extremes {
        let (n, per_displacement) = (self.state.fluid.len(), self.per_displacement);
        let (x, rho, x_star) = (&self.state.fluid.x, &self.state.fluid.rho, &self.method.fields.x_star);
        let v = self.state.fluid.v.each_mut().map(Vec::as_mut_slice);
        let found = parallel::blocks(n, v, |range, v| {
            let mut found = Extremes::default();
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            for (k, (record, i)) in x_star[range.clone()].iter().zip(range).enumerate() {
                let change: [Real; D] = each(|d| (record[d] - x[d][k]) * per_displacement);
                let v_i: [Real; D] = each(|d| (v[d][k] + change[d]) * damping);
                let finite = norm2(v_i).is_finite();
                found.square = found.square.max(norm2(change));
                found.bad.count(i, !(finite & rho[i].is_finite()));
                for d in 0..D {
                    v[d][k] = if finite { v_i[d] } else { v[d][k] };
                }
            }
            found
        });
        if self.method.constants.needs.past {
            self.correct_past();
        }
        found
    }

    /// Adds the corrections to the predicted displacement and change of velocity.
    fn correct_past(&mut self) {
        let (n, per_displacement, x) = (self.state.fluid.len(), self.per_displacement, &self.state.fluid.x);
        let Fields { x_star, displacement, velocity_change, .. } = &mut self.method.fields;
        let outputs = (
            displacement.each_mut().map(Vec::as_mut_slice),
            velocity_change.each_mut().map(Vec::as_mut_slice),
        );
        parallel::blocks(n, outputs, |range, (displacement, velocity_change)| {
            for (k, i) in range.enumerate() {
                for d in 0..D {
                    let correction = x_star[i][d] - x[d][i];
                    displacement[d][k] += correction;
                    velocity_change[d][k] += correction * per_displacement;
                }
            }
        });
    }

    /// `[x y z · | v ρ]`. Returns the first particle whose numbers are not finite.
    pub(super) fn pack_velocities(&mut self) -> First {
        let (fluid, Fields { x_star, x_v_rho, .. }) = (&self.state.fluid, &mut self.method.fields);
        let n = fluid.len();
        parallel::blocks(n, &mut x_v_rho[..n], |range, out| {
            let mut bad = First::NONE;
            for (out, i) in out.iter_mut().zip(range) {
                out[..4].copy_from_slice(&x_star[i]);
                for d in 0..D {
                    out[4 + d] = fluid.v[d][i];
                }
                out[7] = fluid.rho[i];
                bad.count(i, !is_finite(out));
            }
            bad
        })
    }

    /// `[x y z ρ]`, for the forces of the surface.
    pub(super) fn pack_densities(&mut self) {
        let (rho, Fields { x_star, x_rho, .. }) = (&self.state.fluid.rho, &mut self.method.fields);
        parallel::blocks(rho.len(), &mut x_rho[..rho.len()], |range, out| {
            for (out, i) in out.iter_mut().zip(range) {
                *out = [x_star[i][0], x_star[i][1], x_star[i][2], rho[i]];
            }
        });
    }

    /// The corrected positions, wrapped into the periodic box. Where a velocity is not finite, that before XSPH
    /// takes its place. Returns the largest squared speed, and the first particle that is not finite or outside.
    pub(super) fn store_positions(&mut self) -> Extremes {
        let (domain, Fields { x_star, x_v_rho, .. }) = (self.state.domain, &self.method.fields);
        let fluid = &mut self.state.fluid;
        let n = fluid.id.len();
        let outputs = (fluid.x.each_mut().map(Vec::as_mut_slice), fluid.v.each_mut().map(Vec::as_mut_slice));
        parallel::blocks(n, outputs, |range, (x, v)| {
            let mut found = Extremes::default();
            for (k, i) in range.enumerate() {
                let x_i = domain.periodic.wrap(each(|d| x_star[i][d]));
                let v_i: [Real; D] = each(|d| v[d][k]);
                let v2 = norm2(v_i);
                found.square = found.square.max(v2);
                let finite = v2.is_finite();
                found.bad.count(i, !(finite & domain.holds(x_i)));
                for d in 0..D {
                    x[d][k] = x_i[d];
                    if !finite && !x_v_rho.is_empty() {
                        v[d][k] = x_v_rho[i][4 + d];
                    }
                }
            }
            found
        })
    }
}
