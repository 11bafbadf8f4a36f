// The formulas of the staggered projection; the twin of `solver-projection/src/physics.rs`, name by name, and the
// block of constants that its kernels read.
//
// `q = r/h`; `n_ij` points from j to i; `a_ij = 1/α_i + 1/α_j`. Gradient, divergence and Laplacian carry the same
// factor `1/d`: the mean of `n nᵀ` over all directions is `I/d`.
#pragma once
#include "common/numerics/kernel.cuh"

inline namespace SPH_SPACE {
namespace projection {

/// Distances below this part of h count as 0: coincident particles have no direction.
constexpr real TINY = real(1e-6);

/// Forms of the weight: `w = 1 − q⁴` (PeriDyno), `q (1 − q)²`, `q² (1 − q)³`. Twin of `WeightForm` in
/// `params.rs`.
enum WeightForm { MPS_QUARTIC, SPIKY, WENDLAND };

/// The weights of one pair.
struct Weighed {
  /// `1/r`, bounded where r is 0, [1/m].
  real inv_r;
  /// `w`, [-].
  real w;
  /// `w/r_c`, [1/m].
  real w1;
  /// `w/r_c²`, [1/m²].
  real w2;
};

/// The weights of one pair in the viscosity along lines of centers.
struct CentralWeights {
  /// `1/r`, bounded where r is 0, [1/m].
  real inv_r;
  /// `w`, [-].
  real w;
  /// `w/r²`, [1/m²].
  real w2;
};

/// Weights of a neighbor: `w` and, with the clamped distance `r_c = max(r, c h)`, `w¹ = w/r_c` and `w² = w/r_c²`.
struct Weight {
  /// What w is of q: a `WeightForm`.
  int form;
  /// `1/h`, [1/m].
  real inv_h;
  /// 1 over the clamped radius, [1/m].
  real inv_clamp;

  /// At a squared distance, [m²]. All vanish from h on.
  SPH_FN Weighed at(real r2) const {
    const real inv_r = real(1.0) / max_of(sqrt(r2), TINY / inv_h);
    const real inv_c = min_of(inv_r, inv_clamp);
    const real w = of(r2 * inv_h * inv_h);
    const real w1 = w * inv_c;
    return {inv_r, w, w1, w1 * inv_c};
  }

  /// `w` at a squared `q`. Beyond h, where q may overflow, q is held at 1.
  SPH_FN real of(real q2) const {
    const real zero = real(0.0), one = real(1.0);
    if (form == MPS_QUARTIC) return max_of(zero, one - q2 * q2);
    const real held = min_of(one, q2);
    const real q = min_of(one, sqrt(q2)), left = one - q;
    if (form == SPIKY) return max_of(q, inv_h / inv_clamp) * (left * left);
    return held * left * (left * left); // WENDLAND
  }

  /// Those of the viscosity along lines of centers, `w = q⁴ (1 − q)³` whatever the form.
  SPH_FN CentralWeights central(real r2) const {
    const real one = real(1.0);
    const real inv_r = one / max_of(sqrt(r2), TINY / inv_h);
    const real q2 = min_of(one, r2 * inv_h * inv_h);
    const real left = one - sqrt(q2);
    const real w2 = q2 * left * (left * left);
    return {inv_r, q2 * w2, w2 * inv_h * inv_h};
  }
};

SPH_FN real dot(Vec a, Vec b);

/// Velocity of the fluid against a wall, `u = v_i − v_k`, in the divergence: normal to the wall all of an
/// approach, and the part `separation` of a departure; along the wall the part `tangential`. `n` is the normal into
/// the fluid.
SPH_FN Vec against_wall(Vec u, Vec n, real tangential, real separation) {
  const real u_n = dot(u, n);
  const real kept = min_of(real(0.0), u_n) + separation * max_of(real(0.0), u_n);
  Vec felt;
  for (int a = 0; a < DIM; a++) felt[a] = kept * n[a] + tangential * (u[a] - u_n * n[a]);
  return felt;
}

/// With how much of the pressure a wall acts on fluid that leaves it.
struct Parting {
  /// Part of a departure that the divergence counts, [-].
  real separation;
  /// The speed V up to which a wall acts with all of the pressure, [m/s].
  real speed;

  /// Part of the pressure with which a wall pushes fluid that moves by u against it: 1, and from twice the speed on what
  /// the divergence counts of the departure.
  SPH_FN real held(Vec u, Vec n) const {
    const real gone = min_of(real(1.0), max_of(real(0.0), dot(u, n) / speed - real(1.0)));
    return real(1.0) - (real(1.0) - separation) * gone;
  }
};

/// Contact: walls stop particles that would pass them in the step.
struct Contact {
  /// The step, [s].
  double dt;
  /// The gap that they keep, [m].
  double least;
  /// Squared distance, along a surface, within which there is a sample of it wherever its edges are, [m²].
  real pitch2;

  /// The gap from which on a particle counts as behind a wall, and is left alone, [m].
  SPH_FN static double behind(bool outside, double first_layer) { return outside ? 0.0 : -first_layer; }

  /// What a wall takes of the velocity of a particle along its normal, [m/s]: `max(min((least − g)/dt, −u_n), 0)`.
  SPH_FN double stopped(double gap, double u_n) const {
    const double lacks = (least - gap) / dt, approach = -u_n;
    const double change = lacks < approach ? lacks : approach;
    return change > 0.0 ? change : 0.0;
  }
};

/// The tangential wall correction: `E_i = d G/(α (α − d g))`, `G = Σ_k w (P n_ik)(P n_ik)ᵀ` with `P` along
/// the wall of ghost k, and g its size. Six numbers, the upper triangle row by row; those of the third axis are 0 in
/// 2D.
struct WallCorrection {
  real e[6];

  /// Term of a ghost in G over w: `n` points from the ghost to the particle, `normal` into the fluid.
  SPH_FN static WallCorrection of_ghost(Vec n, Vec normal) {
    const real across = dot(n, normal);
    real t[3] = {};
    for (int a = 0; a < DIM; a++) t[a] = n[a] - across * normal[a];
    return {{t[0] * t[0], t[0] * t[1], t[0] * t[2], t[1] * t[1], t[1] * t[2], t[2] * t[2]}};
  }

  /// `E x`.
  SPH_FN Vec times(Vec x) const {
    constexpr int ROWS[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    Vec product;
    for (int a = 0; a < DIM; a++) {
      product[a] = real(0.0);
      for (int b = 0; b < DIM; b++) product[a] = product[a] + e[ROWS[a][b]] * x[b];
    }
    return product;
  }
};

/// The least part of α of the fluid: in a corner ghosts may have nearly all of it.
constexpr real LEAST_OF_ALPHA = real(0.2);

/// E over G: `d/(α' max(α − d g, 0.2 α))` with `g = √(tr G²/(d − 1))`, which is the share of each direction along a
/// plane wall; `inv_alpha` is `1/α'`, α with its floor.
SPH_FN real correction_scale(WallCorrection g, real alpha, real inv_alpha) {
  const real xx = g.e[0], xy = g.e[1], xz = g.e[2], yy = g.e[3], yz = g.e[4], zz = g.e[5];
  const real squares = xx * xx + yy * yy + zz * zz + real(2.0) * (xy * xy + xz * xz + yz * yz);
  const real size = sqrt(squares / (real(DIM) - real(1.0)));
  const real left = alpha - real(DIM) * size;
  const real least = LEAST_OF_ALPHA * alpha;
  return real(DIM) * inv_alpha / (left < least ? least : left);
}

/// With less than this part of the diagonal or of α a particle is of the surface wherever its neighbors are: it is spray.
constexpr real SPRAY = real(0.5);

/// Part of the diagonal by the fluid below which walls do not count as neighbors of a particle.
constexpr real LONE = real(0.1);

/// Bound of |σ| h below which a particle is not searched: neighbors on one side only give one to two.
constexpr real STEEPEST = real(3.0);

/// A search that raises a Dirichlet term by a smaller part than this changes nothing.
constexpr real GROWTH = real(1e-3);

/// Dirichlet term `d |σ_i|²` of a particle that the pressure accelerates into a void, `d dt/ρ₀ |σ_i| p_i > V`, [1/m²]; 0 of others.
/// `push` is `d dt/ρ₀ p_i`, [m²/s].
SPH_FN real of_void(real push, real sigma2, real speed) {
  return push * sqrt(sigma2) > speed ? real(DIM) * sigma2 : real(0.0);
}

/// When a particle is of the free surface, and its Dirichlet term there.
struct FreeSurface {
  /// Diagonal of a particle inside of the fluid, [1/m²].
  real reference;
  /// Part χ of it below which neighbors are missing, [-].
  real threshold;
  /// Asymmetry from which on they are missing on one side, [-].
  real asymmetry;
  /// Factor of the reference beside a wall, [-].
  real at_wall;
  /// Part of α below which a particle is of a spray, [-].
  real spray;
  /// Not 0 where asymmetry alone tells.
  int by_asymmetry;

  /// The diagonal that counts, [1/m²], of a particle with `fluid` by the fluid and `total` by walls, too.
  SPH_FN real counted(real fluid, real total) const { return fluid < LONE * reference ? fluid : total; }

  /// Whether a particle is of the surface. `total` is its diagonal, [1/m²]; `alpha` and `asymmetry_i` are its `Σ w` and
  /// `|Σ w n|` over the lattice's α.
  SPH_FN bool holds(real total, real alpha, real asymmetry_i, bool beside_wall) const {
    const real full = beside_wall ? at_wall * reference : reference;
    const bool lacks = ((by_asymmetry != 0) | (total < threshold * full)) & (asymmetry_i >= asymmetry);
    return lacks | (total < SPRAY * full) | (alpha < spray);
  }

  /// Dirichlet term `s_i` of a particle of the surface: what its diagonal lacks, at least that of the lattice in proportion
  /// to the α that a spray lacks, [1/m²].
  SPH_FN real missing(real total, real alpha, bool beside_wall) const {
    const real full = beside_wall ? at_wall * reference : reference;
    const real of_spray = alpha < spray ? (real(1.0) - alpha) * reference : real(0.0);
    const real lacks = full - total;
    return lacks < of_spray ? of_spray : lacks;
  }
};

/// Part of α that particles of the surface must have among the neighbors of one in the surface region.
constexpr real REACH = real(1e-3);

/// The largest density deficit that the source takes out, [-].
constexpr real LACK = real(-0.05);

/// Density error that the source takes out: `ρ/ρ₀ − 1`, of which a deficit counts inside of the fluid alone, and not
/// more than LACK.
SPH_FN real density_error(real excess, bool two_sided) {
  const real least = two_sided ? LACK : real(0.0);
  return excess < least ? least : excess;
}

/// The scalar product.
SPH_FN real dot(Vec a, Vec b) {
  real sum = a[0] * b[0];
  for (int k = 1; k < DIM; k++) sum = sum + a[k] * b[k];
  return sum;
}

/// XSPH weight of a pair (Monaghan 1992, eq. 7.1): `2 m/(ρ_i + ρ_j) W_ij`.
SPH_FN real xsph(real m, real rho_i, real rho_j, real w) { return real(2.0) * m / (rho_i + rho_j) * w; }

/// How much farther the mirror image of a particle behind a wall is from it than the wall: `(d_i + d_k)/d_i` with the
/// distance `d_i` of the particle before the wall, held at `least`, and the depth `d_k` of the sample.
SPH_FN real mirrored(real before, real depth, real least) {
  before = max_of(before, least);
  return (before + depth) / before;
}

/// What the kernels read in a step.
struct Constants {
  /// Weights of neighbors.
  Weight weight;
  /// Kernel of the density, a cubic spline.
  KernelConstants kernel;
  /// The space that may be used.
  Domain domain;
  /// Accelerations from outside.
  Forces forces;
  /// What makes a particle one of the surface.
  FreeSurface surface;
  /// Mass of a particle, [kg].
  real m;
  /// Rest density ρ₀, [kg/m³].
  real rho_0;
  /// Sum of weights of a full neighborhood, [-].
  real alpha;
  /// With how much of the pressure walls act.
  Parting parting;
  /// Part of the tangential velocity of walls, of that which viscosity feels, in the divergence, [-].
  real slide;
  /// Part of the tangential velocity of walls that the fluid feels, read where `own_slip` is 0, [-].
  real tangential;
  /// Part c of XSPH, [-].
  real xsph;
  /// A particle is never nearer to a wall than this in viscosity, [m].
  real before;
  /// Sums of weights of the viscosity along lines of centers are never less, [-].
  real least_central;
  /// The least pressure with which walls are pushed, [Pa].
  real least_pushed;
  /// Displacement by shifting, in parts of that of the fastest particle; 0 is off, [-].
  real shift;
  /// The largest displacement by shifting in a step, [m].
  real longest;
  /// Not 0 when each wall has its own slip.
  int own_slip;
  /// Not 0 when sums of weights have their floor everywhere.
  int floor_everywhere;
  /// Not 0 when there is a free surface.
  int free_surface;
  /// Not 0 when the density takes part in the source with both signs.
  int two_sided;
  /// Not 0 with the tangential wall correction.
  int wall_correction;
  /// Not 0 where the particles in reach of the surface are known.
  int has_surface_region;
  /// Not 0 where their gradient is the mirrored one of either sign.
  int mirrors_surface_region;
};

}  // namespace projection
}  // namespace SPH_SPACE
