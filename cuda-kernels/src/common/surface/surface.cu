// Cohesion, surface tension and adhesion, for every solver. The twin of `sph-core/src/fluid/surface.rs` (Akinci, Akinci &
// Teschner 2013).
//
// SMOOTHING bell
// WALKS Dense
#include "common/search/near.cuh"
#include "common/surface/surface.cuh"

inline namespace SPH_SPACE {

/// Records [n ρ] with the color normals `n_i = h Σ_j m/ρ_j ∇W_ij`, which point into the fluid.
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
surface_normals(KernelConstants constants, Near fluid /* [0] */, const real* __restrict__ rho, real m, u32 n,
                Packed* __restrict__ normal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{constants};
  const real hm = kernel.support_radius() * m;
  Vec n_i = zero();
  visit(fluid, vector(load(fluid.place, i)), i, [&](u32 j, real, Vec x_ij, real r2) {
    add(n_i, hm / __ldg(rho + j) * kernel.grad_factor(r2), x_ij);
  });
  Packed out = {};
  for (int a = 0; a < DIM; a++) out.a[a] = n_i[a];
  out.a[3] = rho[i];
  normal[i] = out;
}
SHIM_EXPORT(surface_normals)

/// `a_i −= Σ_j K_ij [γ_c m C(r) x_ij/r + γ_κ (n_i − n_j)] + Σ_b β psi_b A(r) x_ib/r` with `K_ij = 2 ρ₀/(ρ_i + ρ_j)`.
/// `normal` is [n ρ], walls are [x y z psi].
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
surface_forces(Surface surface, Near fluid /* [0] */, const Packed* __restrict__ normal, Near walls /* [0] */,
               real m, real rho_0, u32 n, Writable a) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(fluid.place, i));
  const Packed own = load(normal, i);
  const Vec n_i = vector(own);
  const real cohesion = surface.cohesion * m;
  Vec inner = zero(), outer = zero();
  visit(fluid, x_i, i, [&](u32 j, real, Vec x_ij, real r2) {
    const Packed other = load(normal, j);
    const real amplify = real(2) * rho_0 / (own.a[3] + other.a[3]);
    add(inner, -amplify * cohesion * surface.cohesion_kernel.c_over_r(r2), x_ij);
    add(inner, -amplify * surface.curvature, difference(n_i, vector(other)));
  });
  visit(walls, x_i, [&](u32, real psi, Vec x_ib, real r2) {
    add(outer, -surface.adhesion * psi * surface.adhesion_kernel.a_over_r(r2), x_ib);
  });
  for (int k = 0; k < DIM; k++) a.x[k][i] += inner[k] + outer[k];
}
SHIM_EXPORT(surface_forces)

/// Adhesion on the samples of dynamic bodies, opposite to that on the fluid: `F_b += β m psi_b Σ_i A(r) x_ib/r`.
/// Samples are [x y z psi].
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
surface_reaction(Surface surface, Near fluid /* [0] */, const Packed* __restrict__ samples, Sets sets, real m, u32 n,
                 Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Packed r_b = load(samples, b);
  const real strength = -surface.adhesion * r_b.a[3];
  Vec sum = zero();
  visit(fluid, vector(r_b), [&](u32, real, Vec x_bi, real r2) {
    add(sum, strength * surface.adhesion_kernel.a_over_r(r2), x_bi);
  });
  for (int k = 0; k < DIM; k++) force.x[k][b] += m * sum[k];
}
SHIM_EXPORT(surface_reaction)

}  // namespace SPH_SPACE
