// What the kernels of Position Based Fluids share. Rows of neighbors are listed once a substep, at the predicted positions.
//
// A record of a particle is one or more quads, each in an array of its own, so that a loop reads what it needs:
// `place` [x y z ·], `push` [x y z λ̂], `delta` [Δx count], `at` [x y z m], `motion` [v ρ], of walls `samples`
// [x y z psi] and `motion` [v no-slip]. If masses are unequal, μ stands in an array beside.
#pragma once
#include "common/boundary/containers.cuh"
#include "pbf/formula.cuh"
#include "common/search/rows.cuh"

inline namespace SPH_SPACE {
namespace pbf {

/// What the second-order update remembers of the last step; nowhere without it.
struct Past {
  /// Ways of the particles, [m].
  Writable way;
  /// Changes of velocity but for what was done to velocities alone, [m/s].
  Writable gain;
};

/// What a loop reads of a neighbor of unequal masses.
struct Weighted {
  Packed place;
  /// Its mass over that at rest.
  real mu;
};

/// Factor of a correction that so many constraints made, [-].
SPH_FN real relaxation_of(const Constants& c, real count) {
  return c.averages ? c.relaxation / max_of(count, real(1)) : c.relaxation;
}

}  // namespace pbf
}  // namespace SPH_SPACE
