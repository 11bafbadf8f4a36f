// The formulas of the viscoelastic fluid; the twin of `solver-viscoelastic/src/physics.rs`, name by name, and the block of
// constants that its kernels read.
//
// `x_ij = x_i − x_j` points from j to i, so that a positive number along it pushes i away from j. g is the closeness,
// P and P_near are the pressures of the double density (Clavet et al. 2005).
#pragma once
#include "common/numerics/space.cuh"

inline namespace SPH_SPACE {
namespace visco {

/// Distances are taken at least this long where one divides by them: coincident particles then have no direction.
constexpr real TINY = real(1e-30);

/// Closeness `g = (1 − r/h)₊`, [-] (Clavet et al. 2005, §4.1).
SPH_FN real closeness(real r, real inv_h) { return max_of(real(1.0) - r * inv_h, real(0.0)); }

/// `1/r`, finite for coincident particles, [1/m].
SPH_FN real inverse(real r) { return real(1.0) / max_of(r, TINY); }

/// Two numbers of a double density: of ρ and of ρ_near, or of P and of P_near.
struct Pair {
  real far, near;
};

/// What a particle adds to density and near density of another: `g²` and `g³` (Clavet et al. 2005, eq. 1, 3).
SPH_FN Pair density_terms(real g) {
  const real g2 = g * g;
  return {g2, g2 * g};
}

/// Pressures of double density: `P = k (ρ − ρ₀)` and `P_near = k_near ρ_near` (Clavet et al. 2005, eq. 2, 4).
struct Stiffness {
  /// Stiffness k over what densities are divided by, [m/s²].
  real k;
  /// Near stiffness over what near densities are divided by, [m/s²].
  real k_near;
  /// `k ρ₀`, [m/s²].
  real k_rest;
  /// −P over P_near at which the lattice neither contracts nor expands, [-].
  real balance;

  /// P and P_near from the sums of `g²` and `g³`, [m/s²].
  SPH_FN Pair pressures(Pair rho) const { return {k * rho.far - k_rest, k_near * rho.near}; }

  /// What a wall answers the pressures of a particle with: the same, but no more tension than what the near pressure
  /// balances, so that walls do not pull a layer at the spacing of the lattice.
  SPH_FN Pair on_wall(Pair p) const { return {max_of(p.far, -balance * p.near), p.near}; }
};

/// How far a pair moves apart because of one of its particles, without dt²: `P g + P_near g²`, [m/s²] (Clavet et al.
/// 2005, eq. 6). Half of it is for each.
SPH_FN real pair_acceleration(Pair p, real g) { return (p.far + p.near * g) * g; }

/// Size of a displacement, kept within `±max`, [m].
SPH_FN real limited(real displacement, real max) { return min_of(max_of(displacement, -max), max); }

/// Viscosity of a pair.
struct Viscosity {
  /// `dt σ`, [-].
  real linear;
  /// `dt β`, [s/m].
  real quadratic;
  /// Part of the approach that a pair may take away, [-].
  real max_fraction;

  /// The impulse `I = dt g (σ u + β u²) ≤ u` of a pair that comes nearer with the speed u; 0 of one that parts, [m/s]
  /// (Clavet et al. 2005, eq. 8). Half of it is for each.
  SPH_FN real impulse(real u, real g) const {
    u = max_of(u, real(0.0));
    const real taken = g * u * (linear + quadratic * u);
    return min_of(taken, max_fraction * u);
  }
};

/// How a spring of rest length L answers.
struct Spring {
  /// `dt² k_spring`, [-].
  real stiffness;
  /// Interaction radius, [m].
  real h;

  /// How far a pair moves apart: `dt² k (1 − L/h)(L − r)`, [m] (Clavet et al. 2005, eq. 7). Half of it is for each.
  SPH_FN real displacement(real rest, real r) const {
    return stiffness * (real(1.0) - rest / h) * (rest - r);
  }
};

/// How rest lengths flow.
struct Flow {
  /// `dt α`, at most 1, [-].
  real rate;
  /// Yield ratio γ, [-].
  real yield_ratio;

  /// The rest length after a step at the distance r: it follows what exceeds the yield ratio, [m] (Clavet et al. 2005,
  /// §5.2).
  SPH_FN real rest(real rest, real r) const {
    const real tolerance = yield_ratio * rest;
    const real too_long = max_of(r - rest - tolerance, real(0.0));
    const real too_short = max_of(rest - tolerance - r, real(0.0));
    return rest + rate * (too_long - too_short);
  }
};

/// What the kernels read in a step.
struct Constants {
  /// The space that may be used.
  Domain domain;
  /// Accelerations from outside.
  Forces forces;
  /// What pressures follow from.
  Stiffness stiffness;
  /// Impulses between neighbors.
  Viscosity viscosity;
  /// What springs do.
  Spring spring;
  /// How they change.
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
  /// Not 0 when pairs without a spring get one.
  int creates;
};

}  // namespace visco
}  // namespace SPH_SPACE
