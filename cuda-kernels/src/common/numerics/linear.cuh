// Linear equations of a particle: the twin of `sph-core/src/numerics/linear.rs`.
#pragma once
#include "common/numerics/space.cuh"

inline namespace SPH_SPACE {

/// Largest condition number for which a gradient is corrected (Bonet & Lok).
constexpr double MAX_CONDITION = 1e3;

/// A symmetric matrix of three rows.
struct Symmetric {
  double m[3][3];

  /// From the upper triangle, row by row; in 2D with 1 in the last place.
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

}  // namespace SPH_SPACE
