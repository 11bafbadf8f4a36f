// Numbers, vectors and periodic space: the base of all other sources.
//
// Plain C++17 without intrinsics: NVRTC compiles it for the GPU and any compiler for the host, where tests compare
// it with the Rust source. `DIM` is 2 or 3 and `REAL` is float or double. Equal bits need a compiler that fuses no
// multiply-add (-ffp-contract=off, --fmad=false); without that, results differ in the last places.
#pragma once

#ifdef __CUDACC__
#define SPH_FN __device__ __forceinline__
// What is too long to stand in the code once more for each use.
#define SPH_CALL __device__ __noinline__
#else
#include <math.h>
#define SPH_FN inline
#define SPH_CALL inline
#endif

#if DIM != 2 && DIM != 3
#error "DIM must be 2 or 3"
#endif

// One name for each dimension, smoothing kernel and walk, so that a program on the host may hold all.
#define SPH_JOIN2(a, b) a##b
#define SPH_JOIN(a, b) SPH_JOIN2(a, b)
#ifdef SPH_WALK
#define SPH_SPACE SPH_JOIN(SPH_JOIN(SPH_JOIN(sph_, SPH_KERNEL), SPH_WALK), DIM)
#elif defined(SPH_KERNEL)
#define SPH_SPACE SPH_JOIN(SPH_JOIN(sph_, SPH_KERNEL), DIM)
#else
#define SPH_SPACE SPH_JOIN(sph_, DIM)
#endif

inline namespace SPH_SPACE {

typedef REAL real;

/// Smallest positive normal number, `Real::MIN_POSITIVE`.
constexpr real MIN_POSITIVE = sizeof(real) == 4 ? real(1.17549435e-38) : real(2.2250738585072014e-308);

/// `a` if it is above `b`, else `b`: so `b` where either is NaN, as `Lane::max`.
SPH_FN real max_of(real a, real b) { return a > b ? a : b; }

/// `a` if it is below `b`, else `b`: so `b` where either is NaN, as `Lane::min`.
SPH_FN real min_of(real a, real b) { return a < b ? a : b; }

/// A vector of `DIM` components.
struct Vec {
  real a[DIM];
  SPH_FN real& operator[](int k) { return a[k]; }
  SPH_FN real operator[](int k) const { return a[k]; }
};

/// `|a|²`, summed from the first axis to the last.
SPH_FN real norm2(Vec a) {
  real sum = a[0] * a[0];
  for (int k = 1; k < DIM; k++) sum = sum + a[k] * a[k];
  return sum;
}

/// Adding and subtracting it rounds a small number to the nearest integer, the same on every machine.
constexpr real ROUND = sizeof(real) == 4 ? real(12582912.0) : real(6755399441055744.0);

/// Extents of the periodic axes. On an axis that is not periodic, length and inverse are zero and the wrap leaves
/// every number as it is.
struct Periodic {
  /// Lower end of each axis, [m].
  real low[DIM];
  /// Length of each periodic axis, 0 on the others, [m].
  real length[DIM];
  /// 1 over the length, 0 on axes that are not periodic, [1/m].
  real inv_length[DIM];
  /// Not 0 when an axis is periodic.
  int any;

  /// The nearest image of a difference of two positions: `d - L round(d / L)`, at most one length. Antisymmetric
  /// bit for bit. Far away (the null particle) stays far away.
  SPH_FN Vec nearest(Vec d) const {
    if (!any) return d;
    for (int a = 0; a < DIM; a++) {
      const real turns = max_of(min_of(d[a] * inv_length[a], real(1.0)), real(-1.0));
      d[a] = d[a] - ((turns + ROUND) - ROUND) * length[a];
    }
    return d;
  }

  /// The coordinate inside the periodic box that `x` stands for on axis `a`.
  SPH_FN real wrap_axis(int a, real x) const {
    if (length[a] == real(0.0)) return x;
    const real turns = floor((x - low[a]) * inv_length[a]);
    const real wrapped = x - turns * length[a];
    // Rounding may land on the upper end, which is the lower one, or a hair below the lower one. NaN stays.
    const bool beside = wrapped < low[a] || wrapped >= low[a] + length[a];
    return beside ? low[a] : wrapped;
  }

  /// The position inside the periodic box that `x` stands for.
  SPH_FN Vec wrap(Vec x) const {
    if (!any) return x;
    for (int a = 0; a < DIM; a++) x[a] = wrap_axis(a, x[a]);
    return x;
  }
};

/// The space a run may use.
struct Domain {
  /// A particle below has escaped, [m].
  real low[DIM];
  /// A particle above has escaped, [m].
  real high[DIM];
  /// Periodic axes, on which nothing escapes.
  Periodic periodic;

  /// True when `x` is inside; false also for NaN.
  SPH_FN bool holds(Vec x) const {
    bool inside = true;
    for (int a = 0; a < DIM; a++) inside = inside & (x[a] >= low[a]) & (x[a] <= high[a]);
    return inside;
  }
};

/// Accelerations from outside.
struct Forces {
  /// Gravity g, [m/s²].
  real gravity[DIM];
  /// Center c of the central acceleration, [m].
  real center[DIM];
  /// Its strength B, 0 for none, [1/s].
  real strength;

  /// Acceleration at `x`: `g − B² (x − c)`, [m/s²].
  SPH_FN Vec acceleration(Vec x) const {
    Vec g;
    for (int a = 0; a < DIM; a++) {
      g[a] = strength == real(0.0) ? gravity[a] : gravity[a] - strength * strength * (x[a] - center[a]);
    }
    return g;
  }
};

}  // namespace SPH_SPACE
