// SMOOTHING CubicSpline Poly6Spiky
//
// Reaction forces on dynamic bodies (Akinci et al. 2012), opposite to what the fluid got from their samples. The twin of
// `reaction.rs` in `solver-pbf/src/cpu`.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

/// Relaxes λ̂ like the corrections.
KERNEL void __launch_bounds__(THREADS)
pbf_relax_lambda(Constants c, const Packed* __restrict__ delta, u32 n, Packed* __restrict__ x_lambda) {
  const u32 i = thread_index();
  if (i < n) x_lambda[i].a[3] *= relaxation_of(c, load(delta, i).a[3]);
}
SHIM_EXPORT(pbf_relax_lambda)

/// Forces on samples of bodies, added: `F_b −= Σ_i m Δx_ib/Δt²`, with `m Δx_ib = m λ̂_i/ρ₀ psi_b ∇W_ib`. `factor` is
/// `m/(ρ₀ Δt²)`, with the change of velocity over the displacement that makes it for one of the 1/Δt, [m³/s²].
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_correction_reaction(Constants c, Rows rows, const Packed* __restrict__ x_lambda /* [0] */,
                        const Packed* __restrict__ x_psi, Sets sets, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Kernel kernel{c.kernel};
  const Packed sample = load(x_psi, b);
  Vec sum = zero();
  visit_points(c, rows, x_lambda, b, vector(sample), [&](const Point& i, Vec x_bi, real r2) {
    add(sum, i.place.a[3] * kernel.grad_factor(r2), x_bi);
  });
  // x_ib = −x_bi
  for (int a = 0; a < DIM; a++) force.x[a][b] += factor * sample.a[3] * sum[a];
}
SHIM_EXPORT(pbf_correction_reaction)

}  // namespace SPH_SPACE
