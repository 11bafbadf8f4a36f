// Implicit viscosity of the staggered projection, with the matrix of the pressure or along lines of centers, and XSPH. The
// twin of `viscosity.rs` and `stress.rs` in `solver-projection/src/cpu`; products of the second stand in `cg.cu`.
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

/// `1/α` of those that take part in viscosity along lines of centers, `α = Σ_j w + Σ_k τ w`. Walls without friction are left out
/// like the air, since the stress along them is 0, too.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_partners(Constants c, Near near, const Packed* __restrict__ place, u32 n, real* __restrict__ inv_alpha) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(place, i));
  real inner = real(0), outer = real(0);
  visit_points(c, near.fluid, place, i, x_i, [&](const Point&, Vec, real r2) { inner += c.weight.central(r2).w; });
  visit_twofold(c, near.walls, near.ghosts.samples, near.ghosts.motion, i, x_i,
                [&](const Twofold& k, Vec, real r2) { outer += k.beside.a[3] * c.weight.central(r2).w; });
  const real alpha = inner + outer;
  inv_alpha[i] = real(1) / (alpha < c.least_central ? c.least_central : alpha);
}
SHIM_EXPORT(projection_partners)

/// `1/α` into `place`.
KERNEL void __launch_bounds__(THREADS)
projection_put_partners(const real* __restrict__ inv_alpha, u32 n, Packed* __restrict__ place) {
  const u32 i = thread_index();
  if (i < n) place[i].a[3] = inv_alpha[i];
}
SHIM_EXPORT(projection_put_partners)

/// The diagonal of that viscous equation, `1 + scale (Σ_j a_ij w² n n + Σ_k a_ik w² τ β n n)`, its right-hand side,
/// `v* + scale Σ_k a_ik w² τ β n n·v_k`, and the velocities that it begins with, all axis after axis.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_set_up_stress(Constants c, Near near, const Packed* __restrict__ place, real scale, Points v, u32 n,
                         real* __restrict__ diagonal /* [n * D] */, real* __restrict__ b /* [n * D] */,
                         real* __restrict__ x /* [n * D] */) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i);
  Vec inner = zero(), outer = zero(), carried = zero();
  visit_points(c, near.fluid, place, i, vector(here), [&](const Point& j, Vec x_ij, real r2) {
    const CentralWeights at = c.weight.central(r2);
    const Vec n_ij = scaled(at.inv_r, x_ij);
    const real weight = (here.a[3] + j.place.a[3]) * at.w2;
    for (int a = 0; a < DIM; a++) inner[a] += weight * n_ij[a] * n_ij[a];
  });
  visit_ghosts(c, near, i, vector(here), [&](const Ghost& k, Vec x_ik, real r2) {
    const Friction at = friction(c, k, x_ik, r2);
    const real weight = here.a[3] * at.weight, along = weight * dot(at.n, vector(k.motion));
    for (int a = 0; a < DIM; a++) outer[a] += weight * at.n[a] * at.n[a], carried[a] += along * at.n[a];
  });
  const Vec v_i = v[i];
  for (int a = 0; a < DIM; a++) {
    const u64 at = u64(a) * n + i;
    diagonal[at] = real(1) + scale * (inner[a] + outer[a]), b[at] = v_i[a] + scale * carried[a], x[at] = v_i[a];
  }
}
SHIM_EXPORT(projection_set_up_stress)

/// Velocities of a field that has them axis after axis.
KERNEL void __launch_bounds__(THREADS)
projection_take_velocities(const real* __restrict__ x /* [n * D] */, u32 n, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  for (int a = 0; a < DIM; a++) v.x[a][i] = x[u64(a) * n + i];
}
SHIM_EXPORT(projection_take_velocities)

/// Adds to them what is left of the residual.
KERNEL void __launch_bounds__(THREADS)
projection_add_residual(const real* __restrict__ r /* [n * D] */, u32 n, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  for (int a = 0; a < DIM; a++) v.x[a][i] += r[u64(a) * n + i];
}
SHIM_EXPORT(projection_add_residual)

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
