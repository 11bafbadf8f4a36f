// The formulas of the viscoelastic fluid; the twin of `solver-viscoelastic/src/physics.rs`, name by name, and the
// block of constants of its kernels.
//
// `x_ij = x_i − x_j` points from j to i, so that a positive displacement along it separates the pair. g is the
// closeness, P and P_near are the pressures of the double density (Clavet et al. 2005).
#pragma once
#include "common/numerics/space.cuh"

inline namespace SPH_SPACE {
namespace visco {

/// Lower bound of distances in divisions: coincident particles then have no direction.
constexpr real TINY = real(1e-30);

/// Closeness `g = (1 − r/h)₊`, [-] (Clavet et al. 2005, §4.1).
SPH_FN real closeness(real r, real inv_h) { return max_of(real(1.0) - r * inv_h, real(0.0)); }

/// `1/r`, finite for coincident particles, [1/m].
SPH_FN real inverse(real r) { return real(1.0) / max_of(r, TINY); }

/// Two numbers of a double density: of ρ and of ρ_near, or of P and of P_near.
struct Pair {
  real far, near;
};

/// Contributions of a neighbor to density and near density: `g²` and `g³` (Clavet et al. 2005, eq. 1, 3).
SPH_FN Pair density_terms(real g) {
  const real g2 = g * g;
  return {g2, g2 * g};
}

/// Pressures of double density: `P = k (ρ − ρ₀)` and `P_near = k_near ρ_near` (Clavet et al. 2005, eq. 2, 4).
struct Stiffness {
  /// Stiffness k over the normalization of the density, [m/s²].
  real k;
  /// Near stiffness over the normalization of the near density, [m/s²].
  real k_near;
  /// `k ρ₀`, [m/s²].
  real k_rest;
  /// −P over P_near at which the lattice neither contracts nor expands, [-].
  real balance;

  /// P and P_near from the sums of `g²` and `g³`, [m/s²].
  SPH_FN Pair pressures(Pair rho) const { return {k * rho.far - k_rest, k_near * rho.near}; }

  /// Pressures of a wall that acts on a particle: those of the particle, with no more tension than the near pressure
  /// balances, so that walls do not attract a layer at the lattice spacing.
  SPH_FN Pair on_wall(Pair p) const { return {max_of(p.far, -balance * p.near), p.near}; }
};

/// Displacement of a pair over dt² by the pressures of one of its particles: `P g + P_near g²`, [m/s²] (Clavet et al.
/// 2005, eq. 6). Each particle gets half of it.
SPH_FN real pair_acceleration(Pair p, real g) { return (p.far + p.near * g) * g; }

/// A displacement limited to `±max`, [m].
SPH_FN real limited(real displacement, real max) { return min_of(max_of(displacement, -max), max); }

/// Viscosity of a pair.
struct Viscosity {
  /// `dt σ`, [-].
  real linear;
  /// `dt β`, [s/m].
  real quadratic;
  /// Fraction of its approach velocity that a pair may lose, [-].
  real max_fraction;

  /// The impulse `I = dt g (σ u + β u²) ≤ u` of a pair with the approach speed u; 0 of a separating one, [m/s]
  /// (Clavet et al. 2005, eq. 8). Each particle gets half of it.
  SPH_FN real impulse(real u, real g) const {
    u = max_of(u, real(0.0));
    const real taken = g * u * (linear + quadratic * u);
    return min_of(taken, max_fraction * u);
  }
};

/// Springs of a step.
struct Spring {
  /// `dt² k_spring`, [-].
  real stiffness;
  /// Interaction radius, [m].
  real h;

  /// Displacement of a pair: `dt² k (1 − L/h)(L − r)`, [m] (Clavet et al. 2005, eq. 7). Each particle gets half of it.
  SPH_FN real displacement(real rest, real r) const {
    return stiffness * (real(1.0) - rest / h) * (rest - r);
  }
};

/// Plastic flow of rest lengths.
struct Flow {
  /// `dt α`, at most 1, [-].
  real rate;
  /// Yield ratio γ, [-].
  real yield_ratio;

  /// The rest length after a step at the distance r, which flows beyond the yield ratio, [m] (Clavet et al. 2005,
  /// §5.2).
  SPH_FN real rest(real rest, real r) const {
    const real tolerance = yield_ratio * rest;
    const real too_long = max_of(r - rest - tolerance, real(0.0));
    const real too_short = max_of(rest - tolerance - r, real(0.0));
    return rest + rate * (too_long - too_short);
  }
};

/// Constants of the kernels in a step.
struct Constants {
  /// The domain.
  Domain domain;
  /// External accelerations.
  Forces forces;
  Stiffness stiffness;
  Viscosity viscosity;
  Spring spring;
  Flow flow;
  /// 1 over the interaction radius, [1/m].
  real inv_h;
  /// `dt²`, [s²].
  real dt2;
  /// Largest displacement by a pair, [m].
  real max_displacement;
  /// Density at rest over the double density of the lattice, [kg/m³].
  real to_density;
  /// 1 over the volume of a particle, [1/m^D].
  real inv_volume;
  /// Not 0 when springs are created.
  int creates;
};

}  // namespace visco
}  // namespace SPH_SPACE
