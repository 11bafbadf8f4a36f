//! What ghosts leave out along their walls.

use super::Cpu;
use crate::physics::{Along, Weight, share_along};
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
    /// `[Σ w n | α]`.
    crowd: &'a [[Real; 4]],
    walls: &'a [[Real; 12]],
}

phase! {
/// `E_i`, and 1 into the last slot of the record of a particle that has ghosts.
fn ghosts<L>[const D: usize](
    s: &Ghosts<'_, D>, walls: &Chunk, out: (&mut [[Real; 8]], &mut [[Real; 12]]),
) {
    let (record, along) = out;
    for (k, i) in walls.points().enumerate() {
        along[k] = [0.0; 12];
        along[k][..3].copy_from_slice(&record[k][..3]);
        if walls.row(i).is_empty() {
            continue;
        }
        let x_i: [Real; D] = each(|a| record[k][a]);
        let g = walls.sum::<L, D, 12, 6>(i, x_i, s.walls, &s.periodic, |x_ik, r2, ghost| {
            let at = s.weight.at(r2);
            let term = Along::of_ghost::<D>(each(|a| x_ik[a] * at.inv_r), each(|a| ghost[8 + a]));
            each(|t| at.w * term.0[t])
        });
        let share = share_along::<D>(Along(g), s.crowd[i][3], record[k][3]);
        for t in 0..6 {
            along[k][4 + t] = share * g[t];
        }
        // Read by the pull on bodies alone.
        along[k][10] = share;
        record[k][7] = 1.0;
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Finds who stands beside a wall, and what it lacks there.
    pub(super) fn find_walls(&mut self) {
        let s = &mut *self.method;
        if s.fields.along.is_empty() {
            return;
        }
        let n = self.state.fluid.len();
        let loops = Ghosts {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            crowd: &s.fields.crowd,
            walls: &s.fields.wall_record,
        };
        let (isa, lists) = (s.isa, &s.neighbors.walls);
        let outputs = (&mut s.fields.record[..n], &mut s.fields.along[..n]);
        lists.for_each(outputs, |_, walls, out| ghosts(isa, &loops, walls, out));
    }

    /// `[x y z · | E/G Σ_j w¹ (p_j − p_i) n_ij ·]`, from those sums.
    pub(super) fn pack_pulls(&mut self) {
        let fields = &mut self.method.fields;
        let n = fields.p.len();
        let along = &fields.along;
        parallel::blocks(n, &mut fields.pull[..n], |range, pull| {
            for (out, i) in pull.iter_mut().zip(range) {
                out[..3].copy_from_slice(&along[i][..3]);
                for a in 0..D {
                    out[4 + a] *= along[i][10];
                }
            }
        });
    }
}
