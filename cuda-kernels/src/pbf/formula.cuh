// The formulas of Position Based Fluids; the twin of `solver-pbf/src/physics.rs`, name by name, and the block of
// constants that its kernels read.
//
// A multiplier is kept over the mass of a particle at rest, λ̂ = λ/m [m²], and masses as μ_i = m_i/m: for equal masses,
// μ = 1, the formulas are then those of Macklin & Müller (2013). F is the kernel's gradient factor, ∇W_ij = F x_ij,
// and V = m/ρ₀.
#pragma once
#include "common/surface/surface.cuh"

inline namespace SPH_SPACE {
namespace pbf {

/// Density constraint `C_i = ρ_i/ρ₀ − 1` (Macklin & Müller 2013, eq. 1); of an inequality C ≤ 0 only its violation
/// `max(C_i, 0)` (Macklin et al. 2014, §3.2). Not a number stays one. [-].
SPH_FN real constraint(real rho, real inv_rho_0, bool unilateral) {
  const real c = rho * inv_rho_0 - real(1.0);
  return unilateral ? max_of(real(0.0), c) : c;
}

/// Multiplier of a constraint (Macklin & Müller 2013, eq. 11, with inverse masses as in Macklin et al. 2014, eq. 4):
/// `λ̂_i = −C_i / (|∇_i C_i|²/μ_i + Σ_j |∇_j C_i|²/μ_j + ε)`. The three terms and ε [1/m²]; result [m²]. A constraint
/// that is met has λ̂ = 0, also where all gradients vanish.
SPH_FN real lambda(real c, real own_grad2, real sum_grad2, real epsilon) {
  return c == real(0.0) ? real(0.0) : -c / (own_grad2 + sum_grad2 + epsilon);
}

/// How masses weigh in λ̂ and Δx.
struct Weights {
  /// 0: by inverse masses, `Σ m_i Δx_i = 0`. Else as if inverse masses were equal, `Σ Δx_i = 0`.
  int equal_mass;

  /// `|∇_j C_i|²/μ_j` over `V² |∇W_ij|²`: μ_j, or μ_j² without inverse masses, [-].
  SPH_FN real of_gradient(real mu_j) const { return equal_mass ? mu_j * mu_j : mu_j; }

  /// What `|∇_i C_i|²` and Δx_i are divided by, [-].
  SPH_FN real of_own(real mu_i) const { return equal_mass ? real(1.0) : mu_i; }
};

/// Correction of a pair (Macklin & Müller 2013, eq. 12 and 14): `μ_i Δx_i` over `V ∇W_ij` is
/// `μ_j λ̂_i + μ_i λ̂_j + μ_i μ_j s_ij`. The same for `j`, so that `Σ m_i Δx_i = 0`. [m²].
SPH_FN real pair_correction(real lambda_i, real lambda_j, real s_ij, real mu_i, real mu_j) {
  return mu_j * lambda_i + mu_i * lambda_j + mu_i * mu_j * s_ij;
}

/// Tensile correction (Macklin & Müller 2013, eq. 13; Monaghan 2000): `s_ij = −k (W_ij/W(Δq))^n`.
struct Scorr {
  /// Strength k; 0 for none, [m²].
  real k;
  /// `1/W(Δq)`, [m^D].
  real inv_w_dq;
  /// Exponent n, [-].
  unsigned n;

  /// `s_ij` of a pair with kernel value `w`, [m²].
  SPH_FN real s(real w) const {
    if (k == real(0.0)) return real(0.0);
    const real q = w * inv_w_dq;
    const real q2 = q * q;
    real power = q2 * q2;
    if (n != 4) {
      power = q;
      for (unsigned i = 1; i < n; i++) power = power * q;
    }
    return -(k * power);
  }
};

/// Variable-step BDF2, κ = Δt_n/Δt_{n−1}: for a quantity q with rate r,
/// `r_{n+1} Δt_n = ((1 + 2κ) (q_{n+1} − q_n) − κ² (q_n − q_{n−1}))/(1 + κ)`.
struct Bdf2 {
  /// Part of the last change that goes on: `κ²/(1 + 2κ)`, [-].
  real history;
  /// Part of Δt r that a change holds: `(1 + κ)/(1 + 2κ)`, [-].
  real rate;
  /// The step over the one before, κ, [-].
  real kappa;

  /// The change `q_{n+1} − q_n` that makes the rate at the end of the step what it shall be; `rate_dt = Δt r`.
  SPH_FN real change(real last_change, real rate_dt) const { return history * last_change + rate * rate_dt; }
};

/// XSPH weight of a neighbor (Monaghan 1992, eq. 7.1): `2 m_j/(ρ_i + ρ_j) W_ij`; or (Schechter & Bridson 2012, §6)
/// `m_j/ρ_j W_ij`, which does not keep momentum where densities differ. [-].
SPH_FN real xsph(bool symmetric, real m_j, real rho_i, real rho_j, real w) {
  return symmetric ? real(2.0) * m_j / (rho_i + rho_j) * w : m_j / rho_j * w;
}

/// XSPH weight of a wall sample: `psi_b/ρ_i W_ib`, [-].
SPH_FN real wall_xsph(real psi, real rho_i, real w) { return psi / rho_i * w; }

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

/// The first D components, and zeros.
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

/// Normals `|n_i| = |h Σ_j V_j ∇W_ij|` above this are those of a surface, [-].
constexpr real SURFACE = real(0.2);

/// Surface constraint of a pair, over −½ k: `x_ij·n̂_i n̂_i + x_ij·n̂_j n̂_j`, with unit normals at a surface and zero
/// ones inside. It vanishes when both particles lie in both tangent planes.
SPH_FN Vec surface_pull(Vec x_ij, Vec n_i, Vec n_j) {
  real along_i = real(0.0), along_j = real(0.0);
  for (int a = 0; a < DIM; a++) {
    along_i = along_i + x_ij[a] * n_i[a];
    along_j = along_j + x_ij[a] * n_j[a];
  }
  Vec pull;
  for (int a = 0; a < DIM; a++) pull[a] = along_i * n_i[a] + along_j * n_j[a];
  return pull;
}

/// Deviation of a mass from the mean over the mass, uniform in [−1, 1) and a function of the particle's id alone.
SPH_FN real deviation(unsigned long long id) {
  unsigned long long z = id + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return real(double((z ^ (z >> 31)) >> 40) / 8388608.0 - 1.0);
}

/// What the kernels read and no substep changes but for `scorr.k`.
struct Constants {
  /// Interpolation kernel.
  KernelConstants kernel;
  /// The space that may be used.
  Domain domain;
  /// Accelerations from outside.
  Forces forces;
  /// Cohesion, curvature and adhesion as forces; all strengths 0 if there are none.
  Surface surface;
  /// Tensile correction; its strength follows from the substep.
  Scorr scorr;
  /// How masses weigh.
  Weights weights;
  /// Mass of a particle at rest, [kg].
  real m;
  /// Rest density ρ₀, [kg/m³].
  real rho_0;
  /// Part of psi that walls have, [-].
  real solid;
  /// Relaxation ε of the constraint, [1/m²].
  real epsilon;
  /// Random spread of masses, 0 is off, [-].
  real mass_spread;
  /// Factor of the corrections, [-].
  real relaxation;
  /// Part c of XSPH, [-].
  real xsph;
  /// The same of walls, [-].
  real wall_xsph;
  /// Half the stiffness of the surface constraint, [-].
  real half_k;
  /// Not 0 when only compression is corrected.
  int unilateral;
  /// Not 0 when walls count in Σ|∇C|².
  int walls_in_denominator;
  /// Not 0 when corrections are divided by the number of constraints.
  int averages;
  /// Not 0 when a pair weighs each other alike in XSPH.
  int symmetric;
  /// Not 0 when masses are unequal, and records hold them.
  int unequal;
};

}  // namespace pbf
}  // namespace SPH_SPACE
