// Streaming loops of the staggered projection over velocities and positions. The twin of `motion.rs`, and of
// `pack_velocities` in `pack.rs`, in `solver-projection/src/cpu`.
#include "common/boundary/loads.cuh"
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// `v ← v + dt a(x)`. Where that is not finite v stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS)
projection_kick(Constants c, Points x, u32 n, real dt, Writable v, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec v_new = c.forces.acceleration(x[i]);
  for (int a = 0; a < DIM; a++) v_new[a] = v.x[a][i] + dt * v_new[a];
  if (is_finite(norm2(v_new))) {
    put(v, i, v_new);
  } else {
    lost[i] = 1u;
  }
}
SHIM_EXPORT(projection_kick)

/// Records [v ρ]. `lost` becomes 1 where a number of them is not finite.
KERNEL void __launch_bounds__(THREADS)
projection_pack_velocities(Points v, const real* __restrict__ rho, u32 n, Packed* __restrict__ motion,
                           u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed record = quad(v[i], rho[i]);
  real check = real(0);
  for (int k = 0; k < 4; k++) check += real(0) * record.a[k];
  if (!is_finite(check)) lost[i] = 1u;
  motion[i] = record;
}
SHIM_EXPORT(projection_pack_velocities)

/// What shifting reads.
struct Shift {
  /// [Σ w n | α].
  const Packed* moments;
  /// [N | 1 in the surface region].
  const Packed* region /* [n if c.has_surface_region != 0] */;
  /// The largest squared speed, [m²/s²].
  const double* v2 /* [1] */;

  /// The displacement of a particle towards where neighbors are missing, in the surface region along the surface, [m].
  SPH_FN Vec of(const Constants& c, u32 i, real dt) const {
    if (!(c.shift > real(0))) return zero();
    Vec w_n = vector(load(moments, i));
    const Packed edge = load(region, i);
    const Vec normal = vector(edge);
    const real normal2 = norm2(normal);
    if (edge.a[3] != real(0) && normal2 != real(0)) add(w_n, real(0) - dot(w_n, normal) / normal2, normal);
    const real fastest = real(sqrt(fmax(*v2, 0.0)));
    const Vec displacement = scaled(c.shift * dt * fastest / c.alpha, w_n);
    const real length2 = norm2(displacement);
    return length2 <= c.longest * c.longest ? displacement : scaled(c.longest / sqrt(length2), displacement);
  }
};

/// How a step drifts particles.
struct Drift {
  Shift shift;
  /// The step, [s].
  real dt;
  /// What is left of a velocity, [-].
  real damping;

  /// `v damping`, and `x + dt v` with what shifting adds, wrapped into the periodic box.
  SPH_FN Free advance(const Constants& c, u32 i, Vec x, Vec v) const {
    const Vec displacement = shift.of(c, i, dt);
    v = scaled(damping, v);
    for (int a = 0; a < DIM; a++) x[a] = x[a] + (dt * v[a] + displacement[a]);
    return {c.domain.periodic.wrap(x), v};
  }
};

/// Sums what the container `last` is about to give to particles over their mass, and moves none.
// THEN merge_given
KERNEL void __launch_bounds__(REDUCE_THREADS, GIVEN_BLOCKS)
projection_given_by_container(Constants c, Containers containers, u32 last, Drift drift, u32 n, Points x, Points v,
                              Wrench* __restrict__ partial) {
  sum_given(containers, last, 0.0, n, partial, [&](u32 i) { return drift.advance(c, i, x[i], v[i]); });
}
SHIM_EXPORT(projection_given_by_container)

/// `v ← v damping`, `x ← x + dt v`, with what shifting adds, wrapped into the periodic box and kept inside of the
/// containers. Where the new x is not finite the old one stays. `v2` gets squared speeds; `lost` becomes 1 where a
/// number is not finite, and outside of the domain.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
projection_drift(Constants c, Containers containers, Drift drift, u32 n, Writable x, Writable v,
                 real* __restrict__ v2, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Free free = drift.advance(c, i, vector_at(x, i), vector_at(v, i));
  Vec x_i = free.x, v_i = free.v;
  containers.collide(x_i, v_i);
  bool good = true;
  for (int a = 0; a < DIM; a++) good = good & is_finite(x_i[a]);
  const real speed2 = norm2(v_i);
  v2[i] = speed2;
  if (!(good & is_finite(speed2) & c.domain.holds(x_i))) lost[i] = 1u;
  if (good) put(x, i, x_i);
  put(v, i, v_i);
}
SHIM_EXPORT(projection_drift)

}  // namespace SPH_SPACE
