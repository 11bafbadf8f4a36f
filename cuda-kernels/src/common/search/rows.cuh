// Stored rows of neighbors, and the walk over them: what kernels read that visit the same neighbors more than once.
//
// Rows are listed at one set of positions, and positions then move. So a neighbor may be out of reach, where every kernel
// is 0, and a difference of positions is computed anew, as the nearest image.
#pragma once
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

/// Blocks that a multiprocessor shall hold, which leaves 80 registers in f32 and 128 in f64 to a loop over neighbors:
/// not told so, the assembler aims at more blocks and spills.
constexpr u32 LOOP_BLOCKS = sizeof(real) == 4 ? 6 : 4;

/// The same of the kernels that keep particles in containers, which is done in f64 whatever the width: 128 registers.
constexpr u32 CONTAIN_BLOCKS = 4;

/// Neighbors that are read before the first of them is used: as many loads are under way at once.
constexpr u32 AT_ONCE = sizeof(real) == 4 ? 4 : 2;

/// Where entry k of row i stands: `line[s]` is the first line of slice s.
SPH_FN u64 entry_of(const u32* line, u32 i, u32 k) { return (u64(__ldg(line + i / 32)) + k) * 32 + i % 32; }

/// Stored rows, as of neighbors.cu.
// FROM &'a crate::common::search::neighbors::NeighborRows
struct Rows {
  /// Entry k of row i at `(line[i / 32] + k) · 32 + i % 32`.
  const u32* rows;
  /// Entries of each row, shape [n].
  const u32* count;
  /// First line of each slice.
  const u32* line;

  /// Entries of row i.
  SPH_FN u32 length(u32 i) const { return count[i]; }

  /// Where entry 0 of row i stands; the next ones follow 32 places apart each.
  SPH_FN u64 first(u32 i) const { return entry_of(line, i, 0); }
};

/// Calls `f(r_j)` for the entries j of row i, ascending, with `r_j = read(j)`.
template <class Read, class F> SPH_FN void for_each_in_row(const Rows& rows, u32 i, Read read, F f) {
  const u32 n = rows.length(i);
  const u32* const row = rows.rows + rows.first(i);
  u32 k = 0;
  for (; k + AT_ONCE <= n; k += AT_ONCE) {
    u32 j[AT_ONCE];
#pragma unroll
    for (u32 l = 0; l < AT_ONCE; l++) j[l] = __ldg(row + u64(k + l) * 32);
    decltype(read(0u)) r[AT_ONCE];
#pragma unroll
    for (u32 l = 0; l < AT_ONCE; l++) r[l] = read(j[l]);
#pragma unroll
    for (u32 l = 0; l < AT_ONCE; l++) f(r[l]);
  }
  for (; k < n; k++) f(read(__ldg(row + u64(k) * 32)));
}

/// What a loop reads of a neighbor.
struct Point {
  Packed place;
};
/// The same, and what else stands in a quad beside it.
struct Twofold {
  Packed place, beside;
};

/// Calls `f(r_j, x_ij, |x_ij|²)` for the entries j of row i, ascending, with `r_j = read(j)` and `x_ij` the nearest
/// image of `x_i − x_j`, [m].
template <class C, class Read, class F>
SPH_FN void visit(const C& c, const Rows& rows, u32 i, Vec x_i, Read read, F f) {
  for_each_in_row(rows, i, read, [&](const auto& r_j) {
    const Vec x_ij = c.domain.periodic.nearest(difference(x_i, vector(r_j.place)));
    f(r_j, x_ij, norm2(x_ij));
  });
}

/// `visit` of records that stand alone.
template <class C, class F>
SPH_FN void visit_points(const C& c, const Rows& rows, const Packed* place, u32 i, Vec x_i, F f) {
  visit(c, rows, i, x_i, [=](u32 j) { return Point{load(place, j)}; }, f);
}

/// `visit` of records of two quads.
template <class C, class F>
SPH_FN void visit_twofold(const C& c, const Rows& rows, const Packed* place, const Packed* beside, u32 i, Vec x_i,
                          F f) {
  visit(c, rows, i, x_i, [=](u32 j) { return Twofold{load(place, j), load(beside, j)}; }, f);
}

}  // namespace SPH_SPACE
