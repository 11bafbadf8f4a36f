// What the kernels of weakly compressible SPH share: records, sums over neighbors, the force of a wall.
//
// A record of a particle is one or more quads, each in an array of its own, so that a loop reads what it needs:
// `place` [x y z s], with s the density or p/ρ², `motion` [v ρ], `extra` [∇ρ ·].
#pragma once
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

/// Largest condition number for which a gradient is corrected (Bonet & Lok).
constexpr double MAX_CONDITION = 1e3;

/// The matrix of three rows that is `s`, a 2D one with 1 as its last entry.
struct Symmetric {
  double m[3][3];

  /// From the upper triangle, row by row.
  SPH_FN explicit Symmetric(const real* s) {
#if DIM == 2
    const double of[3][3] = {{s[0], s[1], 0}, {s[1], s[2], 0}, {0, 0, 1}};
#else
    const double of[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
#endif
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) m[i][j] = of[i][j];
  }

  SPH_FN double cofactor(int i, int j) const {
    const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  }

  /// `M⁻¹ r` by cofactors, or `r` where the condition number (in the Frobenius norm) is beyond the limit.
  SPH_FN Vec solve(Vec r) const {
    double det = 0, norm = 0, norm_adjugate = 0, adjugate[3][3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
      det += m[0][i] * cofactor(0, i);
#pragma unroll
      for (int j = 0; j < 3; j++) {
        adjugate[i][j] = cofactor(j, i);
        norm += m[i][j] * m[i][j];
        norm_adjugate += adjugate[i][j] * adjugate[i][j];
      }
    }
    // Written so that 0 ≤ 0, of a particle with too few neighbors, is no inverse either.
    if (!(sqrt(norm) * sqrt(norm_adjugate) < MAX_CONDITION * fabs(det))) return r;
    Vec g;
#pragma unroll
    for (int i = 0; i < DIM; i++) {
      double sum = 0;
#pragma unroll
      for (int j = 0; j < DIM; j++) sum += adjugate[i][j] * double(r[j]);
      g[i] = real(sum / det);
    }
    return g;
  }
};

}  // namespace wcsph
}  // namespace SPH_SPACE
