// SMOOTHING CubicSpline Poly6Spiky
//
// Cohesion, surface tension and adhesion in Position Based Fluids (Akinci, Akinci & Teschner 2013). The twin of
// `sph-core/src/fluid/surface.rs`. Unlike `surface.cu` it walks the rows that were listed at the predicted positions: from
// corrected positions, cells would not find all pairs from both sides.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

/// Records [n ρ] with the color normals `n_i = h Σ_j m/ρ_j ∇W_ij`, which point into the fluid. `x_rho` is [x y z ρ].
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_color_normals(Constants c, Rows fluid, const Packed* __restrict__ x_rho, u32 n, Packed* __restrict__ normal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed record = load(x_rho, i);
  const real hm = kernel.support_radius() * c.m;
  Vec n_i = zero();
  visit_points(c, fluid, x_rho, i, vector(record), [&](const Point& j, Vec x_ij, real r2) {
    add(n_i, hm / j.place.a[3] * kernel.grad_factor(r2), x_ij);
  });
  Packed out = {};
  for (int a = 0; a < DIM; a++) out.a[a] = n_i[a];
  out.a[3] = record.a[3];
  normal[i] = out;
}
SHIM_EXPORT(pbf_color_normals)

/// `a_i = −Σ_j K_ij [γ_c m C(r) x_ij/r + γ_κ (n_i − n_j)] − Σ_b β psi_b A(r) x_ib/r` with `K_ij = 2 ρ₀/(ρ_i + ρ_j)`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_tension(Constants c, Rows fluid, Rows walls, const Packed* __restrict__ x_rho, const Packed* __restrict__ normal,
            const Packed* __restrict__ x_psi /* [0] */, u32 n, Writable a) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(x_rho, i));
  const Packed own = load(normal, i);
  const Vec n_i = vector(own);
  const real cohesion = c.surface.cohesion * c.m;
  Vec inner = zero(), outer = zero();
  visit_twofold(c, fluid, x_rho, normal, i, x_i, [&](const Twofold& j, Vec x_ij, real r2) {
    const real amplify = real(2) * c.rho_0 / (own.a[3] + j.beside.a[3]);
    // Curvature does not fade with the distance: only neighbors within the support may count.
    const real near = is_nonzero(max_of(c.kernel.h2 - r2, real(0)));
    add(inner, -amplify * cohesion * c.surface.cohesion_kernel.c_over_r(r2), x_ij);
    add(inner, -amplify * c.surface.curvature * near, difference(n_i, vector(j.beside)));
  });
  visit_points(c, walls, x_psi, i, x_i, [&](const Point& b, Vec x_ib, real r2) {
    add(outer, -c.surface.adhesion * b.place.a[3] * c.surface.adhesion_kernel.a_over_r(r2), x_ib);
  });
  for (int k = 0; k < DIM; k++) a.x[k][i] = inner[k] + outer[k];
}
SHIM_EXPORT(pbf_tension)

/// Reaction to adhesion on the samples of dynamic bodies, added: `F_b += β m psi_b Σ_i A(r) x_ib/r`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_adhesion_reaction(Constants c, Rows rows, const Packed* __restrict__ x_rho /* [0] */,
                      const Packed* __restrict__ x_psi, Sets sets, u32 n, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Packed sample = load(x_psi, b);
  const real strength = -c.surface.adhesion * sample.a[3];
  Vec sum = zero();
  visit_points(c, rows, x_rho, b, vector(sample), [&](const Point&, Vec x_bi, real r2) {
    add(sum, strength * c.surface.adhesion_kernel.a_over_r(r2), x_bi);
  });
  for (int a = 0; a < DIM; a++) force.x[a][b] += c.m * sum[a];
}
SHIM_EXPORT(pbf_adhesion_reaction)

}  // namespace SPH_SPACE
