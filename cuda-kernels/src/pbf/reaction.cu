// SMOOTHING CubicSpline WendlandC2 Poly6Spiky
//
// What dynamic bodies get from the fluid (Akinci et al. 2012): the opposite of what it got from their samples. The twin
// of `reaction.rs` in `solver-pbf/src/cpu`.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

/// Makes λ̂ of `push` what was done of it.
KERNEL void __launch_bounds__(THREADS)
pbf_relax_lambda(Constants c, const Packed* __restrict__ delta, u32 n, Packed* __restrict__ push) {
  const u32 i = thread_index();
  if (i < n) push[i].a[3] *= relaxation_of(c, load(delta, i).a[3]);
}
SHIM_EXPORT(pbf_relax_lambda)

/// Forces on samples of bodies, added: `F_b −= Σ_i m_i Δx_ib/Δt²`, with `m_i Δx_ib = m λ̂_i/ρ₀ s psi_b ∇W_ib`. `factor` is
/// `m s/(ρ₀ Δt)` over the time in which a correction is made, [kg m³/(kg s²)].
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_push_back(Constants c, Rows rows, const Packed* __restrict__ push /* [0] */, const Packed* __restrict__ samples,
              Sets sets, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_rigid(b)) return;
  const Kernel kernel{c.kernel};
  const Packed sample = load(samples, b);
  Vec sum = zero();
  visit_points(c, rows, push, b, vector(sample), [&](const Point& i, Vec x_bi, real r2) {
    add(sum, i.place.a[3] * kernel.grad_factor(r2), x_bi);
  });
  // x_ib = −x_bi
  for (int a = 0; a < DIM; a++) force.x[a][b] += factor * sample.a[3] * sum[a];
}
SHIM_EXPORT(pbf_push_back)

/// Forces on samples of bodies, added, of the velocity that XSPH took from the fluid:
/// `F_b += Σ_i m_i c_b psi_b/ρ_i W_ib (v_i − v_b)/Δt`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_rub_back(Constants c, Rows rows, const Packed* __restrict__ at /* [0] */,
             const Packed* __restrict__ motion /* [0] */, const Packed* __restrict__ samples,
             const Packed* __restrict__ wall_motion, Sets sets, u32 n, real inv_dt, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_rigid(b)) return;
  const Kernel kernel{c.kernel};
  const Packed sample = load(samples, b), moving = load(wall_motion, b);
  const Vec v_b = vector(moving);
  const real psi = moving.a[3] * sample.a[3];
  Vec sum = zero();
  visit_twofold(c, rows, at, motion, b, vector(sample), [&](const Twofold& i, Vec, real r2) {
    const real weight = i.place.a[3] * wall_xsph(psi, i.beside.a[3], kernel.w(r2));
    add(sum, weight, difference(vector(i.beside), v_b));
  });
  for (int a = 0; a < DIM; a++) force.x[a][b] += c.wall_xsph * inv_dt * sum[a];
}
SHIM_EXPORT(pbf_rub_back)

}  // namespace SPH_SPACE
