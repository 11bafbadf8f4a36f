// Volumes of wall samples. The twin of `Boundary::weigh` in `sph-core/src/fluid/boundary.rs`.
//
// SMOOTHING bell Poly6Spiky
#include "common/search/near.cuh"
#include "common/numerics/kernel.cuh"

inline namespace SPH_SPACE {

/// `V_b = scale / Σ_k W_bk` over the samples of its own rigid set, itself included (Akinci et al. 2012, eq. 4). Samples
/// stand where they were drawn; those of one `group` are one set. `order[l]` is the sample of record l, so volumes keep
/// the order of `x_0`. Eight blocks a multiprocessor leave 64 registers.
KERNEL void __launch_bounds__(THREADS, 8)
weigh_samples(KernelConstants constants, Near samples /* [0] */, const u32* __restrict__ order, Points x_0,
              const unsigned short* __restrict__ body, const u32* __restrict__ group /* [n_groups] */, u32 n_groups,
              u32 n, real scale, real* __restrict__ volume) {
  const u32 b = thread_index();
  if (b >= n) return;
  const Kernel kernel{constants};
  const auto group_of = [=](u32 k) { return body[k] < n_groups ? group[body[k]] : NONE; };
  const u32 own = group_of(b);
  real sum_w = kernel.w_0();
  visit(samples, x_0[b], [&](u32 l, real, Vec, real r2) {
    const u32 k = order[l];
    if (k != b && group_of(k) == own) sum_w += kernel.w(r2);
  });
  volume[b] = scale / sum_w;
}
SHIM_EXPORT(weigh_samples)

}  // namespace SPH_SPACE
