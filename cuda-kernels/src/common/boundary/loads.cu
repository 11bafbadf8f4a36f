// What containers are about to do to particles that are where their positions and velocities say.
#include "common/boundary/loads.cuh"

inline namespace SPH_SPACE {

/// Sums what the container `last` is about to give to particles over their mass, and moves none.
// THEN merge_given
KERNEL void __launch_bounds__(REDUCE_THREADS, GIVEN_BLOCKS)
given_by_container(Containers containers, u32 last, Points x, Points v, u32 n, Wrench* __restrict__ partial) {
  sum_given(containers, last, 0.0, n, partial, [&](u32 i) { return Free{x[i], v[i]}; });
}
SHIM_EXPORT(given_by_container)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_given(const Wrench* __restrict__ partial, u32 n, Wrench* __restrict__ result) {
  reduce_partials<SumWrenches>(partial, n, result);
}
SHIM_EXPORT(merge_given)

}  // namespace SPH_SPACE
