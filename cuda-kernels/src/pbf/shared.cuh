// What the kernels of Position Based Fluids share. Rows of neighbors are listed once a substep, at the predicted positions.
//
// A record of a particle is one or more quads, each in an array of its own, so that a loop reads what it needs:
// `x_star` [x y z ·], `x_lambda` [x y z λ̂], `delta` [Δx count], `v_rho` [v ρ], `x_rho` [x y z ρ], and of walls `x_psi`
// [x y z psi].
#pragma once
#include "common/boundary/containers.cuh"
#include "pbf/formula.cuh"
#include "common/search/rows.cuh"

inline namespace SPH_SPACE {
namespace pbf {

/// History of the second-order update; null without it.
struct Past {
  /// Displacements in the last step, [m].
  Writable displacement;
  /// Changes of velocity, without those of phases that act on velocities alone, [m/s].
  Writable velocity_change;
};

/// Factor of a correction by this number of constraints, [-].
SPH_FN real relaxation_of(const Constants& c, real count) {
  return c.averages ? c.relaxation / max_of(count, real(1)) : c.relaxation;
}

}  // namespace pbf
}  // namespace SPH_SPACE
