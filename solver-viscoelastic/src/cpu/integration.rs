//! Time integration: forces, prediction, velocities.

use sph_core::{
    Real,
    method::state::State,
    numerics::{
        lane::each,
        parallel::{self, Extremes, First},
        vector::norm2,
    },
};

/// `v ← v + dt a(x)`. Returns the first particle whose velocity was not finite.
pub fn kick<const D: usize>(state: &mut State<D>, dt: Real) -> First {
    let (forces, x) = (state.forces, &state.fluid.x);
    let n = x[0].len();
    parallel::blocks(n, state.fluid.v.each_mut().map(Vec::as_mut_slice), |range, v| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let a = forces.acceleration(each(|d| x[d][i]));
            bad.count(i, !all_finite::<D>(each(|d| v[d][k])));
            for d in 0..D {
                v[d][k] += dt * a[d];
            }
        }
        bad
    })
}

/// True where all components are finite, also where their squares overflow.
pub fn all_finite<const D: usize>(a: [Real; D]) -> bool {
    a.iter().fold(true, |finite, a| finite & a.is_finite())
}

/// `x* = x + dt v`, wrapped into the periodic box. Where that is not finite x stays. Returns the first such
/// particle.
pub fn predict<const D: usize>(state: &mut State<D>, dt: Real) -> First {
    let (periodic, v) = (state.domain.periodic, &state.fluid.v);
    let n = v[0].len();
    parallel::blocks(n, state.fluid.x.each_mut().map(Vec::as_mut_slice), |range, x| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let x_new = periodic.wrap(each(|d| x[d][k] + dt * v[d][i]));
            let finite = all_finite(x_new);
            bad.count(i, !finite);
            for d in 0..D {
                x[d][k] = if finite { x_new[d] } else { x[d][k] };
            }
        }
        bad
    })
}

/// `v = (v* + (x_relaxed − x*)/dt) damping`: equal to `(x − x_prev)/dt` without its loss of digits; and `x =
/// x_relaxed`, wrapped into the periodic box. Where the velocity is not finite `v*` stays. Returns the largest
/// squared change of velocity with the first particle that is not finite or outside, and the largest squared speed.
pub fn update_velocities<const D: usize>(
    state: &mut State<D>,
    position: &[[Real; 4]],
    inv_dt: Real,
    damping: Real,
) -> (Extremes, Extremes) {
    let domain = state.domain;
    let fluid = &mut state.fluid;
    let n = fluid.id.len();
    let rho = &fluid.rho;
    let outputs = (fluid.x.each_mut().map(Vec::as_mut_slice), fluid.v.each_mut().map(Vec::as_mut_slice));
    parallel::blocks(n, outputs, |range, (x, v)| {
        let (mut change, mut speed) = (Extremes::default(), Extremes::default());
        for (k, i) in range.enumerate() {
            let gain: [Real; D] = each(|d| (position[i][d] - x[d][k]) * inv_dt);
            let v_i: [Real; D] = each(|d| (v[d][k] + gain[d]) * damping);
            let x_i = domain.periodic.wrap(each(|d| position[i][d]));
            let finite = norm2(v_i).is_finite();
            change.square = change.square.max(norm2(gain));
            change.bad.count(i, !(finite & domain.holds(x_i) & rho[i].is_finite()));
            speed.square = speed.square.max(norm2(v_i));
            for d in 0..D {
                x[d][k] = x_i[d];
                v[d][k] = if finite { v_i[d] } else { v[d][k] };
            }
        }
        (change, speed)
    })
}
