// The formulas of weakly compressible SPH; the twin of `solver-wcsph/src/physics.rs`, name by name, and the block of
// constants that its kernels read.
//
// h_s = h/2 is the smoothing length of the journals; F is the kernel's gradient factor, ∇W_ij = F x_ij, negative for
// every kernel used here.
#pragma once
#include "common/surface/surface.cuh"

inline namespace SPH_SPACE {
namespace wcsph {

/// Equations of state p(ρ), the `kind` of [`Eos`].
enum : int {
  /// `p = B ((ρ/ρ₀)^γ − 1)`, γ = 7 (Becker & Teschner 2007, eq. 7).
  EOS_TAIT,
  /// `p = c₀² (ρ − ρ₀)`.
  EOS_LINEAR,
};

/// Equation of state.
struct Eos {
  /// [`Eos::TAIT`] or [`Eos::LINEAR`].
  int kind;
  /// Stiffness B, [Pa]; of the linear one c₀², [m²/s²].
  real b;
};

/// Pressure [Pa] of density `rho` [kg/m³].
SPH_FN real pressure(Eos eos, real rho, real rho_0) {
  if (eos.kind == EOS_LINEAR) return eos.b * (rho - rho_0);
  const real t = rho / rho_0;
  const real t3 = t * t * t;
  return eos.b * (t3 * t3 * t - real(1.0));
}

/// The fluid cavitates at the density (1 − ε) ρ₀: it gets no less dense, and bears no tension. This is ε, [-].
constexpr real CAVITATION = real(0.1);

/// Tensile cut-off: negative pressure `p` counts in full down to the density (1 − ε/2) ρ₀ and fades to zero at (1 − ε) ρ₀.
SPH_FN real tensile_cutoff(real p, real rho, real rho_0) {
  if (p >= real(0.0)) return p;
  real above = (rho / rho_0 - (real(1.0) - CAVITATION)) / (real(0.5) * CAVITATION);
  // Not `max_of`, which would hide a NaN.
  if (above < real(0.0)) above = real(0.0);
  if (above > real(1.0)) above = real(1.0);
  return p * above;
}

/// `x^(1/7)`, 0 below 0. Of sums, products, quotients and square roots alone, which have the same bits everywhere: powers are
/// those of a library.
SPH_FN double seventh_root(double x) {
  if (!(x > 0.0 && x <= 1.7976931348623157e308)) return x > 0.0 ? x : 0.0;
  const double s = sqrt(sqrt(sqrt(x)));
  double y = s * (1.0 + (s - 1.0) / 7.0);
  for (int k = 0; k < 3; k++) {
    const double y2 = y * y;
    const double y7 = y2 * y2 * y2 * y;
    y = y * (3.0 * y7 + 4.0 * x) / (4.0 * y7 + 3.0 * x);
  }
  return y;
}

/// Density [kg/m³] of pressure `p` [Pa]: the inverse of [`pressure`].
SPH_FN real density_of_pressure(Eos eos, real p, real rho_0) {
  if (eos.kind == EOS_LINEAR) return rho_0 + p / eos.b;
  return rho_0 * real(seventh_root(double(p / eos.b + real(1.0))));
}

/// Internal energy per mass [J/kg] whose derivative is `de/dρ = p/ρ²`, zero at rest density.
SPH_FN double internal_energy(Eos eos, double rho, double rho_0) {
  const double t = rho / rho_0, b = eos.b;
  if (eos.kind == EOS_LINEAR) return b * (log(t) + 1.0 / t - 1.0);
  const double t2 = t * t;
  return b / rho_0 * ((t2 * t2 * t2 - 1.0) / 6.0 + 1.0 / t - 1.0);
}

/// Symmetric pressure acceleration coefficient of a pair (Monaghan 1992, eq. 3.3):
/// `a_i = Σ_j −m_j (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij`. Arguments `p/ρ²`; result times `x_ij` is `a_i`.
SPH_FN real pressure_force(real m_j, real p_rho2_i, real p_rho2_j, real f) {
  return -(m_j * (p_rho2_i + p_rho2_j) * f);
}

/// Rate of density of a pair by continuity (Monaghan 2005, eq. 2.16): `dρ_i/dt = Σ_j m_j v_ij·∇W_ij`.
SPH_FN real continuity(real m_j, real v_dot_x, real f) { return m_j * v_dot_x * f; }

/// Diffusion of density of a pair, `ψ_ij·∇W_ij` per `2 δ h_s c₀ V_j` (Antuono et al. 2010, eq. 9). With
/// `x_ji·∇W_ij = −F r²` it needs no division; `grad_dot_x = (∇ρ_i + ∇ρ_j)·x_ij` makes it vanish for linear ρ.
SPH_FN real density_diffusion(real rho_ji, real grad_dot_x, real f) {
  return -((rho_ji + real(0.5) * grad_dot_x) * f);
}

/// A pair for the viscous force.
struct Pair {
  /// `x_i − x_j`, [m].
  Vec x_ij;
  /// `v_i − v_j`, [m/s].
  Vec v_ij;
  /// `|x_ij|²`, [m²].
  real r2;
  /// Kernel gradient factor, [m^-(D+2)].
  real f;
  /// Density of `i`, [kg/m³].
  real rho_i;
  /// Density of `j`, [kg/m³].
  real rho_j;
};

/// Viscous acceleration of `i` by a pair, per mass of `j`: the factors of `x_ij` and of `v_ij`.
struct Factors {
  real along_x, along_v;
};

/// The scalar product.
SPH_FN real dot(Vec a, Vec b) {
  real sum = a[0] * b[0];
  for (int k = 1; k < DIM; k++) sum = sum + a[k] * b[k];
  return sum;
}

/// Monaghan 1992, eq. 4.1: `Π_ij = −α c μ_ij/ρ̄` for approaching pairs. Every model has `factors`, of a pair and of
/// `softening = 0.01 h_s²` [m²].
struct Monaghan {
  /// `α h_s c₀`, [m²/s].
  real alpha_h_c;

  SPH_FN Factors factors(const Pair& pair, real softening) const {
    const real approach = min_of(dot(pair.v_ij, pair.x_ij), real(0.0));
    const real two_rho = pair.rho_i + pair.rho_j;
    const real mu_over_rho = approach * real(2.0) / (two_rho * (pair.r2 + softening));
    return {alpha_h_c * mu_over_rho * pair.f, real(0.0)};
  }
};

/// Morris, Fox & Zhu 1997, eq. 22: laminar, along the velocity difference.
struct Morris {
  /// Dynamic viscosity μ over its lattice factor, [Pa s].
  real mu;

  SPH_FN Factors factors(const Pair& pair, real softening) const {
    const real k = real(2.0) * mu * pair.r2 / (pair.rho_i * pair.rho_j * (pair.r2 + softening));
    return {real(0.0), k * pair.f};
  }
};

/// Monaghan 2005, Koschier et al. 2019: along the line of centers, both signs.
struct Solenoidal {
  /// `2 (D+2) μ` over its lattice factor, [Pa s].
  real mu;

  SPH_FN Factors factors(const Pair& pair, real softening) const {
    const real soft_r2 = pair.r2 + softening;
    const real k = mu * dot(pair.v_ij, pair.x_ij) / (pair.rho_i * pair.rho_j * soft_r2);
    return {k * pair.f, real(0.0)};
  }
};

/// Particle shifting of a pair without its volume (Sun et al. 2017, eq. 20): `[1 + 0.2 (W/W(Δx))⁴] F`, to be summed
/// times `x_ij`.
SPH_FN real shifting(real w, real inv_w_dx, real f) {
  const real q = w * inv_w_dx;
  const real q2 = q * q;
  return (real(1.0) + real(0.2) * q2 * q2) * f;
}

/// Contact with wall samples: a spring that hardens, on particles nearer to a sample than its reach r_c.
/// `a_i = Σ_b κ c₀²/Δx (1 − r/r_c)² x_ib/r` for r < r_c.
struct Contact {
  /// `κ c₀²/Δx`, [m/s²].
  real stiffness;
  /// Reach r_c, [m].
  real reach;

  /// Acceleration over `x_ib`, [1/s²]. Finite at r = 0, where `x_ib` makes it vanish.
  SPH_FN real factor(real r2) const {
    const real r = sqrt(r2 + real(1e-6) * reach * reach);
    const real gap = max_of(real(0.0), real(1.0) - r * (real(1.0) / reach));
    return stiffness * gap * gap / r;
  }
};

/// Viscosity models, the `viscosity` of [`Constants`].
enum : int { VISCOSITY_MONAGHAN, VISCOSITY_MORRIS, VISCOSITY_SOLENOIDAL };

/// The pressure of walls, the `wall` of [`Constants`].
enum : int {
  /// Mirrored: `p_i (1/ρ_i² + 1/ρ₀²)`, never negative.
  WALL_MIRRORED,
  /// Extrapolated from the fluid to dummy particles, never negative.
  WALL_DUMMY,
  /// The same, with negative pressure of wall and particle.
  WALL_DUMMY_TENSILE,
};

/// What the kernels read and no step changes.
struct Constants {
  /// Interpolation kernel.
  KernelConstants kernel;
  /// The space that may be used.
  Domain domain;
  /// Accelerations from outside.
  Forces forces;
  /// Cohesion, curvature and adhesion; all strengths 0 if the fluid has no surface terms.
  Surface surface;
  /// Equation of state.
  Eos eos;
  /// Contact with wall samples.
  Contact contact;
  /// Coefficients if [`viscosity::MONAGHAN`] acts.
  Monaghan monaghan;
  /// Coefficients if [`viscosity::MORRIS`] acts.
  Morris morris;
  /// Coefficients if [`viscosity::SOLENOIDAL`] acts.
  Solenoidal solenoidal;
  /// Mass of a fluid particle, [kg].
  real m;
  /// Rest density ρ₀, [kg/m³].
  real rho_0;
  /// Distance of particles at the start Δx, [m].
  real spacing;
  /// Volume Δx^D of a particle at rest, [m^D].
  real volume;
  /// `0.01 h_s²`, [m²].
  real softening;
  /// `2 δ h_s c₀` of the density diffusion, [m²/s].
  real diffusion;
  /// 1 over W at one spacing, for shifting, [m^D].
  real inv_w_dx;
  /// A drift correction moves a particle by this at most, [m].
  real correction_limit;
  /// One of [`viscosity`].
  int viscosity;
  /// One of [`wall`].
  int wall;
  /// Not 0 when negative pressure of the fluid is removed.
  int clamps;
};

}  // namespace wcsph
}  // namespace SPH_SPACE
