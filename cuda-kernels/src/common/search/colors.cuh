// Cells by color: no two cells of one color have neighbors in common, so that all of a color may be swept at once.
// The twin of `solver-viscoelastic/src/cpu/colors.rs`.
#pragma once
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

/// The cells of one color.
// RAW
struct Color {
  /// First cell of the color on each axis of the box, and how many there are, three apart.
  u32 first[DIM], n[DIM];
  /// Cells of the box on each axis.
  u32 extent[DIM];
  /// Where each cell begins, shape [cells + 1].
  const u32* start;
  /// Not 0 to go from the last particle of a cell to the first.
  u32 reverse;

  /// The particles of the `k`-th of these cells, from `begin` to `end`; none behind the last one.
  SPH_FN void particles(u32 k, u32& begin, u32& end) const {
    begin = end = 0;
    u32 at[DIM];
    for (int a = 0; a < DIM; a++) {
      at[a] = first[a] + 3 * (k % n[a]);
      k /= n[a];
    }
    if (k > 0) return;
    u32 cell = at[DIM - 1];
    for (int a = DIM - 2; a >= 0; a--) cell = cell * extent[a] + at[a];
    begin = start[cell], end = start[cell + 1];
  }

  /// Calls `f(i)` for the particles of the `k`-th cell, one after the other.
  template <class F> SPH_FN void for_each_in_cell(u32 k, F f) const {
    u32 begin, end;
    particles(k, begin, end);
    for (u32 m = begin; m < end; m++) f(reverse ? begin + (end - 1 - m) : m);
  }
};

/// Threads a block of kernels that give a cell to each thread: cells of a color are few, and shall fill all
/// multiprocessors.
constexpr u32 CELL_THREADS = 32;

}  // namespace SPH_SPACE
