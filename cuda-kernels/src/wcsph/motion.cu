// What moves particles: drift corrections, kick and drift. The twin of `drift.rs` and `integrate.rs` in
// `solver-wcsph/src/cpu`.
//
// SMOOTHING bell
// WALKS Dense Kept
#include "wcsph/shared.cuh"

inline namespace SPH_SPACE {
using namespace wcsph;

// --------------------------------------------------------------------------------------------------------- drift.rs

/// Shifting (Lind et al. 2012, Sun et al. 2017), as a velocity: `w_i = −A_s v_max h_s Σ_j Δx^D [1 + 0.2 (W_ij/W(Δx))⁴]
/// ∇W_ij`, walls included; `factor` is `A_s h_s`, and `v2_max` the largest squared speed.
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
wcsph_shifting(Constants c, Near fluid, Near walls /* [0] */, u32 n, real factor,
               const double* __restrict__ v2_max /* [1] */, Writable w) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const real of_speed = factor * real(sqrt(*v2_max));
  const Vec x_i = vector(load(fluid.place, i));
  Vec inner = zero(), outer = zero();
  const auto weight = [&](real r2) { return c.volume * shifting(kernel.w(r2), c.inv_w_dx, kernel.grad_factor(r2)); };
  visit(fluid, x_i, i, [&](u32, real, Vec x_ij, real r2) { add(inner, weight(r2), x_ij); });
  visit(walls, x_i, [&](u32, real, Vec x_ib, real r2) { add(outer, weight(r2), x_ib); });
  for (int k = 0; k < DIM; k++) w.x[k][i] = -of_speed * (inner[k] + outer[k]);
}
SHIM_EXPORT(wcsph_shifting)

// ----------------------------------------------------------------------------------------------------- integrate.rs

/// `v ← (v + Δt a) damping`. Where that is not finite v stays, for the diagnosis. `v2` and `a2` get
/// the squares of speed and acceleration, for the step limit.
KERNEL void __launch_bounds__(THREADS)
wcsph_kick(Points a, u32 n, real dt, real damping, Writable v, real* __restrict__ v2, real* __restrict__ a2) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec a_i = a[i];
  Vec v_i;
  for (int k = 0; k < DIM; k++) v_i[k] = (v.x[k][i] + dt * a_i[k]) * damping;
  v2[i] = norm2(v_i), a2[i] = norm2(a_i);
  if (!is_finite(v2[i] + a2[i])) return;
  for (int k = 0; k < DIM; k++) v.x[k][i] = v_i[k];
}
SHIM_EXPORT(wcsph_kick)

/// `x ← x + Δt (v + w)`, wrapped into the periodic box; without corrections `w` is nowhere. A correction moves a
/// particle by `correction_limit` at most. Where the new x is not finite the old one stays, and `lost` is 1; it is so
/// outside of the domain, too.
KERNEL void __launch_bounds__(THREADS)
wcsph_drift(Constants c, Points v, Points w /* [n] or none */, u32 n, real dt, Writable x, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec step = zero();
  if (w.x[0]) {
    for (int k = 0; k < DIM; k++) step[k] = dt * w.x[k][i];
    const real length2 = norm2(step);
    if (length2 > c.correction_limit * c.correction_limit) {
      const real scale = c.correction_limit / sqrt(length2);
      for (int k = 0; k < DIM; k++) step[k] = step[k] * scale;
    }
  }
  bool inside = true;
  for (int k = 0; k < DIM; k++) {
    const real old = x.x[k][i], moved = c.domain.periodic.wrap_axis(k, old + (dt * v.x[k][i] + step[k]));
    inside = inside & (moved >= c.domain.low[k]) & (moved <= c.domain.high[k]);
    if (is_finite(moved)) x.x[k][i] = moved;
  }
  lost[i] = !inside;
}
SHIM_EXPORT(wcsph_drift)

}  // namespace SPH_SPACE
