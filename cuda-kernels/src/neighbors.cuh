// The walk over the neighbors of a point: rows of cells, each one run of records.
//
// Particles stand in the order of their cells, so the threads of a warp read nearly the same runs: a load is shared
// by most of them and comes from L1. Neighbors come in ascending order, as in the rows of the processor, so sums over
// them have one order.
#pragma once
#include "cells.cuh"

inline namespace SPH_SPACE {

/// What a walk needs to know. Twin of `Search` in neighbors.rs.
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
    // Without a turn: c - 1 to c + 1, as far as they lie in the box.
    low = c - 1 < first ? first : c - 1;
    n = turn != 0 ? 3 : (c + 2 > end ? end : c + 2) - low;
  }

  /// The `k`-th of them.
  SPH_FN int at(int k) const {
    if (!PERIODIC || turn == 0) return low + k;
    if (c == 0) return k == 2 ? turn - 1 : k;
    if (c == turn - 1) return k == 0 ? 0 : turn - 3 + k;
    return c - 1 + k;
  }

  /// What `x_j - x_i` is too large by when j lies in the `k`-th cell: a period, or 0, [m].
  SPH_FN real shift(int k, real length) const {
    if (!PERIODIC || turn == 0) return real(0);
    const int d = at(k) - c;
    return d > 1 ? length : d < -1 ? -length : real(0);
  }
};

/// Calls `f(j, d, |d|²)` with `d = x_j - x_i` for the points of one run that lie within the radius.
/// Only with `SHIFTED` is `shift` read. It makes d the nearest image, in the bits of `Periodic::nearest`: for
/// neighbors, which are nearer than a third of a period, that rounds to the same whole period.
template <bool SHIFTED, class F>
SPH_FN void visit_run(const Packed* __restrict__ from, u32 begin, u32 end, real radius2, Vec x_i, Vec shift, u32 self,
                      F& f) {
#pragma unroll 4
  for (u32 j = begin; j < end; j++) {
    const Packed record = load(from, j);
    Vec d;
    for (int a = 0; a < DIM; a++) {
      d[a] = exact_sub(record.a[a], x_i[a]);
      if (SHIFTED) d[a] = exact_sub(d[a], shift[a]);
    }
    const real r2 = exact_norm2(d);
    if (r2 < radius2 && j != self) f(j, d, r2);
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
      visit_run<true>(from, start[first + c], start[first + c + 1], s.radius2, x_i, shift, self, f);
    }
  } else {
    visit_run<false>(from, start[first + x.low], start[first + x.low + x.n], s.radius2, x_i, shift, self, f);
  }
}

template <bool PERIODIC, class F>
SPH_FN void visit_plane(const Search& s, const Around<PERIODIC>& x, const Around<PERIODIC>& y, u32 plane,
                        const Packed* __restrict__ from, const u32* __restrict__ start, Vec x_i, Vec shift,
                        u32 self, F& f) {
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
                              Vec x_i, u32 self, F f) {
  // Two loops: without periodic axes nobody pays for shifts.
  if (s.grid.periodic) {
    visit_cells<true>(s, from, start, x_i, self, f);
  } else {
    visit_cells<false>(s, from, start, x_i, self, f);
  }
}

}  // namespace SPH_SPACE
