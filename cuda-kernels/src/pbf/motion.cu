// SMOOTHING CubicSpline Poly6Spiky
//
// What moves particles in Position Based Fluids: prediction, and the corrected positions. The twin of `predict.rs` and
// of `store_positions` in `pack.rs`, in `solver-pbf/src/cpu`.
#include "common/boundary/loads.cuh"
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

// ------------------------------------------------------------------------------------------------------- predict.rs

/// How a predicted particle was left.
struct Contained {
  /// No container has moved it.
  bool free;
  /// Position and velocity are finite.
  bool finite;
  /// It is finite and inside of the domain.
  bool is_inside;
};

/// Moves a predicted particle into containers and the periodic box.
SPH_FN Contained contain(const Domain& domain, const Containers& containers, Vec& x, Vec& v) {
  const bool free = !containers.collide(x, v);
  bool finite = true;
  for (int a = 0; a < DIM; a++) finite = finite & is_finite(x[a] + v[a]);
  x = domain.periodic.wrap(x);
  return {free, finite, finite && domain.holds(x)};
}

SPH_FN Vec vector_at(const Writable& from, u32 i) {
  Vec v;
  for (int a = 0; a < DIM; a++) v[a] = from.x[a][i];
  return v;
}

SPH_FN void put(const Writable& to, u32 i, Vec v) {
  for (int a = 0; a < DIM; a++) to.x[a][i] = v[a];
}

/// `x* = x + dt v*` and `v* = v + dt a(x)`.
SPH_FN Free free_motion(const Constants& c, real dt, Vec x, Vec v) {
  const Vec a = c.forces.acceleration(x);
  for (int d = 0; d < DIM; d++) v[d] = v[d] + dt * a[d];
  for (int d = 0; d < DIM; d++) x[d] = x[d] + dt * v[d];
  return {x, v};
}

/// Sums what the container `last` is about to give to particles over their mass in the prediction, and moves none.
// THEN merge_given
KERNEL void __launch_bounds__(REDUCE_THREADS, GIVEN_BLOCKS)
pbf_given_in_prediction(Constants c, Containers containers, u32 last, u32 n, real dt, Points x, Points v,
                        Wrench* __restrict__ partial) {
  sum_given(containers, last, 0.0, n, partial, [&](u32 i) { return free_motion(c, dt, x[i], v[i]); });
}
SHIM_EXPORT(pbf_given_in_prediction)

/// The prediction, then inside of the containers and the periodic box. Where that is not finite position and velocity
/// stay, for the diagnosis, and `lost` becomes 1; it does so outside of the domain, too.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
pbf_predict(Constants c, Containers containers, u32 n, real dt, Writable x, Writable v, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Free free = free_motion(c, dt, vector_at(x, i), vector_at(v, i));
  Vec x_i = free.x, v_i = free.v;
  const Contained contained = contain(c.domain, containers, x_i, v_i);
  if (!contained.is_inside) lost[i] = 1u;
  if (!contained.finite) return;
  put(x, i, x_i), put(v, i, v_i);
}
SHIM_EXPORT(pbf_predict)

/// The same by backward differences of second order:
/// `v* = v + (κ² Δv_n + (1 + κ) dt a)/(1 + 2κ)`, `x* = x + (κ² Δx_n + (1 + κ) dt v*)/(1 + 2κ)`. The acceleration is that
/// at the end of the step, at the extrapolated position: `a(x + κ Δx_n)`. Without a past (`is_new`), that of a uniform
/// acceleration takes its place. Displacement and change of velocity become the predicted ones.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
pbf_predict_from_past(Constants c, Containers containers, Bdf2 bdf2, u32 is_new /* bool */, u32 n, real dt,
                      Writable x, Writable v, Past past, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector_at(x, i), v_i = vector_at(v, i);
  Vec displacement = vector_at(past.displacement, i), velocity_change = vector_at(past.velocity_change, i);
  if (is_new) {
    const Vec a = c.forces.acceleration(x_i);
    for (int d = 0; d < DIM; d++) {
      velocity_change[d] = dt * a[d];
      displacement[d] = dt * (v_i[d] - real(0.5) * dt * a[d]);
    }
    put(past.displacement, i, displacement), put(past.velocity_change, i, velocity_change);
  }
  Vec ahead, x_new, v_new, step;
  for (int d = 0; d < DIM; d++) ahead[d] = x_i[d] + bdf2.kappa * displacement[d];
  const Vec a = c.forces.acceleration(ahead);
  for (int d = 0; d < DIM; d++) {
    v_new[d] = v_i[d] + bdf2.change(velocity_change[d], dt * a[d]);
    step[d] = bdf2.change(displacement[d], dt * v_new[d]);
    x_new[d] = x_i[d] + step[d];
  }
  const Contained contained = contain(c.domain, containers, x_new, v_new);
  if (!contained.is_inside) lost[i] = 1u;
  if (!contained.finite) return;
  // The history restarts from uniform motion after a collision, which is no smooth rate.
  for (int d = 0; d < DIM; d++) {
    velocity_change[d] = contained.free ? v_new[d] - v_i[d] : real(0);
    displacement[d] = contained.free ? step[d] : dt * v_new[d];
  }
  put(past.velocity_change, i, velocity_change), put(past.displacement, i, displacement);
  put(x, i, x_new), put(v, i, v_new);
}
SHIM_EXPORT(pbf_predict_from_past)

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// The corrected positions, wrapped into the periodic box. Where a velocity is not finite that of `v_rho`, before XSPH,
/// takes its place if there is one. `lost` becomes 1 there, and outside of the domain. `v2` gets squared speeds.
KERNEL void __launch_bounds__(THREADS)
pbf_store_positions(Constants c, const Packed* __restrict__ x_star, const Packed* __restrict__ v_rho /* [n] or none */, u32 n,
           Writable x, Writable v, real* __restrict__ v2, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = c.domain.periodic.wrap(vector(load(x_star, i)));
  const real speed2 = norm2(vector_at(v, i));
  const bool finite = is_finite(speed2);
  v2[i] = speed2;
  if (!(finite & c.domain.holds(x_i))) lost[i] = 1u;
  put(x, i, x_i);
  if (!finite && v_rho) put(v, i, vector(load(v_rho, i)));
}
SHIM_EXPORT(pbf_store_positions)

}  // namespace SPH_SPACE
