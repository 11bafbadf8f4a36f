//! Streaming loops between the state and the packed records that the loops over neighbors gather.

use super::Cpu;
use crate::{
    memory::record::{AREA, BESIDE_WALL, DEPTH, INV_ALPHA, Moments, NORMAL, P, RHO, TANGENTIAL, V},
    physics::SPRAY,
};
use sph_core::{
    Real,
    fluid::areas::Areas,
    numerics::{
        lane::each,
        parallel::{self, First, Max},
        vector::norm2,
    },
    rigid::Placement,
};

/// Zero times a number is zero, unless the number is not finite.
#[inline(always)]
fn is_finite(record: &[Real]) -> bool {
    record.iter().map(|x| 0.0 * x).sum::<Real>() == 0.0
}

impl<const D: usize> Cpu<'_, D> {
    /// `[x y z ·]`. Returns the first particle whose position is not finite.
    pub(super) fn pack_positions(&mut self) -> First {
        let (x, n) = (&self.state.fluid.x, self.state.fluid.len());
        parallel::blocks(n, &mut self.method.fields.place[..n], |range, place| {
            let mut bad = First::NONE;
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            for (k, out) in place.iter_mut().enumerate() {
                *out = [0.0; 4];
                for d in 0..D {
                    out[d] = x[d][k];
                }
                bad.count(range.start + k, !is_finite(out));
            }
            bad
        })
    }

    /// `[x y z depth | v τ | n A]` of the walls where they are now. Returns the first sample whose numbers are not
    /// finite.
    pub(super) fn pack_walls(&mut self) -> First {
        let walls = &self.state.walls;
        if self.method.shell.walls_packed && !walls.is_moving() {
            return First::NONE;
        }
        let areas: &[Areas] = if self.method.has_areas() { &self.method.areas } else { &[] };
        let fields = &mut self.method.fields;
        fields.placements.clear();
        fields.placements.extend(Placement::all(walls, self.end));
        let (placements, areas) = (&fields.placements, areas);
        let (n, tangential) = (walls.len(), self.method.params.tangential);
        let found = parallel::blocks(n, &mut fields.wall_record[..n], |range, records| {
            let mut bad = First::NONE;
            for (out, b) in records.iter_mut().zip(range) {
                let body = usize::from(walls.body[b]);
                let no_slip: Real = if walls.bodies[body].no_slip { 1.0 } else { 0.0 };
                let x = walls.position(b).map(f64::from);
                let (depth, normal, area) = match walls.surface_of_body[body] {
                    None => (0.0, [0.0; D], -1.0),
                    Some(k) => {
                        let pose = placements[k].pose;
                        // In the frame of a body samples stay: where two faces are as near, roundings would else
                        // choose another one in each step.
                        let drawn = match walls.bodies[body].rigid {
                            Some(_) if pose.is_some() => each(|d| f64::from(walls.x_0[d][b])),
                            _ => pose.map_or(x, |pose| pose.inverse_transform(&x)),
                        };
                        let (depth, normal) = walls.surfaces[k].depth_and_normal(&drawn);
                        let area = areas.get(k).map_or(-1.0, |areas| areas.at(&drawn, depth, &normal));
                        (depth, pose.map_or(normal, |pose| pose.rotate(&normal)), area)
                    }
                };
                *out = [0.0; 12];
                for d in 0..D {
                    (out[d], out[V + d], out[NORMAL + d]) = (walls.x[d][b], walls.v[d][b], normal[d] as Real);
                }
                (out[DEPTH], out[TANGENTIAL]) = (depth as Real, tangential.unwrap_or(no_slip));
                out[AREA] = area as Real;
                bad.count(b, !is_finite(out));
            }
            bad
        });
        self.method.shell.walls_packed = true;
        found
    }

    /// `[x y z 1/α | v* ·]`, α with its floor. Returns the first particle whose numbers are not finite.
    pub(super) fn pack_alpha(&mut self) -> First {
        let (full, asymmetry) = (self.method.full()[0], self.method.params.surface_asymmetry);
        let everywhere = self.method.has_floor_everywhere();
        let (state, fields) = (&*self.state, &mut self.method.fields);
        let (n, v, place, moments) = (state.fluid.len(), &state.fluid.v, &fields.place, &fields.moments);
        parallel::blocks(n, &mut fields.record[..n], |range, records| {
            let mut bad = First::NONE;
            for (out, i) in records.iter_mut().zip(range) {
                let Moments { w_n, alpha } = moments[i];
                let is_asymmetric = norm2(w_n) >= (asymmetry * full) * (asymmetry * full);
                let has_floor = (everywhere | is_asymmetric | (alpha < SPRAY * full)) & (alpha < full);
                out[..3].copy_from_slice(&place[i][..3]);
                let alpha = if has_floor { full } else { alpha };
                // Isolated particles of a spray have no α.
                out[INV_ALPHA] = if alpha > 0.0 { 1.0 / alpha } else { 0.0 };
                for d in 0..D {
                    out[V + d] = v[d][i];
                }
                out[BESIDE_WALL] = 0.0;
                // What is infinite would have no weight: its inverse is 0.
                bad.count(i, !(is_finite(out) & moments[i].is_finite()));
            }
            bad
        })
    }

    /// Pressures into the records, and as they act. Returns the first that is not finite.
    pub fn pack_pressures(&mut self) -> First {
        let fields = &mut self.method.fields;
        let (n, p) = (self.state.fluid.len(), &fields.p);
        let share = &fields.share;
        let outputs = (&mut fields.record[..n], &mut fields.acting[..n]);
        let (Max(largest), found) = parallel::blocks(n, outputs, |range, (record, acting)| {
            let (mut largest, mut bad) = (0.0, First::NONE);
            for (k, i) in range.enumerate() {
                record[k][P] = p[i];
                acting[k] = share[i] * p[i];
                largest = p[i].abs().max(largest);
                bad.count(i, !p[i].is_finite());
            }
            (Max(f64::from(largest)), bad)
        });
        self.method.fields.max_pressure = largest;
        found
    }

    /// The velocities alone.
    pub(super) fn renew_velocities(&mut self) {
        let v = &self.state.fluid.v;
        parallel::blocks(v[0].len(), &mut self.method.fields.record[..v[0].len()], |range, record| {
            for (out, i) in record.iter_mut().zip(range) {
                for a in 0..D {
                    out[V + a] = v[a][i];
                }
            }
        });
    }

    /// `[x y z · | v ρ]`. Returns the first particle whose numbers are not finite.
    pub(super) fn pack_velocities(&mut self) -> First {
        let (fluid, fields) = (&self.state.fluid, &mut self.method.fields);
        let (n, place) = (fluid.len(), &fields.place);
        parallel::blocks(n, &mut fields.record[..n], |range, records| {
            let mut bad = First::NONE;
            for (out, i) in records.iter_mut().zip(range) {
                out[..3].copy_from_slice(&place[i][..3]);
                for d in 0..D {
                    out[V + d] = fluid.v[d][i];
                }
                (out[INV_ALPHA], out[RHO]) = (0.0, fluid.rho[i]);
                bad.count(i, !is_finite(out));
            }
            bad
        })
    }
}
