// Time integration: forces, prediction, velocities. The twin of `integration.rs` in
// `solver-viscoelastic/src/cpu`.
#include "viscoelastic/shared.cuh"

inline namespace SPH_SPACE {
using namespace visco;

/// `v ← v + dt a(x)`. Where that is not finite v stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS)
visco_kick(Constants c, Points x, u32 n, real dt, Writable v, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec v_new = c.forces.acceleration(x[i]);
  bool finite = true;
  for (int d = 0; d < DIM; d++) {
    v_new[d] = v.x[d][i] + dt * v_new[d];
    finite = finite & is_finite(v_new[d]);
  }
  if (!finite) {
    lost[i] = 1u;
    return;
  }
  for (int d = 0; d < DIM; d++) v.x[d][i] = v_new[d];
}
SHIM_EXPORT(visco_kick)

/// `x* = x + dt v`, wrapped into the periodic box. Where that is not finite x stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS)
visco_predict(Constants c, Points v, u32 n, real dt, Writable x, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec ahead;
  for (int d = 0; d < DIM; d++) ahead[d] = x.x[d][i] + dt * v.x[d][i];
  ahead = c.domain.periodic.wrap(ahead);
  bool finite = true;
  for (int d = 0; d < DIM; d++) finite = finite & is_finite(ahead[d]);
  if (!finite) {
    lost[i] = 1u;
    return;
  }
  for (int d = 0; d < DIM; d++) x.x[d][i] = ahead[d];
}
SHIM_EXPORT(visco_predict)

/// `v = (v* + (x_relaxed − x*)/dt) damping`: equal to `(x − x_prev)/dt` without its loss of digits; and `x =
/// x_relaxed`, wrapped into the periodic box. Where these are not finite `v*` and `x*` stay, for the diagnosis. `v2`
/// and `gain2` get squared speeds and changes of velocity; `lost` becomes 1 where a number is not finite, and outside
/// of the domain.
KERNEL void __launch_bounds__(THREADS)
visco_update_velocities(Constants c, const Packed* __restrict__ position, u32 n, real inv_dt, real damping, Writable x,
                        Writable v, real* __restrict__ v2, real* __restrict__ gain2, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec relaxed = vector(load(position, i)), x_new = c.domain.periodic.wrap(relaxed);
  Vec gain, v_new;
  for (int d = 0; d < DIM; d++) {
    gain[d] = (relaxed[d] - x.x[d][i]) * inv_dt;
    v_new[d] = (v.x[d][i] + gain[d]) * damping;
  }
  const bool finite = is_finite(norm2(v_new));
  bool somewhere = true;
  for (int d = 0; d < DIM; d++) somewhere = somewhere & is_finite(x_new[d]);
  if (!(finite & c.domain.holds(x_new))) lost[i] = 1u;
  v2[i] = norm2(v_new), gain2[i] = norm2(gain);
  for (int d = 0; d < DIM; d++) {
    if (somewhere) x.x[d][i] = x_new[d];
    if (finite) v.x[d][i] = v_new[d];
  }
}
SHIM_EXPORT(visco_update_velocities)

}  // namespace SPH_SPACE
