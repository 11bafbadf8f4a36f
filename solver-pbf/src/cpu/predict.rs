//! Prediction: streaming loops, where the health of every particle is checked as well.

use crate::physics::Bdf2;
use sph_core::{
    Real,
    fluid::material::Domain,
    geometry::shape::Enclosure,
    method::state::State,
    numerics::{
        lane::each,
        parallel::{self, First},
    },
};

/// Where particles may be.
struct Room<'a, const D: usize> {
    domain: Domain<D>,
    containers: &'a [Enclosure<D>],
}

/// How a particle was left.
struct Settled {
    /// It was inside of the containers already.
    free: bool,
    /// It has finite numbers.
    finite: bool,
    /// It is inside of the domain, too.
    good: bool,
}

impl<const D: usize> Room<'_, D> {
    /// Brings a predicted particle back into containers and the periodic box.
    #[inline(always)]
    fn settle(&self, x: &mut [Real; D], v: &mut [Real; D]) -> Settled {
        let mut free = true;
        for container in self.containers {
            free &= !container.collide(x, v);
        }
        let finite = (0..D).fold(true, |finite, d| finite & (x[d] + v[d]).is_finite());
        *x = self.domain.periodic.wrap(*x);
        Settled { free, finite, good: finite & self.domain.holds(*x) }
    }
}

/// `v* = v + dt a(x)`, `x* = x + dt v*`, then inside of the containers and the periodic box. Where that is not
/// finite both stay, for the one who looks for the cause. Returns the first particle of which this is so, or that
/// has left the domain.
pub fn first_order<const D: usize>(state: &mut State<D>, dt: Real) -> First {
    let (forces, n) = (state.forces, state.fluid.len());
    let room = Room { domain: state.domain, containers: &state.containers };
    let outputs =
        (state.fluid.x.each_mut().map(Vec::as_mut_slice), state.fluid.v.each_mut().map(Vec::as_mut_slice));
    parallel::blocks(n, outputs, |range, (x, v)| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let (x_i, v_i): ([Real; D], [Real; D]) = (each(|d| x[d][k]), each(|d| v[d][k]));
            let a = forces.acceleration(x_i);
            let mut v_new: [Real; D] = each(|d| v_i[d] + dt * a[d]);
            let mut x_new: [Real; D] = each(|d| x_i[d] + dt * v_new[d]);
            let settled = room.settle(&mut x_new, &mut v_new);
            bad.count(i, !settled.good);
            for d in 0..D {
                x[d][k] = if settled.finite { x_new[d] } else { x_i[d] };
                v[d][k] = if settled.finite { v_new[d] } else { v_i[d] };
            }
        }
        bad
    })
}

/// The past of the particles, for the second-order update.
pub struct Past<'a, const D: usize> {
    /// Ways of the last step, replaced by the predicted ones, `[m]`.
    pub way: &'a mut [Vec<Real>; D],
    /// Changes of velocity in the last step, replaced by the predicted ones, `[m/s]`.
    pub gain: &'a mut [Vec<Real>; D],
    /// True when there is none yet: that of an even acceleration is made up.
    pub is_new: bool,
}

/// The same by backward differences of second order:
/// `v* = v + (κ² Δv_n + (1 + κ) dt a)/(1 + 2κ)`, `x* = x + (κ² Δx_n + (1 + κ) dt v*)/(1 + 2κ)`. The acceleration is that
/// at the end of the step, where the last way, gone on, leads: `a(x + κ Δx_n)`.
pub fn second_order<const D: usize>(state: &mut State<D>, past: Past<'_, D>, bdf2: Bdf2, dt: Real) -> First {
    let (forces, n, is_new) = (state.forces, state.fluid.len(), past.is_new);
    let room = Room { domain: state.domain, containers: &state.containers };
    let outputs = (
        state.fluid.x.each_mut().map(Vec::as_mut_slice),
        state.fluid.v.each_mut().map(Vec::as_mut_slice),
        past.way.each_mut().map(Vec::as_mut_slice),
        past.gain.each_mut().map(Vec::as_mut_slice),
    );
    parallel::blocks(n, outputs, |range, (x, v, way, gain)| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let (x_i, v_i): ([Real; D], [Real; D]) = (each(|d| x[d][k]), each(|d| v[d][k]));
            if is_new {
                let a = forces.acceleration(x_i);
                for d in 0..D {
                    gain[d][k] = dt * a[d];
                    way[d][k] = dt * (v_i[d] - 0.5 * dt * a[d]);
                }
            }
            let a = forces.acceleration(each(|d| x_i[d] + bdf2.kappa * way[d][k]));
            let mut v_new: [Real; D] = each(|d| v_i[d] + bdf2.change(gain[d][k], dt * a[d]));
            let step: [Real; D] = each(|d| bdf2.change(way[d][k], dt * v_new[d]));
            let mut x_new: [Real; D] = each(|d| x_i[d] + step[d]);
            let settled = room.settle(&mut x_new, &mut v_new);
            bad.count(i, !settled.good);
            if !settled.finite {
                continue;
            }
            for d in 0..D {
                // A collision is no rate that goes on: behind it the past is that of even motion.
                gain[d][k] = if settled.free { v_new[d] - v_i[d] } else { 0.0 };
                way[d][k] = if settled.free { step[d] } else { dt * v_new[d] };
                (x[d][k], v[d][k]) = (x_new[d], v_new[d]);
            }
        }
        bad
    })
}
