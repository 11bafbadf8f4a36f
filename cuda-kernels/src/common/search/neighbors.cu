// Neighbor rows, stored so that the threads of a warp read them together.
//
// Rows stand in slices of 32 particles; entry k of all rows of a slice is one line of 128 bytes. A row ends at its
// count. All slices have the same width, so that one pass suffices. Those with a longer row are listed once more, in lines
// of their own behind all others.
#include "common/search/neighbors.cuh"

inline namespace SPH_SPACE {

/// Rows of the points `query` over the points `from`. With `same` they are one set, and a row leaves out its own.
/// Without places (`line` is nowhere) slices stand one after the other, and rows are cut at the width. With places, slices
/// before the line `from_line` stay as they are.
/// Eight blocks a multiprocessor leave 64 registers: not told so, the assembler aims at more blocks and spills.
// ITEMS n_query
KERNEL void __launch_bounds__(THREADS, 8)
list_neighbors(Search search, const Packed* __restrict__ query /* [n_query] */, u32 n_query,
               const Packed* __restrict__ from /* [0] */, const u32* __restrict__ start /* [1] */,
               u32 same /* bool */, u32 width, const u32* __restrict__ line /* [n_query.div_ceil(32)] or none */,
               u32 from_line, u32* __restrict__ count /* [n_query] */, u32* __restrict__ rows /* [0] */) {
  const u32 i = thread_index();
  if (i >= n_query) return;
  const u32 first = line ? line[i / 32] : i / 32 * width, most = line ? NONE : width;
  if (line && first < from_line) return;
  const Packed record = load(query, i);
  Vec x_i;
  for (int a = 0; a < DIM; a++) x_i[a] = record.a[a];
  u32* const row = rows + u64(first) * 32 + i % 32;
  u32 n = 0;
  for_each_neighbor(search, from, start, x_i, same ? i : NONE, [&](u32 j, Vec, real) {
    if (n < most) row[u64(n) * 32] = j;
    n++;
  });
  count[i] = n;
}
SHIM_EXPORT(list_neighbors)

/// Gives each slice of `n` rows its first line: those whose rows have at most `width` entries stand one after the other,
/// longer ones behind `from_line`, in any order. `used` becomes the number of lines that these take, and that of all entries
/// of long rows.
// ITEMS n.div_ceil(32)
KERNEL void __launch_bounds__(THREADS)
place_slices(const u32* __restrict__ count, u32 n, u32 width, u32 from_line,
             u32* __restrict__ line /* [n.div_ceil(32)] */, u64* used /* [2] */) {
  const u32 s = thread_index(), end = 32 * s + 32 < n ? 32 * s + 32 : n;
  if (s >= (n + 31) / 32) return;
  u32 longest = 0;
  u64 long_rows = 0;
#pragma unroll 8
  for (u32 i = 32 * s; i < end; i++) {
    longest = count[i] > longest ? count[i] : longest;
    long_rows += count[i] > width ? count[i] : 0u;
  }
  line[s] = s * width;
  if (longest <= width) return;
  // Lines beyond all numbers are of no use: the host sees their number, and grows the buffer or refuses.
  line[s] = u32(u64(from_line) + atomicAdd(&used[0], u64(longest)));
  atomicAdd(&used[1], long_rows);
}
SHIM_EXPORT(place_slices)

}  // namespace SPH_SPACE
