// Points with a number each, and the walk over those in reach: what loops over neighbors read.
#pragma once
#include "neighbors.cuh"

inline namespace SPH_SPACE {

/// Points that a loop finds, in the order of their cells. Twin of `Near` in neighbors.rs.
struct Near {
  Search search;
  /// [x y z s], shape [n].
  const Packed* place;
  /// Where each cell begins, shape [cells + 1].
  const u32* start;
};

/// Calls `f(j, s_j, x_ij, |x_ij|²)` for the neighbors of `x_i`, ascending, without `self`.
template <class F> SPH_FN void visit(const Near& near, Vec x_i, u32 self, F f) {
  const Packed* const place = near.place;
  for_each_neighbor(near.search, place, near.start, x_i, self, [&](u32 j, Vec d, real r2) {
    for (int a = 0; a < DIM; a++) d[a] = -d[a];
    f(j, load(place, j).a[3], d, r2);
  });
}

}  // namespace SPH_SPACE
