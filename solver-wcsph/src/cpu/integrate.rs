//! Kick and drift: streaming loops, where the health of every particle is checked as well.

use sph_core::{
    Real,
    lane::each,
    neighbors::norm2,
    parallel::{self, Merge},
    state::State,
};

/// What a streaming loop found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Largest squared speed, `[m²/s²]`.
    pub v2: Real,
    /// Largest squared acceleration, [m²/s⁴].
    pub a2: Real,
    /// First particle that is not finite or has left the domain.
    pub bad: Option<usize>,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { v2: 0.0, a2: 0.0, bad: None }
    }
}

impl Merge for Extremes {
    fn merge(self, later: Self) -> Self {
        Self { v2: self.v2.max(later.v2), a2: self.a2.max(later.a2), bad: self.bad.or(later.bad) }
    }
}

/// `v ← (v + dt a) damping`. Where that is not finite `v` stays, for the one who looks for the cause.
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
            if !good && found.bad.is_none() {
                found.bad = Some(i);
            }
        }
        found
    })
}

/// `x ← x + dt (v + w)`, wrapped into the periodic box; `w` may be empty. A correction moves a particle by
/// `w_limit` at most, `[m]`. Where the new `x` is not finite the old one stays, as in [`kick`].
pub fn drift<const D: usize>(state: &mut State<D>, w: &[Vec<Real>; D], dt: Real, w_limit: Real) -> Extremes {
    let (n, v, domain) = (state.fluid.len(), &state.fluid.v, state.domain);
    parallel::blocks(n, state.fluid.x.each_mut().map(Vec::as_mut_slice), |range, x| {
        let mut found = Extremes::default();
        let v: [&[Real]; D] = each(|d| &v[d][range.clone()]);
        for (k, i) in range.enumerate() {
            let correction = correction(w, i, dt, w_limit);
            let x_i: [Real; D] = each(|d| x[d][k] + (dt * v[d][k] + correction[d]));
            let x_i = domain.periodic.wrap(x_i);
            let inside = domain.holds(x_i);
            let good = inside || norm2(x_i).is_finite();
            for d in 0..D {
                x[d][k] = if good { x_i[d] } else { x[d][k] };
            }
            if !inside && found.bad.is_none() {
                found.bad = Some(i);
            }
        }
        found
    })
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
