//! Streaming loops that write the packed records which the loops over neighbors gather.

use super::{Cpu, Extrapolated};
use crate::physics;
use sph_core::{
    Real,
    numerics::{
        lane::each,
        parallel::{self, First},
    },
};

/// Zero times a number is zero, unless the number is not finite.
#[inline(always)]
fn is_finite(record: &[Real; 4]) -> bool {
    record.iter().map(|x| 0.0 * x).sum::<Real>() == 0.0
}

impl<const D: usize> Cpu<'_, D> {
    /// The packed positions that the loops gather. Returns the first particle and the first wall sample whose
    /// numbers are not finite.
    pub(super) fn pack_positions(&mut self) -> [First; 2] {
        let (fields, state) = (&mut self.method.fields, &*self.state);
        let (n, x, rho) = (state.fluid.len(), &state.fluid.x, &state.fluid.rho);
        let bad_fluid = parallel::blocks(n, &mut fields.x4[..n], |range, x4| {
            let mut bad = First::NONE;
            let rho = &rho[range.clone()];
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            for (k, out) in x4.iter_mut().enumerate() {
                for d in 0..D {
                    out[d] = x[d][k];
                }
                out[3] = rho[k];
                bad.count(range.start + k, !is_finite(out));
            }
            bad
        });
        if self.method.shell.walls_packed && !state.walls.is_moving() {
            return [bad_fluid, First::NONE];
        }
        let (n, x, rho_0, volume) =
            (state.walls.len(), &state.walls.x, state.rest.rho_0, &state.walls.volume);
        let bad_walls = parallel::blocks(n, &mut fields.wall_x4[..n], |range, x4| {
            let mut bad = First::NONE;
            for (out, b) in x4.iter_mut().zip(range) {
                for d in 0..D {
                    out[d] = x[d][b];
                }
                out[3] = rho_0 * volume[b];
                bad.count(b, !is_finite(out));
            }
            bad
        });
        [bad_fluid, bad_walls]
    }

    /// Records with volume and velocity, and walls with their prescribed velocity.
    pub(super) fn pack_for_continuity(&mut self) {
        let (s, state) = (&mut *self.method, &*self.state);
        let (n, m) = (state.fluid.len(), state.rest.m);
        let (x4, v) = (&s.fields.x4, &state.fluid.v);
        parallel::blocks(n, &mut s.fields.wide[..n], |range, out| {
            for (out, i) in out.iter_mut().zip(range) {
                out[..3].copy_from_slice(&x4[i][..3]);
                out[3] = m / x4[i][3];
                for d in 0..D {
                    out[4 + d] = v[d][i];
                }
                out[7] = x4[i][3];
            }
        });
        if s.shell.walls_packed && !s.constants.wall.is_dummy() && !state.walls.is_moving() {
            return;
        }
        let (n, walls, x4) = (state.walls.len(), &state.walls, &s.fields.wall_x4);
        parallel::blocks(n, &mut s.fields.wall_record[..n], |range, out| {
            for (out, b) in out.iter_mut().zip(range) {
                out[..3].copy_from_slice(&x4[b][..3]);
                for d in 0..D {
                    out[4 + d] = walls.v[d][b];
                }
                out[8] = x4[b][3];
            }
        });
    }

    /// Wall records for the momentum loop: pressure, mirrored velocity, density, pseudo-mass.
    pub(super) fn pack_walls(&mut self) {
        let (s, state) = (&mut *self.method, &*self.state);
        let (walls, rho_0, eos) = (&state.walls, state.rest.rho_0, s.constants.eos);
        let (dummy, tensile) = (s.constants.wall.is_dummy(), !s.params.clamp_wall_pressure);
        let (extrapolated, x4) = (&s.extrapolated, &s.fields.wall_x4);
        parallel::blocks(walls.len(), &mut s.fields.wall_record[..walls.len()], |range, out| {
            for (out, b) in out.iter_mut().zip(range) {
                let body = &walls.bodies[walls.body[b] as usize];
                let fluid = if dummy { extrapolated[b] } else { Extrapolated::default() };
                let p = if tensile { fluid.p } else { fluid.p.max(0.0) };
                let rho = if dummy { physics::density_of_pressure(eos, p, rho_0) } else { rho_0 };
                *out = [0.0; 12];
                for d in 0..D {
                    out[d] = x4[b][d];
                    let prescribed = walls.v[d][b];
                    out[4 + d] = fluid.v.map_or(prescribed, |v| 2.0 * prescribed - v[d]);
                }
                (out[3], out[7], out[8]) = (p / (rho * rho), rho, x4[b][3]);
                out[9] = if body.no_slip { 1.0 } else { 0.0 };
            }
        });
    }
}
