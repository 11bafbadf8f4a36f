// Neighbor rows, stored so that the threads of a warp read them together.
//
// Rows stand in slices of 32 particles; entry k of all rows of a slice is one line of 128 bytes. A row ends at its
// count. All slices have the same width, so that one pass suffices; a count beyond it says that the row is cut.
#include "neighbors.cuh"

inline namespace SPH_SPACE {

/// Rows of the points `query` over the points `from`. With `same` they are one set, and a row leaves out its own.
/// Eight blocks a multiprocessor leave 64 registers: not told so, the assembler aims at more blocks and spills.
KERNEL void __launch_bounds__(THREADS, 8)
list_neighbors(Search search, const Packed* __restrict__ query, u32 n_query, const Packed* __restrict__ from,
               const u32* __restrict__ start, u32 same, u32 width, u32* __restrict__ count, u32* __restrict__ rows) {
  const u32 i = thread_index();
  if (i >= n_query) return;
  const Packed record = load(query, i);
  Vec x_i;
  for (int a = 0; a < DIM; a++) x_i[a] = record.a[a];
  u32* const row = rows + u64(i / 32) * width * 32 + i % 32;
  u32 n = 0;
  for_each_neighbor(search, from, start, x_i, same ? i : NONE, [&](u32 j, Vec, real) {
    if (n < width) row[u64(n) * 32] = j;
    n++;
  });
  count[i] = n;
}
SHIM_EXPORT(list_neighbors)

}  // namespace SPH_SPACE
