//! The tangential wall correction `E_i` of particles beside a wall.

use super::Cpu;
use crate::{
    memory::record::{BESIDE_WALL, CORRECTION, CORRECTION_SCALE, GRADIENT, INV_ALPHA, Moments, NORMAL},
    physics::{WallCorrection, Weight, correction_scale},
};
use sph_core::{
    Real,
    neighbors::{Chunk, Periodic},
    numerics::{lane::each, parallel},
    phase,
};

/// What the loop over ghosts reads.
struct Ghosts<'a, const D: usize> {
    weight: Weight,
    periodic: Periodic<D>,
    moments: &'a [Moments],
    walls: &'a [[Real; 12]],
}

phase! {
/// `E_i`, and 1 into the last slot of the record of a particle that has ghosts.
fn ghosts<L>[const D: usize](
    s: &Ghosts<'_, D>, walls: &Chunk, out: (&mut [[Real; 8]], &mut [[Real; 12]]),
) {
    let (record, wall_correction) = out;
    for (k, i) in walls.points().enumerate() {
        wall_correction[k] = [0.0; 12];
        wall_correction[k][..3].copy_from_slice(&record[k][..3]);
        if walls.row(i).is_empty() {
            continue;
        }
        let x_i: [Real; D] = each(|a| record[k][a]);
        let g = walls.sum::<L, D, 12, 6>(i, x_i, s.walls, &s.periodic, |x_ik, r2, ghost| {
            let at = s.weight.at(r2);
            let term = WallCorrection::of_ghost::<D>(each(|a| x_ik[a] * at.inv_r), each(|a| ghost[NORMAL + a]));
            each(|t| at.w * term.0[t])
        });
        let share = correction_scale::<D>(WallCorrection(g), s.moments[i].alpha, record[k][INV_ALPHA]);
        for t in 0..6 {
            wall_correction[k][CORRECTION + t] = share * g[t];
        }
        // Read by the tangential_gradient on bodies alone.
        wall_correction[k][CORRECTION_SCALE] = share;
        record[k][BESIDE_WALL] = 1.0;
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Marks the particles beside a wall, and computes their correction.
    pub(super) fn correct_walls(&mut self) {
        let s = &mut *self.method;
        if s.fields.wall_correction.is_empty() {
            return;
        }
        let n = self.state.fluid.len();
        let loops = Ghosts {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            moments: &s.fields.moments,
            walls: &s.fields.wall_record,
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors.walls);
        let outputs = (&mut s.fields.record[..n], &mut s.fields.wall_correction[..n]);
        lists.for_each(outputs, |_, walls, out| ghosts(isa, &loops, walls, out));
    }

    /// `[x y z · | E/G Σ_j w¹ (p_j − p_i) n_ij ·]`, from those sums.
    pub(super) fn scale_tangential_gradients(&mut self) {
        let fields = &mut self.method.fields;
        let n = fields.p.len();
        let wall_correction = &fields.wall_correction;
        parallel::blocks(n, &mut fields.tangential_gradient[..n], |range, tangential_gradient| {
            for (out, i) in tangential_gradient.iter_mut().zip(range) {
                out[..3].copy_from_slice(&wall_correction[i][..3]);
                for a in 0..D {
                    out[GRADIENT + a] *= wall_correction[i][CORRECTION_SCALE];
                }
            }
        });
    }
}
