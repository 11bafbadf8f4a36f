// The formulas of Position Based Fluids; the twin of `solver-pbf/src/physics.rs`, name by name, and the block of
// constants that its kernels read.
//
// All particles have the same mass m, and a multiplier is kept as λ̂ = λ/m [m²]: the formulas are then those of
// Macklin & Müller (2013). F is the kernel's gradient factor, ∇W_ij = F x_ij.
#pragma once
#include "common/surface/surface.cuh"

inline namespace SPH_SPACE {
namespace pbf {

/// Density constraint `C_i = ρ_i/ρ₀ − 1` (Macklin & Müller 2013, eq. 1); of an inequality C ≤ 0 only its violation
/// `max(C_i, 0)` (Macklin et al. 2014, §3.2). NaN stays NaN. [-].
SPH_FN real constraint(real rho, real inv_rho_0, bool unilateral) {
  const real c = rho * inv_rho_0 - real(1.0);
  return unilateral ? max_of(real(0.0), c) : c;
}

/// Multiplier of a constraint (Macklin & Müller 2013, eq. 11): `λ̂_i = −C_i / (|∇_i C_i|² + Σ_j |∇_j C_i|² + ε)`. The
/// three terms [1/m²]; result [m²]. A satisfied constraint has λ̂ = 0, also where all gradients vanish.
SPH_FN real lambda(real c, real own_grad2, real sum_grad2, real epsilon) {
  return c == real(0.0) ? real(0.0) : -c / (own_grad2 + sum_grad2 + epsilon);
}

/// Tensile correction `s_ij = −k (W_ij/W(Δq))⁴` (Macklin & Müller 2013, eq. 13, with their n = 4; Monaghan 2000).
struct Scorr {
  /// Strength k; 0 is off, [m²].
  real k;
  /// `1/W(Δq)`, [m^D].
  real inv_w_dq;

  /// `s_ij` of a pair with kernel value `w`, [m²].
  SPH_FN real s(real w) const {
    if (k == real(0.0)) return real(0.0);
    const real q = w * inv_w_dq;
    const real q2 = q * q;
    return -(k * (q2 * q2));
  }
};

/// Variable-step BDF2, κ = Δt_n/Δt_{n−1}: for a quantity q with rate r,
/// `r_{n+1} Δt_n = ((1 + 2κ) (q_{n+1} − q_n) − κ² (q_n − q_{n−1}))/(1 + κ)`.
struct Bdf2 {
  /// Coefficient of the last change: `κ²/(1 + 2κ)`, [-].
  real history;
  /// Coefficient of Δt r: `(1 + κ)/(1 + 2κ)`, [-].
  real rate;
  /// The step over the one before, κ, [-].
  real kappa;

  /// The change `q_{n+1} − q_n` for a rate at the end of the step; `rate_dt = Δt r_{n+1}`.
  SPH_FN real change(real last_change, real rate_dt) const { return history * last_change + rate * rate_dt; }
};

/// XSPH weight of a neighbor (Monaghan 1992, eq. 7.1): `2 m/(ρ_i + ρ_j) W_ij`, which conserves momentum. [-].
SPH_FN real xsph(real m, real rho_i, real rho_j, real w) { return real(2.0) * m / (rho_i + rho_j) * w; }

/// Three numbers, in two dimensions as well.
struct Vec3 {
  real a[3];
  SPH_FN real& operator[](int k) { return a[k]; }
  SPH_FN real operator[](int k) const { return a[k]; }
};

/// `a × b`; in 2D, where vectors have no third component, `[0, 0, a_x b_y − a_y b_x]`.
SPH_FN Vec3 cross(Vec3 a, Vec3 b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The vector in 3D; in 2D with a zero.
SPH_FN Vec3 in_space(Vec a) {
  Vec3 out = {};
  for (int k = 0; k < DIM; k++) out[k] = a[k];
  return out;
}

/// 1 where `a` is not 0, else 0.
SPH_FN real is_nonzero(real a) {
  const real size = max_of(a, -a);
  return size / max_of(size, MIN_POSITIVE);
}

/// Constants of a step, but for `scorr.k`, which each substep sets.
struct Constants {
  /// Interpolation kernel.
  KernelConstants kernel;
  /// The domain.
  Domain domain;
  /// External accelerations.
  Forces forces;
  /// Cohesion, curvature and adhesion; all strengths 0 if there are none.
  Surface surface;
  /// Tensile correction; its strength follows from the substep.
  Scorr scorr;
  /// Mass of a particle, [kg].
  real m;
  /// Rest density ρ₀, [kg/m³].
  real rho_0;
  /// Relaxation ε of the constraint, [1/m²].
  real epsilon;
  /// Factor of the corrections, [-].
  real relaxation;
  /// Part c of XSPH, [-].
  real xsph;
  /// Not 0 when only compression is corrected.
  int unilateral;
  /// Not 0 when walls count in Σ|∇C|².
  int walls_in_denominator;
  /// Not 0 when corrections are divided by the number of constraints.
  int averages;
};

}  // namespace pbf
}  // namespace SPH_SPACE
