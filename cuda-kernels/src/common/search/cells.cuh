// Cells of space, numbered row-major with x fastest: where a point lies, and what lies around it.
#pragma once
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

/// Where cells lie, and the box of them that has memory.
struct CellGrid {
  /// Lower end of cell 0, [m].
  double origin[DIM];
  /// 1 over the edge of a cell, [1/m].
  double inv_edge[DIM];
  /// Length of each periodic axis, 0 on the others, [m].
  real length[DIM];
  /// Cells of a periodic axis, 0 on the others.
  int turn[DIM];
  /// First cell of the box.
  int low[DIM];
  /// Cells of the box, a whole turn on a periodic axis; 0 when there are none.
  int extent[DIM];
  /// Not 0 when an axis is periodic.
  int periodic;

  /// The cell of a coordinate on axis `a`: a true floor, in f64 as on the processor. NaN lies in cell 0.
  SPH_FN int cell_of(int a, real x) const {
    double place = (double(x) - origin[a]) * inv_edge[a];
    if (!(place == place)) place = 0.0;
    // Kept away from the ends of int, so that a neighbor cell always has a number.
    const double limit = 1e9;
    const int c = int(floor(place < -limit ? -limit : place > limit ? limit : place));
    if (turn[a] == 0) return c;
    return c < 0 ? 0 : c >= turn[a] ? turn[a] - 1 : c;
  }

  /// Number of the cell of a point in the box; a point outside counts to the nearest one, and `is_outside` says so.
  SPH_FN u32 key(Vec x, bool& is_outside) const {
    u32 key = 0;
    is_outside = false;
    for (int a = DIM - 1; a >= 0; a--) {
      const int c = cell_of(a, x[a]) - low[a];
      const int nearest = c < 0 ? 0 : c >= extent[a] ? extent[a] - 1 : c;
      is_outside = is_outside | (nearest != c);
      key = key * u32(extent[a]) + u32(nearest);
    }
    return key;
  }

  /// Number of cells in the box.
  SPH_FN u32 n_cells() const {
    u32 n = 1;
    for (int a = 0; a < DIM; a++) n *= u32(extent[a]);
    return n;
  }
};

}  // namespace SPH_SPACE
