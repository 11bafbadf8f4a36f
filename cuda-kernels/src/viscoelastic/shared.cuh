// What the kernels of the viscoelastic fluid share. Rows of neighbors are listed at the predicted positions.
//
// A record of a particle is a quad in an array of its own: `position` [x y z ·], the relaxed positions; `pressure` [x
// y z P], P with the position of its evaluation, and P_near in a separate array; `velocity` [v ·]; `delta` [Δ ·]; of
// walls `samples` [x y z w], w the volume over that of a particle.
//
// Gauss-Seidel sweeps read what other threads of the same kernel have written, never at the same time: cells of one
// color have no neighbors in common. They must not read through `load`.
#pragma once
#include "common/search/colors.cuh"
#include "common/boundary/containers.cuh"
#include "viscoelastic/formula.cuh"
#include "common/search/rows.cuh"

inline namespace SPH_SPACE {
namespace visco {

/// Neighbors of a particle: fluid and wall samples.
struct Near {
  Rows fluid, walls;
  /// [x y z w] of the wall samples.
  const Packed* samples /* [0] */;
};

/// `w g²` and `w g³` of a wall sample of weight w.
SPH_FN Pair wall_densities(const Constants& c, real r2, real w) {
  const Pair terms = density_terms(closeness(sqrt(r2), c.inv_h));
  return {w * terms.far, w * terms.near};
}

/// Half the displacement by a pair over its distance, [-].
SPH_FN real pair_over_r(const Constants& c, real r2, Pair p) {
  const real r = sqrt(r2);
  return limited(real(0.5) * c.dt2 * pair_acceleration(p, closeness(r, c.inv_h)), c.max_displacement) * inverse(r);
}

/// Displacement `w dt² (P g + P_near g²)` by a wall sample of weight w over the distance to it, [-].
SPH_FN real wall_over_r(const Constants& c, real r2, Pair p, real w) {
  const real r = sqrt(r2);
  return limited(c.dt2 * pair_acceleration(p, closeness(r, c.inv_h)) * w, c.max_displacement) * inverse(r);
}

/// The nearest image of `a − b`, [m].
SPH_FN Vec between(const Constants& c, Vec a, Vec b) { return c.domain.periodic.nearest(difference(a, b)); }

SPH_FN Packed record(Vec x, real last) {
  Packed record = {};
  for (int a = 0; a < DIM; a++) record.a[a] = x[a];
  record.a[3] = last;
  return record;
}

/// Moves a record by `f d`.
SPH_FN void shift(Packed& record, real f, Vec d) {
  for (int a = 0; a < DIM; a++) record.a[a] = record.a[a] + f * d[a];
}

/// Threads that share a cell.
constexpr u32 WARP = 32;
constexpr u32 WHOLE_WARP = 0xffffffffu;

/// The sum over the threads of a warp, in a fixed order; every thread gets it.
SPH_FN real sum_of_warp(real mine) {
#pragma unroll
  for (int half = WARP / 2; half > 0; half /= 2) mine += __shfl_xor_sync(WHOLE_WARP, mine, half);
  return mine;
}

}  // namespace visco
}  // namespace SPH_SPACE
