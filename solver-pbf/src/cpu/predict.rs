//! Prediction: streaming loops, where the health of every particle is checked as well.

use crate::physics::Bdf2;
use sph_core::{
    Real,
    fluid::material::{Domain, Forces},
    geometry::shape::Enclosure,
    method::state::State,
    numerics::{
        lane::each,
        parallel::{self, First},
    },
};

/// Where particles may be.
struct Bounds<'a, const D: usize> {
    domain: Domain<D>,
    containers: &'a [Enclosure<D>],
}

/// How a predicted particle was left.
struct Contained {
    /// No container has moved it.
    free: bool,
    /// Position and velocity are finite.
    finite: bool,
    /// It is finite and inside of the domain.
    is_inside: bool,
}

impl<const D: usize> Bounds<'_, D> {
    /// Moves a predicted particle into containers and the periodic box.
    #[inline(always)]
    fn contain(&self, x: &mut [Real; D], v: &mut [Real; D]) -> Contained {
        let mut free = true;
        for container in self.containers {
            free &= !container.collide(x, v);
        }
        let finite = (0..D).fold(true, |finite, d| finite & (x[d] + v[d]).is_finite());
        *x = self.domain.periodic.wrap(*x);
        Contained { free, finite, is_inside: finite & self.domain.holds(*x) }
    }
}

/// `x* = x + dt v*` and `v* = v + dt a(x)`.
#[inline(always)]
pub fn free<const D: usize>(
    forces: &Forces<D>,
    x: [Real; D],
    v: [Real; D],
    dt: Real,
) -> ([Real; D], [Real; D]) {
    let a = forces.acceleration(x);
    let v: [Real; D] = each(|d| v[d] + dt * a[d]);
    (each(|d| x[d] + dt * v[d]), v)
}

/// The prediction, then inside of the containers and the periodic box. Where that is not finite position and velocity stay,
/// for the diagnosis. Returns the first particle of which this is so, or that has left the domain.
pub fn first_order<const D: usize>(state: &mut State<D>, dt: Real) -> First {
    let (forces, n) = (state.forces, state.fluid.len());
    let bounds = Bounds { domain: state.domain, containers: &state.containers };
    let outputs =
        (state.fluid.x.each_mut().map(Vec::as_mut_slice), state.fluid.v.each_mut().map(Vec::as_mut_slice));
    parallel::blocks(n, outputs, |range, (x, v)| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let (x_i, v_i): ([Real; D], [Real; D]) = (each(|d| x[d][k]), each(|d| v[d][k]));
            let (mut x_new, mut v_new) = free(&forces, x_i, v_i, dt);
            let contained = bounds.contain(&mut x_new, &mut v_new);
            bad.count(i, !contained.is_inside);
            for d in 0..D {
                x[d][k] = if contained.finite { x_new[d] } else { x_i[d] };
                v[d][k] = if contained.finite { v_new[d] } else { v_i[d] };
            }
        }
        bad
    })
}

/// The past of the particles, for the second-order update.
pub struct Past<'a, const D: usize> {
    /// Displacements of the last step, replaced by the predicted ones, `[m]`.
    pub displacement: &'a mut [Vec<Real>; D],
    /// Changes of velocity in the last step, replaced by the predicted ones, `[m/s]`.
    pub velocity_change: &'a mut [Vec<Real>; D],
    /// True when there is none yet: that of a uniform acceleration takes its place.
    pub is_new: bool,
}

/// The same by backward differences of second order:
/// `v* = v + (κ² Δv_n + (1 + κ) dt a)/(1 + 2κ)`, `x* = x + (κ² Δx_n + (1 + κ) dt v*)/(1 + 2κ)`. The acceleration is that
/// at the end of the step, at the extrapolated position: `a(x + κ Δx_n)`.
pub fn second_order<const D: usize>(state: &mut State<D>, past: Past<'_, D>, bdf2: Bdf2, dt: Real) -> First {
    let (forces, n, is_new) = (state.forces, state.fluid.len(), past.is_new);
    let bounds = Bounds { domain: state.domain, containers: &state.containers };
    let outputs = (
        state.fluid.x.each_mut().map(Vec::as_mut_slice),
        state.fluid.v.each_mut().map(Vec::as_mut_slice),
        past.displacement.each_mut().map(Vec::as_mut_slice),
        past.velocity_change.each_mut().map(Vec::as_mut_slice),
    );
    parallel::blocks(n, outputs, |range, (x, v, displacement, velocity_change)| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let (x_i, v_i): ([Real; D], [Real; D]) = (each(|d| x[d][k]), each(|d| v[d][k]));
            if is_new {
                let a = forces.acceleration(x_i);
                for d in 0..D {
                    velocity_change[d][k] = dt * a[d];
                    displacement[d][k] = dt * (v_i[d] - 0.5 * dt * a[d]);
                }
            }
            let a = forces.acceleration(each(|d| x_i[d] + bdf2.kappa * displacement[d][k]));
            let mut v_new: [Real; D] = each(|d| v_i[d] + bdf2.change(velocity_change[d][k], dt * a[d]));
            let step: [Real; D] = each(|d| bdf2.change(displacement[d][k], dt * v_new[d]));
            let mut x_new: [Real; D] = each(|d| x_i[d] + step[d]);
            let contained = bounds.contain(&mut x_new, &mut v_new);
            bad.count(i, !contained.is_inside);
            if !contained.finite {
                continue;
            }
            for d in 0..D {
                // The history restarts from uniform motion after a collision, which is no smooth rate.
                velocity_change[d][k] = if contained.free { v_new[d] - v_i[d] } else { 0.0 };
                displacement[d][k] = if contained.free { step[d] } else { dt * v_new[d] };
                (x[d][k], v[d][k]) = (x_new[d], v_new[d]);
            }
        }
        bad
    })
}
