//! Kick and drift: streaming loops, where the health of every particle is checked as well.

use sph_core::{
    Real,
    method::state::State,
    numerics::{
        lane::each,
        parallel::{self, First, Merge},
        vector::norm2,
    },
};

/// What a streaming loop found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Largest squared speed, `[m²/s²]`.
    pub v2: Real,
    /// Largest squared acceleration, [m²/s⁴].
    pub a2: Real,
    /// First particle whose velocity or acceleration is not finite.
    pub bad: First,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { v2: 0.0, a2: 0.0, bad: First::NONE }
    }
}

impl Merge for Extremes {
    fn merge(self, later: Self) -> Self {
        Self { v2: self.v2.max(later.v2), a2: self.a2.max(later.a2), bad: self.bad.merge(later.bad) }
    }
}

/// `v ← (v + dt a) damping`. Where that is not finite `v` stays, for the diagnosis.
pub fn kick<const D: usize>(state: &mut State<D>, a: &[Vec<Real>; D], dt: Real, damping: Real) -> Extremes {
    let n = state.fluid.len();
    parallel::blocks(n, state.fluid.v.each_mut().map(Vec::as_mut_slice), |range, v| {
        let mut found = Extremes::default();
        let a: [&[Real]; D] = each(|d| &a[d][range.clone()]);
        for (k, i) in range.enumerate() {
            let a_i: [Real; D] = each(|d| a[d][k]);
            let v_i: [Real; D] = each(|d| (v[d][k] + dt * a_i[d]) * damping);
            let (v2, a2) = (norm2(v_i), norm2(a_i));
            let good = (v2 + a2).is_finite();
            for d in 0..D {
                v[d][k] = if good { v_i[d] } else { v[d][k] };
            }
            found.v2 = found.v2.max(v2);
            found.a2 = found.a2.max(a2);
            found.bad.count(i, !good);
        }
        found
    })
}

/// `x ← x + dt (v + w)`, wrapped into the periodic box; `w` may be empty. A correction moves a particle by
/// `w_limit` at most, `[m]`. Where the new `x` is not finite the old one stays, as in [`kick`]. Returns the first
/// particle of which this is so, or that has left the domain.
pub fn drift<const D: usize>(state: &mut State<D>, w: &[Vec<Real>; D], dt: Real, w_limit: Real) -> First {
    let (n, v, domain, free) = (state.fluid.len(), &state.fluid.v, state.domain, w[0].is_empty());
    let all_inside = parallel::blocks(n, state.fluid.x.each_mut().map(Vec::as_mut_slice), |range, x| {
        let mut inside = true;
        // Axis by axis, and apart from what few scenes need: the plain sum then fits into lanes.
        for (d, x) in x.into_iter().enumerate() {
            let (v, bounds) = (&v[d][range.clone()], (domain.low[d], domain.high[d]));
            inside &= if free && !domain.periodic.is_periodic(d) {
                advance(x, v, bounds, |_, x, v| x + dt * v)
            } else {
                advance(x, v, bounds, |k, x, v| {
                    let correction = correction(w, range.start + k, dt, w_limit)[d];
                    domain.periodic.wrap_axis(d, x + (dt * v + correction))
                })
            };
        }
        Inside(inside)
    });
    match all_inside {
        Inside(true) => First::NONE,
        Inside(false) => first_lost(state, w, dt, w_limit),
    }
}

/// Moves coordinates to where `to` says, but for those that would not be finite. True when all are inside.
#[inline(always)]
fn advance(
    x: &mut [Real],
    v: &[Real],
    (low, high): (Real, Real),
    to: impl Fn(usize, Real, Real) -> Real,
) -> bool {
    let mut inside = true;
    for (k, (x, &v)) in x.iter_mut().zip(v).enumerate() {
        let moved = to(k, *x, v);
        inside &= (moved >= low) & (moved <= high);
        *x = if moved.is_finite() { moved } else { *x };
    }
    inside
}

/// Whether all particles are inside the domain.
struct Inside(bool);

impl Merge for Inside {
    fn merge(self, later: Self) -> Self {
        Self(self.0 & later.0)
    }
}

/// The first particle that is not inside the domain after a drift, or was left where it was on an axis. Looked
/// for only when there is one: an index in the loop above would cost as much as all else in it.
#[cold]
fn first_lost<const D: usize>(state: &State<D>, w: &[Vec<Real>; D], dt: Real, w_limit: Real) -> First {
    let (fluid, domain) = (&state.fluid, &state.domain);
    let is_lost = |&i: &usize| {
        let (x, v, correction) = (fluid.position(i), fluid.velocity(i), correction(w, i, dt, w_limit));
        // Where it was left, the same sum is not finite again.
        let again: [Real; D] = each(|d| x[d] + (dt * v[d] + correction[d]));
        !domain.holds(x) || !domain.periodic.wrap(again).iter().all(|x| x.is_finite())
    };
    First::from((0..fluid.len()).find(is_lost))
}

/// Brings back the particles that have left a container, and turns their velocity.
pub fn contain<const D: usize>(state: &mut State<D>) {
    let containers = &state.containers;
    let outputs =
        (state.fluid.x.each_mut().map(Vec::as_mut_slice), state.fluid.v.each_mut().map(Vec::as_mut_slice));
    parallel::blocks(state.fluid.id.len(), outputs, |range, (x, v)| {
        for k in 0..range.len() {
            let mut x_i: [Real; D] = std::array::from_fn(|d| x[d][k]);
            let mut v_i: [Real; D] = std::array::from_fn(|d| v[d][k]);
            for container in containers {
                container.collide(&mut x_i, &mut v_i);
            }
            for d in 0..D {
                (x[d][k], v[d][k]) = (x_i[d], v_i[d]);
            }
        }
    });
}

/// `dt w_i`, no longer than `limit`.
#[inline(always)]
fn correction<const D: usize>(w: &[Vec<Real>; D], i: usize, dt: Real, limit: Real) -> [Real; D] {
    if w[0].is_empty() {
        return [0.0; D];
    }
    let step: [Real; D] = each(|d| dt * w[d][i]);
    let length2 = norm2(step);
    if length2 <= limit * limit {
        return step;
    }
    let scale = limit / length2.sqrt();
    each(|d| step[d] * scale)
}
