// What the kernels of weakly compressible SPH share: records, sums over neighbors, the force of a wall.
//
// A record of a particle is one or more quads, each in an array of its own, so that a loop reads what it needs:
// `place` [x y z s], with s the density or p/ρ², `motion` [v ρ], `extra` [∇ρ ·].
#pragma once
#include "common/numerics/linear.cuh"
#include "common/search/near.cuh"
#include "wcsph/formula.cuh"

inline namespace SPH_SPACE {
namespace wcsph {

/// `NEAR_BLOCKS` of the loops with a choice of viscosities: 102 and 168 registers.
constexpr u32 MOMENTUM_BLOCKS = NEAR_BLOCKS - 1;

/// The particle's part of the pressure term towards a wall; the sample's part is in its record.
SPH_FN real pressure_term(int wall, real p_rho2, real rho, real rho_0) {
  const real compressive = max_of(p_rho2, real(0));
  if (wall == WALL_DUMMY_TENSILE) return p_rho2;
  if (wall == WALL_DUMMY) return compressive;
  const real ratio = rho / rho_0;
  return compressive * (real(1) + ratio * ratio);
}

/// What a loop over walls reads of a sample.
struct Sample {
  /// p/ρ² of the sample, 0 if mirrored.
  real p_rho2;
  /// Pseudo-mass, [kg].
  real psi;
  /// The same if the wall is no-slip, else 0.
  real psi_no_slip;
};

/// Acceleration of a particle by a wall sample: `p_i` from `pressure_term`.
template <class V>
SPH_FN Vec wall_acceleration(const Constants& c, V viscosity, real p_i, const Pair& pair, const Sample& b) {
  const Factors along = viscosity.factors(pair, c.softening);
  const real radial = pressure_force(b.psi, p_i, b.p_rho2, pair.f) + b.psi_no_slip * along.along_x +
                      c.contact.factor(pair.r2);
  Vec a;
  for (int k = 0; k < DIM; k++) a[k] = radial * pair.x_ij[k] + b.psi_no_slip * along.along_v * pair.v_ij[k];
  return a;
}

}  // namespace wcsph
}  // namespace SPH_SPACE
