// SMOOTHING CubicSpline WendlandC2 Poly6Spiky
//
// The surface of the fluid as a constraint on positions, for particles of one mass. The twin of `surface_normals` in
// `velocity.rs` and of `surface_pull` in `correction.rs`, in `solver-pbf/src/cpu`.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

/// Normals of the surface [n̂ ·]: `n_i = h/ρ₀ (Σ_j m ∇W_ij + Σ_b psi_b ∇W_ib)` made a unit vector where it is long
/// enough, zero elsewhere.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_surface_normals(Constants c, Rows fluid, Rows walls, const Packed* __restrict__ place,
                    const Packed* __restrict__ samples /* [0] */, u32 n, Packed* __restrict__ normal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Vec x_i = vector(load(place, i));
  Vec inner = zero(), outer = zero(), n_i;
  visit_points(c, fluid, place, i, x_i,
               [&](const Point&, Vec x_ij, real r2) { add(inner, kernel.grad_factor(r2), x_ij); });
  visit_points(c, walls, samples, i, x_i, [&](const Point& b, Vec x_ib, real r2) {
    add(outer, b.place.a[3] * kernel.grad_factor(r2), x_ib);
  });
  const real scale = kernel.support_radius() / c.rho_0;
  for (int a = 0; a < DIM; a++) n_i[a] = scale * (c.m * inner[a] + outer[a]);
  const real size = sqrt(norm2(n_i));
  Packed out = {};
  for (int a = 0; a < DIM; a++) out.a[a] = size > SURFACE ? n_i[a] / size : real(0);
  normal[i] = out;
}
SHIM_EXPORT(pbf_surface_normals)

/// Surface constraint, averaged over the constraints of a particle and added:
/// `Δx_i −= ½ k/n_i Σ_j [(x_ij·n̂_i) n̂_i + (x_ij·n̂_j) n̂_j]` over the surface particles in reach.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_pull_surface(Constants c, Rows fluid, const Packed* __restrict__ place, const Packed* __restrict__ normal,
                 u32 n, Packed* __restrict__ delta) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec n_i = vector(load(normal, i));
  if (norm2(n_i) == real(0)) return;
  Vec sum = zero();
  real count = real(0);
  visit_twofold(c, fluid, place, normal, i, vector(load(place, i)), [&](const Twofold& j, Vec x_ij, real r2) {
    const Vec n_j = vector(j.beside);
    const real on_surface = is_nonzero(norm2(n_j)) * is_nonzero(max_of(c.kernel.h2 - r2, real(0)));
    add(sum, on_surface, surface_pull(x_ij, n_i, n_j));
    count += on_surface;
  });
  // Each pair is two constraints, one of either normal.
  const real part = c.half_k / max_of(real(2) * count, real(1));
  for (int a = 0; a < DIM; a++) delta[i].a[a] -= part * sum[a];
}
SHIM_EXPORT(pbf_pull_surface)

}  // namespace SPH_SPACE
