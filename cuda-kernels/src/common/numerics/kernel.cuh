// Smoothing kernels: interpolation, viscosity, cohesion and adhesion; the twin of `sph-core/src/kernel`.
//
// Every interpolation kernel has the form W(r) = σ_d / h^d f(q) with q = r / h, and is exactly 0 from r = h on; h is
// the support radius. Kernels take r² and are in clamped form: (1 - q)₊ takes the place of a case distinction, so
// there is no branch, and a null particle at distance 1e15 m adds an exact 0. Their constants are computed in
// double precision by the host (`kernel.rs`); all have the same ones, so that a parameter block does not
// depend on the kernel. The kernel in use is the macro `SPH_KERNEL`: a type of this file on a GPU, so that no loop holds a
// choice, and `AnyKernel` on the processor, where a file is built once for all of them.
#pragma once
#include "common/numerics/space.cuh"

// The groups and the list of all kernels. Lines `// SMOOTHING` of other files name groups or single kernels. The first
// member is the one that walks are compiled with (`// WALKS`).
#define SPH_BELL(X) X(WendlandC2) X(WendlandC4) X(WendlandC6) X(CubicSpline)
#define SPH_KERNELS(X) SPH_BELL(X) X(Poly6) X(Spiky) X(Poly6Spiky)

inline namespace SPH_SPACE {

/// Distances below this part of h count as 0 where a direction x_ij / r is needed, [-].
constexpr real COINCIDENT = sizeof(real) == 4 ? real(1e-6) : real(1e-9);

/// `a₊ = max(0, a)`; NaN if `a` is.
SPH_FN real positive(real a) { return max_of(real(0.0), a); }

/// The support radius, as formulas need it.
struct Support {
  /// Support radius, [m].
  real h;
  /// 1/h, [1/m].
  real inv_h;

  /// `(1 - q)₊` [-]. As `(h - r)₊ / h`, so that it is exactly 0 from r = h on.
  SPH_FN real one_minus_q(real r) const { return positive(h - r) * inv_h; }

  /// `max(r, ε h)` [m], to divide by.
  SPH_FN real apart(real r) const { return max_of(COINCIDENT * h, r); }
};

/// The constants of an interpolation kernel.
struct KernelConstants {
  Support support;
  /// h/2, [m].
  real half_h;
  /// h², [m²].
  real h2;
  /// 1/h², [1/m²].
  real inv_h2;
  /// Factor of W, [m^-D].
  real w_scale;
  /// Factor of the gradient factor; its unit depends on the kernel.
  real f_scale;
  /// The place of the kernel in the list SPH_KERNELS, read by `AnyKernel` alone.
  int kind;

  /// Support radius h [m].
  SPH_FN real support_radius() const { return support.h; }

  /// `W(0)`, the share of a particle in its own density [m^-D].
  SPH_FN real w_0() const { return w_scale; }
};

/// Poly6 kernel (Müller, Charypar & Gross 2003): `f = (1 - q²)³`, `σ_2 = 4/π`, `σ_3 = 315/(64π)`.
struct Poly6 : KernelConstants {
  /// `(1 - q²)₊` [-].
  SPH_FN real one_minus_q2(real r2) const { return positive(h2 - r2) * inv_h2; }

  /// `σ/h^d (1 - q²)₊³` [m^-D].
  SPH_FN real w(real r2) const {
    const real s = one_minus_q2(r2);
    return w_scale * (s * s * s);
  }

  /// `-6 σ/h^(d+2) (1 - q²)₊²` [m^-(D+2)].
  SPH_FN real grad_factor(real r2) const {
    const real s = one_minus_q2(r2);
    return f_scale * (s * s);
  }
};

/// Spiky kernel (Müller, Charypar & Gross 2003): `f = (1 - q)³`, `σ_2 = 10/π`, `σ_3 = 15/π`.
struct Spiky : KernelConstants {
  /// `σ/h^d (1 - q)₊³` [m^-D].
  SPH_FN real w(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    return w_scale * (a * a * a);
  }

  /// `-3 σ/h^(d+1) (1 - q)₊² / r`, with r kept away from 0 [m^-(D+2)].
  SPH_FN real grad_factor(real r2) const {
    const real r = sqrt(r2);
    const real a = support.one_minus_q(r);
    return f_scale * (a * a) / support.apart(r);
  }
};

/// Cubic spline kernel (Monaghan 1992): `f = 6 (q³ - q²) + 1` up to q = ½, `2 (1 - q)³` above; `σ_2 = 40/(7π)`,
/// `σ_3 = 8/π`.
struct CubicSpline : KernelConstants {
  /// `a = (1 - q)₊` and `b = (½ - q)₊` [-].
  struct Knots {
    real a, b;
  };
  SPH_FN Knots distances_to_knots(real r) const {
    const real b = positive(half_h - r) * support.inv_h;
    return {support.one_minus_q(r), b};
  }

  /// `σ/h^d (2 a³ - 8 b³)` with `a = (1 - q)₊`, `b = (½ - q)₊` [m^-D].
  SPH_FN real w(real r2) const {
    const auto [a, b] = distances_to_knots(sqrt(r2));
    return w_scale * (real(2.0) * (a * a * a) - real(8.0) * (b * b * b));
  }

  /// `σ/h^(d+2) (24 b² - 6 a²) / q` [m^-(D+2)]. As `-6 (a + 2b) (a - 2b) / q`, where the last quotient is 1 up to
  /// q = ½ and `a / q < 1` above: so nothing cancels, and r = 0 is no special case.
  SPH_FN real grad_factor(real r2) const {
    const real r = sqrt(r2);
    const auto [a, b] = distances_to_knots(r);
    const real quotient = min_of(positive(support.h - r) / r, real(1.0));
    return f_scale * ((a + b + b) * quotient);
  }
};

/// Wendland C2 kernel (Wendland 1995): `f = (1 - q)⁴ (1 + 4q)`, `σ_2 = 7/π`, `σ_3 = 21/(2π)`.
struct WendlandC2 : KernelConstants {
  /// `σ/h^d a⁴ (5 - 4a)` with `a = (1 - q)₊` [m^-D].
  SPH_FN real w(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    const real a2 = a * a;
    return w_scale * (a2 * a2 * (real(5.0) - real(4.0) * a));
  }

  /// `-20 σ/h^(d+2) (1 - q)₊³` [m^-(D+2)].
  SPH_FN real grad_factor(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    return f_scale * (a * a * a);
  }
};

/// Wendland C4 kernel (Wendland 1995): `f = (1 - q)⁶ (1 + 6q + 35/3 q²)`, `σ_2 = 9/π`, `σ_3 = 495/(32π)`.
struct WendlandC4 : KernelConstants {
  /// `σ/h^d (1 - q)₊⁶ (1 + 6q + 35/3 q²)` [m^-D].
  SPH_FN real w(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    const real q = real(1.0) - a;
    const real a2 = a * a;
    const real polynomial = real(1.0) + q * (real(6.0) + real(35.0) / real(3.0) * q);
    return w_scale * (a2 * a2 * a2 * polynomial);
  }

  /// `-56/3 σ/h^(d+2) (1 - q)₊⁵ (1 + 5q)` [m^-(D+2)].
  SPH_FN real grad_factor(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    const real a2 = a * a;
    return f_scale * (a2 * a2 * a * (real(6.0) - real(5.0) * a));
  }
};

/// Wendland C6 kernel (Wendland 1995): `f = (1 - q)⁸ (1 + 8q + 25q² + 32q³)`, `σ_2 = 78/(7π)`, `σ_3 = 1365/(64π)`.
struct WendlandC6 : KernelConstants {
  /// `σ/h^d (1 - q)₊⁸ (1 + 8q + 25q² + 32q³)` [m^-D].
  SPH_FN real w(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    const real q = real(1.0) - a;
    const real a2 = a * a;
    const real a4 = a2 * a2;
    const real polynomial = real(1.0) + q * (real(8.0) + q * (real(25.0) + real(32.0) * q));
    return w_scale * (a4 * a4 * polynomial);
  }

  /// `-22 σ/h^(d+2) (1 - q)₊⁷ (1 + 7q + 16q²)` [m^-(D+2)]. All terms of the polynomial are positive: nothing cancels.
  SPH_FN real grad_factor(real r2) const {
    const real a = support.one_minus_q(sqrt(r2));
    const real q = real(1.0) - a;
    const real a2 = a * a;
    const real polynomial = real(1.0) + q * (real(7.0) + real(16.0) * q);
    return f_scale * (a2 * a2 * a2 * a * polynomial);
  }
};

/// The pair of kernels of Macklin & Müller (2013, §3): density by poly6, gradients by spiky. `w_scale` is that of
/// poly6 and `f_scale` that of spiky. Its "gradient" is not the derivative of its W.
struct Poly6Spiky : KernelConstants {
  /// W of [`Poly6`].
  SPH_FN real w(real r2) const { return Poly6{*this}.w(r2); }

  /// Gradient factor of [`Spiky`].
  SPH_FN real grad_factor(real r2) const { return Spiky{*this}.grad_factor(r2); }
};

#ifndef __CUDACC__
#define SPH_KIND(K) K##_KIND,
enum Kind { SPH_KERNELS(SPH_KIND) };
#undef SPH_KIND

/// The kernel that `kind` names: a call has the bits of that kernel, and a number without a kernel gives NaN.
struct AnyKernel : KernelConstants {
#define SPH_W(K) case K##_KIND: return K{*this}.w(r2);
#define SPH_F(K) case K##_KIND: return K{*this}.grad_factor(r2);
  /// `W(r)` [m^-D].
  SPH_FN real w(real r2) const {
    switch (kind) { SPH_KERNELS(SPH_W) }
    return real(NAN);
  }

  /// `W'(r) / r` [m^-(D+2)].
  SPH_FN real grad_factor(real r2) const {
    switch (kind) { SPH_KERNELS(SPH_F) }
    return real(NAN);
  }
#undef SPH_W
#undef SPH_F
};
#endif

/// Laplacian of the viscosity kernel (Müller, Charypar & Gross 2003), linear and never negative:
/// `∇²W = 45/(π h⁶) (h - r)` in 3D, `40/(π h⁵) (h - r)` in 2D.
// TWIN
struct ViscosityLaplacian {
  Support support;
  /// Factor of (1 - q), [m^-(D+2)].
  real scale;

  /// `∇²W` from r² [m²]; [m^-(D+2)].
  SPH_FN real laplacian(real r2) const { return scale * support.one_minus_q(sqrt(r2)); }
};

/// Cohesion between fluid particles (Akinci, Akinci & Teschner 2013, eq. 2): `C(r) = 32/(π h³) (1 - q)³ q³` above
/// q = ½, `32/(π h³) (2 (1 - q)³ q³ - 1/64)` below; in 2D with h². Attracts where it is positive.
struct Cohesion {
  Support support;
  /// Factor of the shape, [m^-D].
  real scale;

  /// `(q (1 - q))³` [-].
  SPH_FN real shape(real q) const {
    const real s = q * (real(1.0) - q);
    return s * s * s;
  }

  /// `C(r)` from r² [m²]; [m^-D].
  SPH_FN real c(real r2) const {
    const real q = real(1.0) - support.one_minus_q(sqrt(r2));
    // Both cases in one: the second term is 0 from q = ½ on, where the shape is 1/64.
    const real repulsion = shape(min_of(q, real(0.5))) - real(1.0 / 64.0);
    return scale * (shape(q) + repulsion);
  }

  /// `C(r) / r`, with which `C(r) n_ij = (C(r) / r) x_ij`, from r² [m²]; [m^-(D+1)]. Finite at r = 0.
  SPH_FN real c_over_r(real r2) const { return c(r2) / support.apart(sqrt(r2)); }
};

/// Adhesion of fluid particles to walls (Akinci, Akinci & Teschner 2013, eq. 7): `A(r) = 0.007/h³ (-4 q² + 6 q - 2)^¼`
/// above q = ½, 0 below; in 2D with h².
struct Adhesion {
  Support support;
  /// h/2, [m].
  real half_h;
  /// Factor of the shape, [m^-D].
  real scale;

  /// `A(r)` from r² [m²]; [m^-D].
  SPH_FN real a(real r2) const {
    const real r = sqrt(r2);
    const real from_half = positive(r - half_h) * support.inv_h;
    // -4 q² + 6 q - 2 = 4 (q - ½) (1 - q)
    const real shape = real(4.0) * from_half * support.one_minus_q(r);
    return scale * sqrt(sqrt(shape));
  }

  /// `A(r) / r`, with which `A(r) n_ib = (A(r) / r) x_ib`, from r² [m²]; [m^-(D+1)]. Finite at r = 0.
  SPH_FN real a_over_r(real r2) const { return a(r2) / support.apart(sqrt(r2)); }
};

#ifdef SPH_KERNEL
/// The kernel of this module.
typedef SPH_KERNEL Kernel;
#endif

}  // namespace SPH_SPACE
