// SMOOTHING CubicSpline WendlandC2 Poly6Spiky
//
// What moves particles in Position Based Fluids: prediction, and the corrected positions. The twin of `predict.rs` and
// of `commit` in `pack.rs`, in `solver-pbf/src/cpu`.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

// ------------------------------------------------------------------------------------------------------- predict.rs

/// How a particle was left.
struct Settled {
  /// It was inside of the containers already.
  bool free;
  /// It has finite numbers.
  bool finite;
  /// It is inside of the domain, too.
  bool good;
};

/// Brings a predicted particle back into containers and the periodic box.
SPH_FN Settled settle(const Domain& domain, const Containers& containers, Vec& x, Vec& v) {
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

/// `v* = v + dt a(x)`, `x* = x + dt v*`, then inside of the containers and the periodic box. Where that is not finite
/// both stay, for the one who looks for the cause, and `lost` becomes 1; it does so outside of the domain, too.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
pbf_predict(Constants c, Containers containers, u32 n, real dt, Writable x, Writable v, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec x_i = vector_at(x, i), v_i = vector_at(v, i);
  const Vec a = c.forces.acceleration(x_i);
  for (int d = 0; d < DIM; d++) v_i[d] = v_i[d] + dt * a[d];
  for (int d = 0; d < DIM; d++) x_i[d] = x_i[d] + dt * v_i[d];
  const Settled settled = settle(c.domain, containers, x_i, v_i);
  if (!settled.good) lost[i] = 1u;
  if (!settled.finite) return;
  put(x, i, x_i), put(v, i, v_i);
}
SHIM_EXPORT(pbf_predict)

/// The same by backward differences of second order:
/// `v* = v + (κ² Δv_n + (1 + κ) dt a)/(1 + 2κ)`, `x* = x + (κ² Δx_n + (1 + κ) dt v*)/(1 + 2κ)`. The acceleration is that
/// at the end of the step, where the last way, gone on, leads: `a(x + κ Δx_n)`. Where there is no past yet (`is_new`),
/// that of an even acceleration is made up. Way and change of velocity become the predicted ones.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
pbf_predict_from_past(Constants c, Containers containers, Bdf2 bdf2, u32 is_new /* bool */, u32 n, real dt,
                      Writable x, Writable v, Past past, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector_at(x, i), v_i = vector_at(v, i);
  Vec way = vector_at(past.way, i), gain = vector_at(past.gain, i);
  if (is_new) {
    const Vec a = c.forces.acceleration(x_i);
    for (int d = 0; d < DIM; d++) {
      gain[d] = dt * a[d];
      way[d] = dt * (v_i[d] - real(0.5) * dt * a[d]);
    }
    put(past.way, i, way), put(past.gain, i, gain);
  }
  Vec ahead, x_new, v_new, step;
  for (int d = 0; d < DIM; d++) ahead[d] = x_i[d] + bdf2.kappa * way[d];
  const Vec a = c.forces.acceleration(ahead);
  for (int d = 0; d < DIM; d++) {
    v_new[d] = v_i[d] + bdf2.change(gain[d], dt * a[d]);
    step[d] = bdf2.change(way[d], dt * v_new[d]);
    x_new[d] = x_i[d] + step[d];
  }
  const Settled settled = settle(c.domain, containers, x_new, v_new);
  if (!settled.good) lost[i] = 1u;
  if (!settled.finite) return;
  // A collision is no rate that goes on: behind it the past is that of even motion.
  for (int d = 0; d < DIM; d++) {
    gain[d] = settled.free ? v_new[d] - v_i[d] : real(0);
    way[d] = settled.free ? step[d] : dt * v_new[d];
  }
  put(past.gain, i, gain), put(past.way, i, way);
  put(x, i, x_new), put(v, i, v_new);
}
SHIM_EXPORT(pbf_predict_from_past)

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// The corrected positions, wrapped into the periodic box. Where a velocity is not finite that of `motion` comes back,
/// the one before XSPH, if there is one. `lost` becomes 1 there, and outside of the domain. `v2` gets squared speeds.
KERNEL void __launch_bounds__(THREADS)
pbf_commit(Constants c, const Packed* __restrict__ place, const Packed* __restrict__ motion /* [n] or none */, u32 n,
           Writable x, Writable v, real* __restrict__ v2, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = c.domain.periodic.wrap(vector(load(place, i)));
  const real speed2 = norm2(vector_at(v, i));
  const bool finite = is_finite(speed2);
  v2[i] = speed2;
  if (!(finite & c.domain.holds(x_i))) lost[i] = 1u;
  put(x, i, x_i);
  if (!finite && motion) put(v, i, vector(load(motion, i)));
}
SHIM_EXPORT(pbf_commit)

}  // namespace SPH_SPACE
