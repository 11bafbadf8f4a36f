// Levels of the aggregation multigrid preconditioner: cells of the neighbor search, then cells twice as wide. The twin of `aggregation.rs` in
// `solver-projection/src/cpu`.
//
// The box of cells of every level is dense, and all boxes are numbered one after the other. One sum over which dense
// cells hold something gives all occupied cells of all levels their numbers: the cells of a level are a run of them,
// ascending by z, y, x, and so are the cells of a row within a wider one.
#pragma once
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
namespace aggregation {

/// Cells around a cell, and itself in the middle: slot `((dz + 1) 3 + dy + 1) 3 + dx + 1`. Twin of `width` in
/// aggregation.rs.
constexpr u32 WIDTH = DIM == 3 ? 27 : 9;

/// The dense box of a level.
struct CellBox {
  /// Coordinates of its first cell, its cells, and the cells of a periodic axis, 0 on the others.
  int low[DIM], extent[DIM], turn[DIM];
  /// Number of its first cell among the dense cells of all levels.
  u32 begin;
};

/// A level.
struct Level {
  CellBox of;
  /// Its first cell among the occupied cells of all levels, and how many it has.
  u32 first, n;
};

/// Occupied cells of all levels.
// RAW
struct Cells {
  /// Capacity in cells; the null cell, whose number is 0, stands behind them.
  u32 stride;
  /// The number of each dense cell among those that are occupied; empty cells have that of the next one. Shape
  /// [dense cells + 1].
  u32* map;
  /// The dense number of each cell, and the cell of the next level that it is of. Shape [stride].
  u32 *key, *parent;
  /// Where the particles of the cells of the first level begin. Shape [stride + 1].
  u32* first;
  /// The cell in each slot around a cell, or the null cell, and the sum of entries with it; slot by slot. Shape
  /// [WIDTH][stride].
  u32* near;
  real* off_diagonal;
  /// Dirichlet term, and the diagonal. Shape [stride].
  real *dirichlet, *diagonal;
  /// Right-hand side. Shape [stride].
  real* r;
  /// Solution, and the next solution or the residual. Shape [stride + 1].
  real *z, *q;
};

/// Where a cell lies, counted from the first one of its box.
struct At {
  int x[DIM];
};

SPH_FN At place(const CellBox& box, u32 key) {
  u32 k = key - box.begin;
  At p;
  for (int a = 0; a < DIM - 1; a++) {
    p.x[a] = int(k % u32(box.extent[a]));
    k /= u32(box.extent[a]);
  }
  p.x[DIM - 1] = int(k);
  return p;
}

SPH_FN u32 key(const CellBox& box, const At& p) {
  u32 k = 0;
  for (int a = DIM - 1; a >= 0; a--) k = k * u32(box.extent[a]) + u32(p.x[a]);
  return box.begin + k;
}

/// The coordinate around the end of a periodic axis.
SPH_FN int wrapped(const CellBox& box, int a, int x) {
  const int turn = box.turn[a];
  return turn == 0 ? x : x < 0 ? x + turn : x >= turn ? x - turn : x;
}

/// The step from a cell to one beside it. Where two cells make the whole turn, both are beside each other once.
SPH_FN int step(const CellBox& box, int a, int from, int to) {
  const int s = to - from;
  return s > 1 ? s - box.turn[a] : s < -1 ? s + box.turn[a] : s;
}

/// Step `a` of a slot.
SPH_FN int step_of(u32 slot, int a) { return int((a == 0 ? slot : a == 1 ? slot / 3 : slot / 9) % 3) - 1; }

/// The cell in a slot around `p`, or `null`.
SPH_FN u32 beside(const CellBox& box, const u32* map, const At& p, u32 slot, u32 null) {
  At to;
  for (int a = 0; a < DIM; a++) {
    to.x[a] = wrapped(box, a, p.x[a] + step_of(slot, a));
    if (to.x[a] < 0 || to.x[a] >= box.extent[a]) return null;
  }
  const u32 k = key(box, to), c = map[k];
  return map[k + 1] > c ? c : null;
}

/// Calls `f(p, k, n)` for the rows of dense cells of `fine` within a cell of `coarse`: n cells from `p` on, which is
/// number `k`.
template <class F> SPH_FN void for_each_row(const CellBox& fine, const CellBox& coarse, u32 wide, F f) {
  const At p = place(coarse, wide);
  At low, end;
  for (int a = 0; a < DIM; a++) {
    const int x = 2 * (p.x[a] + coarse.low[a]) - fine.low[a];
    low.x[a] = x < 0 ? 0 : x;
    end.x[a] = x + 2 < fine.extent[a] ? x + 2 : fine.extent[a];
  }
  At at = low;
  const int last = DIM - 1, planes = DIM == 3 ? end.x[last] - low.x[last] : 1;
  for (int k = 0; k < planes; k++) {
    if (DIM == 3) at.x[last] = low.x[last] + k;
    for (at.x[1] = low.x[1]; at.x[1] < end.x[1]; at.x[1]++) {
      f(at, key(fine, at), u32(end.x[0] - low.x[0]));
    }
  }
}

/// Calls `f(c)` for the cells of `fine` within a cell of `coarse`, ascending.
template <class F>
SPH_FN void for_each_member(const CellBox& fine, const CellBox& coarse, const u32* map, u32 wide, F f) {
  for_each_row(fine, coarse, wide, [&](const At&, u32 k, u32 n) {
    const u32 end = map[k + n];
    for (u32 c = map[k]; c < end; c++) f(c);
  });
}

}  // namespace aggregation
}  // namespace SPH_SPACE
