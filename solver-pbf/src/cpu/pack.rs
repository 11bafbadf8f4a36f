//! Streaming loops between the state and the packed records that the loops over neighbors gather.

use super::Cpu;
use crate::{memory::Records, physics};
use sph_core::{
    Real,
    numerics::{
        lane::each,
        parallel::{self, First, Merge},
        vector::norm2,
    },
};

/// Zero times a number is zero, unless the number is not finite.
#[inline(always)]
fn is_finite<const N: usize>(record: &[Real; N]) -> bool {
    record.iter().map(|x| 0.0 * x).sum::<Real>() == 0.0
}

/// What a streaming loop found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Largest square, of a speed `[m²/s²]` or of a change of velocity.
    pub square: Real,
    /// First particle with a number that is not finite, or outside of the domain.
    pub bad: First,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { square: 0.0, bad: First::NONE }
    }
}

impl Merge for Extremes {
    fn merge(self, later: Self) -> Self {
        Self { square: self.square.max(later.square), bad: self.bad.merge(later.bad) }
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// The predicted positions that the iteration starts from. Returns the first particle whose numbers are not
    /// finite.
    pub(super) fn pack_places<const N: usize>(&mut self, records: &mut Records<N>) -> First {
        let (n, x, id) = (self.state.fluid.len(), &self.state.fluid.x, &self.state.fluid.id);
        let spread = self.method.params.mass_spread;
        parallel::blocks(n, &mut records.place[..n], |range, place| {
            let mut bad = First::NONE;
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            for (k, out) in place.iter_mut().enumerate() {
                *out = [0.0; N];
                for d in 0..D {
                    out[d] = x[d][k];
                }
                if N == 8 {
                    out[4] = 1.0 + spread * physics::deviation(id[range.start + k]);
                }
                bad.count(range.start + k, !is_finite(out));
            }
            bad
        })
    }

    /// Walls where they are now. Returns the first sample whose numbers are not finite.
    pub(super) fn pack_walls(&mut self) -> First {
        let (fields, walls, rho_0) = (&mut self.method.fields, &self.state.walls, self.state.rest.rho_0);
        if fields.walls_packed && !walls.is_moving() {
            return First::NONE;
        }
        let n = walls.len();
        let bad = parallel::blocks(n, &mut fields.wall_x4[..n], |range, x4| {
            let mut bad = First::NONE;
            for (out, b) in x4.iter_mut().zip(range) {
                for d in 0..D {
                    out[d] = walls.x[d][b];
                }
                out[3] = rho_0 * walls.volume[b];
                let v = (0..D).map(|d| 0.0 * walls.v[d][b]).sum::<Real>();
                bad.count(b, !(is_finite(out) & (v == 0.0)));
            }
            bad
        });
        if let Some(records) = fields.wall_record.get_mut(..n) {
            let x4 = &fields.wall_x4;
            parallel::blocks(n, records, |range, out| {
                for (out, b) in out.iter_mut().zip(range) {
                    *out = [x4[b][0], x4[b][1], x4[b][2], x4[b][3], 0.0, 0.0, 0.0, 0.0];
                    for d in 0..D {
                        out[4 + d] = walls.v[d][b];
                    }
                    let sticks = walls.bodies[usize::from(walls.body[b])].no_slip;
                    out[7] = if sticks { 1.0 } else { 0.0 };
                }
            });
        }
        fields.walls_packed = true;
        bad
    }

    /// `v = (v* + (x_corrected − x*) per_way) damping`: what `(x^{n+1} − x^n)/dt` is, without the digits that the
    /// difference of two places loses. Where that is not finite `v*` stays. Returns the largest squared change
    /// by corrections, and the first particle whose velocity or density is not finite.
    pub(super) fn velocities<const N: usize>(&mut self, records: &Records<N>, damping: Real) -> Extremes {
        let (n, per_way) = (self.state.fluid.len(), self.per_way);
        let (x, place) = (&self.state.fluid.x, &records.place);
        let mut found = Extremes::default();
        let rho = &self.state.fluid.rho;
        let v = self.state.fluid.v.each_mut().map(Vec::as_mut_slice);
        found = found.merge(parallel::blocks(n, v, |range, v| {
            let mut found = Extremes::default();
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            for (k, (record, i)) in place[range.clone()].iter().zip(range).enumerate() {
                let gain: [Real; D] = each(|d| (record[d] - x[d][k]) * per_way);
                let v_i: [Real; D] = each(|d| (v[d][k] + gain[d]) * damping);
                let good = norm2(v_i).is_finite();
                found.square = found.square.max(norm2(gain));
                found.bad.count(i, !(good & rho[i].is_finite()));
                for d in 0..D {
                    v[d][k] = if good { v_i[d] } else { v[d][k] };
                }
            }
            found
        }));
        if self.method.constants.needs.past {
            self.remember(records);
        }
        found
    }

    /// Adds the corrections to the predicted way and change of velocity.
    fn remember<const N: usize>(&mut self, records: &Records<N>) {
        let (n, per_way, x) = (self.state.fluid.len(), self.per_way, &self.state.fluid.x);
        let fields = &mut self.method.fields;
        let outputs =
            (fields.way.each_mut().map(Vec::as_mut_slice), fields.gain.each_mut().map(Vec::as_mut_slice));
        parallel::blocks(n, outputs, |range, (way, gain)| {
            for (k, i) in range.enumerate() {
                for d in 0..D {
                    let correction = records.place[i][d] - x[d][i];
                    way[d][k] += correction;
                    gain[d][k] += correction * per_way;
                }
            }
        });
    }

    /// `[x y z m | v ρ]`. Returns the first particle whose numbers are not finite.
    pub(super) fn pack_velocities<const N: usize>(&mut self, records: &Records<N>) -> First {
        let (fluid, m) = (&self.state.fluid, self.state.rest.m);
        let n = fluid.len();
        parallel::blocks(n, &mut self.method.fields.record[..n], |range, out| {
            let mut bad = First::NONE;
            for (out, i) in out.iter_mut().zip(range) {
                let place = &records.place[i];
                out[..3].copy_from_slice(&place[..3]);
                out[3] = m * super::lambda::mu(place);
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
    pub(super) fn pack_densities<const N: usize>(&mut self, records: &Records<N>) {
        let rho = &self.state.fluid.rho;
        parallel::blocks(rho.len(), &mut self.method.fields.x4[..rho.len()], |range, out| {
            for (out, i) in out.iter_mut().zip(range) {
                out[..3].copy_from_slice(&records.place[i][..3]);
                out[3] = rho[i];
            }
        });
    }

    /// The corrected positions, wrapped into the periodic box. Where a velocity is not finite, that before XSPH
    /// comes back. Returns the largest squared speed, and the first particle that is not healthy.
    pub(super) fn commit<const N: usize>(&mut self, records: &Records<N>) -> Extremes {
        let (domain, record) = (self.state.domain, &self.method.fields.record);
        let fluid = &mut self.state.fluid;
        let n = fluid.id.len();
        let outputs = (fluid.x.each_mut().map(Vec::as_mut_slice), fluid.v.each_mut().map(Vec::as_mut_slice));
        parallel::blocks(n, outputs, |range, (x, v)| {
            let mut found = Extremes::default();
            for (k, i) in range.enumerate() {
                let x_i = domain.periodic.wrap(each(|d| records.place[i][d]));
                let v_i: [Real; D] = each(|d| v[d][k]);
                let v2 = norm2(v_i);
                found.square = found.square.max(v2);
                let finite = v2.is_finite();
                found.bad.count(i, !(finite & domain.holds(x_i)));
                for d in 0..D {
                    x[d][k] = x_i[d];
                    if !finite && !record.is_empty() {
                        v[d][k] = record[i][4 + d];
                    }
                }
            }
            found
        })
    }
}
