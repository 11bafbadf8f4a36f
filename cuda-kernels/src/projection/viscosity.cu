// Implicit viscosity of the staggered projection, with the matrix of the pressure, and XSPH. The twin of
// `viscosity.rs` in `solver-projection/src/cpu`.
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// Viscous drag of walls, `[Σ_k a_ik w² τ β v_k | Σ_k a_ik w² τ β]`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_drag(Constants c, Near near, const Packed* __restrict__ place, u32 n, Packed* __restrict__ drag) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i);
  Vec carried = zero();
  real sum = real(0);
  visit_ghosts(c, near, i, vector(here), [&](const Ghost& k, Vec x_ik, real r2) {
    const real weight = drag_of(c, k, x_ik, r2);
    add(carried, weight, vector(k.motion));
    sum += weight;
  });
  drag[i] = quad(scaled(here.a[3], carried), here.a[3] * sum);
}
SHIM_EXPORT(projection_drag)

/// The diagonal of the viscous equation, `1 + scale (Σ_j a w² + Σ_k a w² τ β)`.
KERNEL void __launch_bounds__(THREADS)
projection_viscous_diagonal(real scale, const Packed* __restrict__ sums, const Packed* __restrict__ drag, u32 n,
                            real* __restrict__ diagonal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed sum = load(sums, i);
  diagonal[i] = real(1) + scale * (sum.a[0] + sum.a[3] + load(drag, i).a[3]);
}
SHIM_EXPORT(projection_viscous_diagonal)

/// Its right-hand side on an axis, `v* + scale Σ_k a w² τ β v_k`.
KERNEL void __launch_bounds__(THREADS)
projection_viscous_right_hand_side(real scale, const Packed* __restrict__ drag, u32 axis, const real* __restrict__ v, u32 n,
                        real* __restrict__ b) {
  const u32 i = thread_index();
  if (i < n) b[i] = v[i] + scale * drag[i].a[axis];
}
SHIM_EXPORT(projection_viscous_right_hand_side)

/// XSPH (Schechter & Bridson 2012): `v_i += c Σ_j 2m/(ρ_i + ρ_j) (v_j − v_i) W_ij`, ghosts with the part τ. `motion`
/// is [v ρ]. Where that is not finite v stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_xsph(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion, u32 n,
                Writable v, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const CubicSpline kernel{c.kernel};
  const Packed moving = load(motion, i);
  const Vec x_i = vector(load(place, i)), v_i = vector(moving);
  Vec inner = zero(), outer = zero();
  visit_twofold(c, near.fluid, place, motion, i, x_i, [&](const Twofold& j, Vec, real r2) {
    add(inner, xsph(c.m, moving.a[3], j.beside.a[3], kernel.w(r2)), difference(vector(j.beside), v_i));
  });
  visit_twofold(c, near.walls, near.ghosts.samples, near.ghosts.motion, i, x_i,
                [&](const Twofold& k, Vec, real r2) {
                  const real weight = k.beside.a[3] * xsph(c.m, moving.a[3], c.rho_0, kernel.w(r2));
                  add(outer, weight, difference(vector(k.beside), v_i));
                });
  for (int a = 0; a < DIM; a++) inner[a] = v_i[a] + c.xsph * (inner[a] + outer[a]);
  if (is_finite(norm2(inner))) {
    put(v, i, inner);
  } else {
    lost[i] = 1u;
  }
}
SHIM_EXPORT(projection_xsph)

}  // namespace SPH_SPACE
