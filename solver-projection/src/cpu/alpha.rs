//! Moments of the weight over the neighbors of a particle, and its density.

use super::Cpu;
use crate::{memory::record, physics::Weight};
use sph_core::{
    Real,
    kernel::{CubicSpline, Kernel},
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::First,
    },
    phase,
};

/// What the loop reads.
struct Inputs<'a, const D: usize> {
    weight: Weight,
    kernel: CubicSpline<D>,
    periodic: Periodic<D>,
    place: &'a [[Real; 4]],
    walls: &'a [[Real; 12]],
    m: Real,
}

/// The sums of a particle: `Σ w n` (the third is 0 in 2D), `Σ w`, `Σ W`.
#[inline(always)]
fn terms<L: Lane, const D: usize>(s: &Inputs<'_, D>, x_ij: [L; D], r2: L) -> [L; 5] {
    let at = s.weight.at(r2);
    let coefficient = at.w * at.inv_r;
    let mut terms = [L::splat(0.0); 5];
    for a in 0..D {
        terms[a] = coefficient * x_ij[a];
    }
    (terms[3], terms[4]) = (at.w, s.kernel.w(r2));
    terms
}

phase! {
/// `[Σ w n | α]` and `ρ_i = m (W(0) + Σ W)`, over fluid and ghosts, which count as particles. Returns the first particle whose
/// sums are not finite.
fn moments<L>[const D: usize](
    s: &Inputs<'_, D>, fluid: &Chunk, walls: &Chunk, out: (&mut [record::Moments], &mut [Real]),
) -> First {
    let (moments, rho) = out;
    let mut bad = First::NONE;
    for (k, i) in fluid.points().enumerate() {
        let x_i: [Real; D] = each(|a| s.place[i][a]);
        let inner = fluid.sum::<L, D, 4, 5>(i, x_i, s.place, &s.periodic, |x_ij, r2, _| terms(s, x_ij, r2));
        let outer = walls.sum::<L, D, 12, 5>(i, x_i, s.walls, &s.periodic, |x_ik, r2, _| terms(s, x_ik, r2));
        let [x, y, z, alpha] = each(|t| inner[t] + outer[t]);
        moments[k] = record::Moments { w_n: [x, y, z], alpha };
        rho[k] = s.m * (inner[4] + s.kernel.w_0() + outer[4]);
        bad.count(i, !(rho[k] + alpha).is_finite());
    }
    bad
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Returns the first particle whose sums are not finite.
    pub(super) fn sum_weights(&mut self) -> First {
        let (s, state) = (&mut *self.method, &mut *self.state);
        let loops = Inputs {
            weight: s.constants.weight,
            kernel: s.kernel,
            periodic: state.domain.periodic,
            place: &s.fields.place,
            walls: &s.fields.wall_record,
            m: state.rest.m,
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        let outputs = (&mut s.fields.moments[..], &mut state.fluid.rho[..]);
        lists
            .fluid
            .for_each(outputs, |k, fluid, out| moments(isa, &loops, fluid, &lists.walls.chunks()[k], out))
    }
}
