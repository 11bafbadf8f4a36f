// The walk over the neighbors of a point: rows of cells, each one run of records.
//
// Particles stand in the order of their cells, so the threads of a warp read nearly the same runs: a load is shared
// by most of them and comes from L1. Neighbors come in ascending order, as in the rows of the processor, so sums over
// them have one order.
//
// A source file whose line `// WALKS` lists other neighbor loops may be compiled with one of them, as the macro
// `SPH_WALK` (`Walk` in variant.rs). Stored rows and texts without that line walk as `Direct`.
#pragma once
#include "common/search/cells.cuh"

#ifndef SPH_WALK
#define SPH_WALK Direct
#endif

inline namespace SPH_SPACE {

/// How loops find neighbors. Twin of `Walk` in variant.rs.
enum class Walk { Direct, Dense, Kept };
constexpr Walk WALK = Walk::SPH_WALK;

/// Whether neighbors are collected before they are processed.
constexpr bool COLLECTS = WALK == Walk::Dense;

/// What a walk needs to know.
struct Search {
  /// Cells of the points that are found.
  CellGrid grid;
  /// Square of the radius within which they are, [m²].
  real radius2;
};

/// Cells on an axis around one cell, at most three, ascending also where a periodic axis ends.
template <bool PERIODIC> struct Around {
  int c, low, n, turn;

  SPH_FN Around(const CellGrid& grid, int a, real x) {
    c = grid.cell_of(a, x);
    turn = PERIODIC ? grid.turn[a] : 0;
    const int first = grid.low[a], end = grid.low[a] + grid.extent[a];
    // A point outside of the box counts to its nearest cell, as the sort has it. That keeps neighbors beside each other.
    if (turn == 0) c = c < first ? first : c >= end ? end - 1 : c;
    // Without a turn: those within reach, as far as they lie in the box.
    low = c - 1 < first ? first : c - 1;
    n = turn != 0 ? 3 : (c + 2 > end ? end : c + 2) - low;
  }

  /// The `k`-th of them.
  SPH_FN int at(int k) const {
    if (!PERIODIC || turn == 0) return low + k;
    // What lies beyond one end comes first, or last.
    if (c < 1) return k <= c + 1 ? k : turn - n + k;
    if (c + 1 >= turn) return k <= c + 1 - turn ? k : turn - n + k;
    return c - 1 + k;
  }

  /// What `x_j - x_i` is too large by when j lies in the `k`-th cell: a period, or 0, [m].
  SPH_FN real shift(int k, real length) const {
    if (!PERIODIC || turn == 0) return real(0);
    const int d = at(k) - c;
    return d > 1 ? length : d < -1 ? -length : real(0);
  }
};

/// The nearest image of a difference of two positions in the periodic box, in the bits of `Periodic::nearest` where it
/// is no longer than a third of a period, [m].
SPH_FN Vec nearest_image(const CellGrid& grid, Vec d) {
  for (int a = 0; a < DIM; a++) {
    const real half = real(0.5) * grid.length[a];
    d[a] = exact_sub(d[a], d[a] > half ? grid.length[a] : d[a] < -half ? -grid.length[a] : real(0));
  }
  return d;
}

/// Points of a run that are tested before the next check of the queue.
constexpr u32 GROUP = 8;

/// Calls `f(j, d, |d|²)` with `d = x_j - x_i` for the points of one run that lie within the radius.
/// Only with `SHIFTED` is `shift` read. It makes d the nearest image, in the bits of `Periodic::nearest`: for
/// neighbors, which are nearer than a third of a period, that rounds to the same whole period.
template <bool SHIFTED, class F>
SPH_FN void visit_some(const Search& s, const Packed* __restrict__ from, u32 begin, u32 end, Vec x_i, Vec shift,
                       u32 self, F& f) {
#pragma unroll 4
  for (u32 j = begin; j < end; j++) {
    const Packed record = load(from, j);
    Vec d;
    for (int a = 0; a < DIM; a++) {
      d[a] = exact_sub(record.a[a], x_i[a]);
      if (SHIFTED && WALK != Walk::Kept) d[a] = exact_sub(d[a], shift[a]);
    }
    // Cells that are kept do not tell at which end of a period a point is now.
    if (SHIFTED && WALK == Walk::Kept) d = nearest_image(s.grid, d);
    const real r2 = exact_norm2(d);
    if (r2 < s.radius2 && j != self) f(j, d, r2);
  }
}

/// The same of a whole run.
template <bool SHIFTED, class F>
SPH_FN void visit_run(const Search& s, const Packed* __restrict__ from, u32 begin, u32 end, Vec x_i, Vec shift,
                      u32 self, F& f) {
  if constexpr (COLLECTS) {
    for (u32 j = begin; j < end; j += GROUP) {
      f.flush_if_full();
      visit_some<SHIFTED>(s, from, j, j + GROUP < end ? j + GROUP : end, x_i, shift, self, f);
    }
  } else {
    visit_some<SHIFTED>(s, from, begin, end, x_i, shift, self, f);
  }
}

/// The runs of one row of cells, `row` being the number of its first cell.
template <bool PERIODIC, class F>
SPH_FN void visit_row(const Search& s, const Around<PERIODIC>& x, u32 row, const Packed* __restrict__ from,
                      const u32* __restrict__ start, Vec x_i, Vec shift, u32 self, F& f) {
  const u32 first = row - u32(s.grid.low[0]);
  if constexpr (PERIODIC) {
    for (int k = 0; k < x.n; k++) {
      const int c = x.at(k);
      shift[0] = x.shift(k, s.grid.length[0]);
      visit_run<true>(s, from, start[first + c], start[first + c + 1], x_i, shift, self, f);
    }
  } else {
    visit_run<false>(s, from, start[first + x.low], start[first + x.low + x.n], x_i, shift, self, f);
  }
}

template <bool PERIODIC, class F>
SPH_FN void visit_plane(const Search& s, const Around<PERIODIC>& x, const Around<PERIODIC>& y, u32 plane,
                        const Packed* __restrict__ from, const u32* __restrict__ start, Vec x_i, Vec shift, u32 self,
                        F& f) {
  const CellGrid& grid = s.grid;
  for (int k = 0; k < y.n; k++) {
    const int line = y.at(k) - grid.low[1];
    if (PERIODIC) shift[1] = y.shift(k, grid.length[1]);
    visit_row<PERIODIC>(s, x, (plane * u32(grid.extent[1]) + u32(line)) * u32(grid.extent[0]), from, start, x_i,
                        shift, self, f);
  }
}

template <bool PERIODIC, class F>
SPH_FN void visit_cells(const Search& s, const Packed* __restrict__ from, const u32* __restrict__ start, Vec x_i,
                        u32 self, F& f) {
  const Around<PERIODIC> x(s.grid, 0, x_i[0]), y(s.grid, 1, x_i[1]);
  if (s.grid.extent[0] == 0) return;
  Vec shift;
  for (int a = 0; a < DIM; a++) shift[a] = real(0);
#if DIM == 3
  const Around<PERIODIC> z(s.grid, 2, x_i[2]);
  for (int k = 0; k < z.n; k++) {
    const int plane = z.at(k) - s.grid.low[2];
    if (PERIODIC) shift[2] = z.shift(k, s.grid.length[2]);
    visit_plane<PERIODIC>(s, x, y, u32(plane), from, start, x_i, shift, self, f);
  }
#else
  visit_plane<PERIODIC>(s, x, y, 0u, from, start, x_i, shift, self, f);
#endif
}

/// Calls `f(j, d, |d|²)` for every neighbor j of the point `x_i`, ascending: `d = x_j - x_i`, the nearest image,
/// [m]. `from` are the records of the points in the order of their cells, `start` where each cell begins, shape
/// [cells + 1]; `self` is left out (NONE: nothing is).
template <class F>
SPH_FN void for_each_neighbor(const Search& s, const Packed* __restrict__ from, const u32* __restrict__ start,
                              Vec x_i, u32 self, F&& f) {
  // Two loops: without periodic axes there are no shifts to pay for.
  if (s.grid.periodic) {
    visit_cells<true>(s, from, start, x_i, self, f);
  } else {
    visit_cells<false>(s, from, start, x_i, self, f);
  }
}

}  // namespace SPH_SPACE
