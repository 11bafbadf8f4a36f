// Stable counting sort of particles by cell.
//
// Atomics give each particle a place in its cell in whatever order they come; `order_cells` then ranks the
// particles of a cell by their old index, so the order in the end is that of a stable sort, the same in every run.
// Its work, the square of the particles in a cell, is below that of the neighbor search.
#include "common/search/cells.cuh"

inline namespace SPH_SPACE {

/// Counts the particles of every cell, and gives each a provisional rank in its own. Behind the end of the last cell,
/// `count[cells + 1]`, stands how many are outside of the box.
KERNEL void __launch_bounds__(THREADS)
count_cells(CellGrid grid, Points x, u32 n, u32* __restrict__ key, u32* __restrict__ rank,
            u32* count /* [grid.n_cells() + 2] */) {
  const u32 i = thread_index();
  if (i >= n) return;
  bool is_outside;
  const u32 c = grid.key(x[i], is_outside);
  key[i] = c;
  rank[i] = atomicAdd(&count[c], 1u);
  if (is_outside) atomicAdd(&count[grid.n_cells() + 1], 1u);
}
SHIM_EXPORT(count_cells)

/// Puts every particle at its provisional place: `start` of its cell plus its rank.
KERNEL void __launch_bounds__(THREADS)
place_particles(const u32* __restrict__ key, const u32* __restrict__ rank, const u32* __restrict__ start /* [1] */,
                u32 n, u32* __restrict__ placed) {
  const u32 i = thread_index();
  if (i < n) placed[start[key[i]] + rank[i]] = i;
}
SHIM_EXPORT(place_particles)

/// Ranks the particles of a cell by index: the new particle `k` is the old `order[k]`.
KERNEL void __launch_bounds__(THREADS)
order_cells(const u32* __restrict__ key, const u32* __restrict__ start /* [1] */, const u32* __restrict__ placed,
            u32 n, u32* __restrict__ order) {
  const u32 i = thread_index();
  if (i >= n) return;
  const u32 first = start[key[i]], end = start[key[i] + 1];
  u32 before = 0;
#pragma unroll 4
  for (u32 k = first; k < end; k++) before += placed[k] < i;
  order[first + before] = i;
}
SHIM_EXPORT(order_cells)

/// Slices of a box on each axis, all of one width.
struct Slices {
  /// Lower end, [m].
  double low[DIM];
  /// Slices a length, [1/m].
  double per_length[DIM];
};
/// Slices of an axis.
constexpr u32 SLICES = 64;

/// Counts the points between the ends of each axis by slice: `count[a · SLICES + k]`.
KERNEL void __launch_bounds__(THREADS) count_slices(Slices slices, Points x, u32 n, u32* count /* [D * SLICES as usize] */) {
  const u32 i = thread_index();
  if (i >= n) return;
  for (int a = 0; a < DIM; a++) {
    const double place = (double(x.x[a][i]) - slices.low[a]) * slices.per_length[a];
    if (!(place >= 0.0 && place <= double(SLICES))) continue;
    atomicAdd(&count[u32(a) * SLICES + (place < double(SLICES) ? u32(place) : SLICES - 1)], 1u);
  }
}
SHIM_EXPORT(count_slices)

}  // namespace SPH_SPACE
