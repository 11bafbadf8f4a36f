// Vectors in f64, unfused and in the order of the Rust source: a GPU and the processor have the same bits.
#pragma once
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

/// A vector in f64.
struct Vec64 {
  double a[DIM];
  SPH_FN double& operator[](int k) { return a[k]; }
  SPH_FN double operator[](int k) const { return a[k]; }
};

SPH_FN double dot(const Vec64& a, const double* b) {
  double sum = exact_mul(a[0], b[0]);
  for (int k = 1; k < DIM; k++) sum = exact_add(sum, exact_mul(a[k], b[k]));
  return sum;
}

SPH_FN double norm(const Vec64& a) { return sqrt(dot(a, a.a)); }

SPH_FN Vec64 minus(const Vec64& a, const double* b) {
  Vec64 d;
  for (int k = 0; k < DIM; k++) d[k] = exact_sub(a[k], b[k]);
  return d;
}

/// The unit vector along axis `k`.
SPH_FN Vec64 unit(int k) {
  Vec64 e;
  for (int a = 0; a < DIM; a++) e[a] = a == k ? 1.0 : 0.0;
  return e;
}

}  // namespace SPH_SPACE
