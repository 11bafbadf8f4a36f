// Exclusive prefix sums of u32, in place, by blocks of SCAN_TILE numbers.
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

constexpr u32 SCAN_THREADS = 256;
constexpr u32 SCAN_ITEMS = 8;
constexpr u32 SCAN_TILE = SCAN_THREADS * SCAN_ITEMS;

/// Sum of `mine` over all threads of the block before this one; `total` becomes that over all.
SPH_FN u32 scan_block(u32 mine, u32& total) {
  __shared__ u32 of_warp[SCAN_THREADS / 32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 sum = mine;
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 left = __shfl_up_sync(NONE, sum, d);
    if (lane >= d) sum += left;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  u32 before = 0;
  total = 0;
  for (u32 w = 0; w < SCAN_THREADS / 32; w++) {
    if (w < warp) before += of_warp[w];
    total += of_warp[w];
  }
  return before + sum - mine;
}

/// Scans each tile of `values` by itself and writes its sum to `totals`.
// BLOCKS n.div_ceil(SCAN_TILE as usize)
KERNEL void __launch_bounds__(SCAN_THREADS) scan_tiles(u32* values, u32* __restrict__ totals /* [n.div_ceil(SCAN_TILE as usize)] */, u32 n) {
  const u32 first = blockIdx.x * SCAN_TILE + threadIdx.x * SCAN_ITEMS;
  u32 item[SCAN_ITEMS], mine = 0;
#pragma unroll
  for (u32 k = 0; k < SCAN_ITEMS; k++) {
    item[k] = first + k < n ? values[first + k] : 0u;
    mine += item[k];
  }
  u32 total, sum = scan_block(mine, total);
#pragma unroll
  for (u32 k = 0; k < SCAN_ITEMS; k++) {
    if (first + k < n) values[first + k] = sum;
    sum += item[k];
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}
SHIM_EXPORT(scan_tiles)

/// Adds to each tile what lies before it: `before[k]` to all numbers of tile k.
// BLOCKS n.div_ceil(SCAN_TILE as usize)
KERNEL void __launch_bounds__(SCAN_THREADS) add_to_tiles(u32* values, const u32* __restrict__ before /* [n.div_ceil(SCAN_TILE as usize)] */, u32 n) {
  const u32 add = before[blockIdx.x];
#pragma unroll
  for (u32 k = 0; k < SCAN_ITEMS; k++) {
    const u32 i = blockIdx.x * SCAN_TILE + k * SCAN_THREADS + threadIdx.x;
    if (i < n) values[i] += add;
  }
}
SHIM_EXPORT(add_to_tiles)

}  // namespace SPH_SPACE
