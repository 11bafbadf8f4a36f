// SMOOTHING CubicSpline WendlandC2 Poly6Spiky
//
// The constraint of Position Based Fluids on the GPU: one thread a particle, gather only, no atomics.
//
// The twin of `pack.rs`, `lambda.rs` and `correction.rs` in `solver-pbf/src/cpu`, loop by loop. Sums run over neighbors
// in ascending order in one chain, so they differ from the processor's, which has one chain a lane, in the last places.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// The predicted positions that the iteration starts from, and μ where masses are unequal.
KERNEL void __launch_bounds__(THREADS)
pbf_pack(Constants c, Points x, const u64* __restrict__ id /* [n if c.unequal != 0] */, u32 n,
         Packed* __restrict__ place, real* __restrict__ mu /* [n if c.unequal != 0] */) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed record = {};
  for (int a = 0; a < DIM; a++) record.a[a] = x.x[a][i];
  place[i] = record;
  if (c.unequal) mu[i] = real(1) + c.mass_spread * deviation(id[i]);
}
SHIM_EXPORT(pbf_pack)

/// Walls where they are: [x y z psi] with `psi = ρ₀ V_b`, and [v no-slip] if fluid sticks to some.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_walls(Constants c, Points x, const real* __restrict__ volume, Points v /* [n if c.wall_xsph > 0.0] */,
               Sets sets /* [n if c.wall_xsph > 0.0] */, u32 n, Packed* __restrict__ samples,
               Packed* __restrict__ motion /* [n if c.wall_xsph > 0.0] */) {
  const u32 b = thread_index();
  if (b >= n) return;
  Packed at = {};
  for (int a = 0; a < DIM; a++) at.a[a] = x.x[a][b];
  at.a[3] = c.rho_0 * volume[b];
  samples[b] = at;
  if (!(c.wall_xsph > real(0))) return;
  Packed moving = {};
  for (int a = 0; a < DIM; a++) moving.a[a] = v.x[a][b];
  moving.a[3] = sets.is_no_slip(b) ? real(1) : real(0);
  motion[b] = moving;
}
SHIM_EXPORT(pbf_pack_walls)

// -------------------------------------------------------------------------------------------------------- lambda.rs

/// What the loops over the constraint read beside the records of the fluid.
struct Near {
  /// Neighbors of fluid in fluid, and in walls.
  Rows fluid, walls;
  /// [x y z psi] of the walls.
  const Packed* samples /* [0] */;
  /// Masses over that at rest; not read of equal ones. Shape [n].
  const real* mu /* [n if c.unequal != 0] */;
};

/// μ of a particle: 1 where all are equal.
template <bool UNEQUAL> SPH_FN real mu_of(const Near& near, u32 i) {
  return UNEQUAL ? __ldg(near.mu + i) : real(1);
}

/// Calls `f(s_j, μ_j, x_ij, |x_ij|²)` for the neighbors of `i` in the fluid; s_j is the last number of a record.
template <bool UNEQUAL, class F>
SPH_FN void visit_fluid(const Constants& c, const Near& near, const Packed* place, u32 i, Vec x_i, F f) {
  visit(c, near.fluid, i, x_i, [&](u32 j) { return Weighted{load(place, j), mu_of<UNEQUAL>(near, j)}; },
        [&](const Weighted& j, Vec x_ij, real r2) { f(j.place.a[3], j.mu, x_ij, r2); });
}

/// Calls `f(psi_b, x_ib, |x_ib|²)` for the wall samples around `i`.
template <class F> SPH_FN void visit_walls(const Constants& c, const Near& near, u32 i, Vec x_i, F f) {
  visit_points(c, near.walls, near.samples, i, x_i,
               [&](const Point& b, Vec x_ib, real r2) { f(b.place.a[3], x_ib, r2); });
}

/// Sums of the constraint over neighbors of one kind.
struct Sums {
  /// Σ of masses times W, and of squared gradients.
  real w, squares;
  /// Σ of masses times ∇W.
  Vec gradient;
};

/// `ρ_i` [kg/m³] and `λ̂_i` [m²] from the sums over fluid and walls.
SPH_FN void settle_constraint(const Constants& c, const Sums& inner, const Sums& outer, real mu_i, real& rho,
                              real& lambda_i) {
  const Kernel kernel{c.kernel};
  const real volume = c.m / c.rho_0, solid = c.solid / c.rho_0;
  rho = c.m * (inner.w + mu_i * kernel.w_0()) + c.solid * outer.w;
  Vec gradient;
  for (int a = 0; a < DIM; a++) gradient[a] = volume * inner.gradient[a] + solid * outer.gradient[a];
  real sum = volume * volume * inner.squares;
  if (c.walls_in_denominator) sum += solid * solid * outer.squares;
  const real error = constraint(rho, real(1) / c.rho_0, c.unilateral != 0);
  lambda_i = lambda(error, norm2(gradient) / c.weights.of_own(mu_i), sum, c.epsilon);
}

template <bool UNEQUAL>
SPH_FN void lambda_of(const Constants& c, const Near& near, const Packed* place, u32 i, Packed* push, real* rho,
                      real* lambda) {
  const Kernel kernel{c.kernel};
  Packed record = load(place, i);
  const Vec x_i = vector(record);
  Sums inner = {real(0), real(0), zero()}, outer = inner;
  visit_fluid<UNEQUAL>(c, near, place, i, x_i, [&](real, real mu_j, Vec x_ij, real r2) {
    const real f = kernel.grad_factor(r2);
    inner.w += mu_j * kernel.w(r2);
    inner.squares += c.weights.of_gradient(mu_j) * (f * f * r2);
    add(inner.gradient, mu_j * f, x_ij);
  });
  visit_walls(c, near, i, x_i, [&](real psi, Vec x_ib, real r2) {
    const real f = psi * kernel.grad_factor(r2);
    outer.w += psi * kernel.w(r2);
    outer.squares += f * f * r2;
    add(outer.gradient, f, x_ib);
  });
  real rho_i, lambda_i;
  settle_constraint(c, inner, outer, mu_of<UNEQUAL>(near, i), rho_i, lambda_i);
  record.a[3] = lambda_i;
  push[i] = record, rho[i] = rho_i, lambda[i] = lambda_i;
}

/// `ρ_i = Σ_j m_j W_ij + Σ_b s psi_b W_ib` (itself included),
/// `∇_i C_i = 1/ρ₀ (Σ_j m_j ∇W_ij + Σ_b s psi_b ∇W_ib)`, `∇_j C_i = −m_j/ρ₀ ∇W_ij`, and
/// `λ̂_i = −C_i / (|∇_i C_i|²/μ_i + Σ_j |∇_j C_i|²/μ_j + ε)` (Macklin & Müller 2013, eq. 11). Samples of walls have no
/// inverse mass. Reads `place` as [x y z ·]; written: records with λ̂, densities, λ̂.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_lambda(Constants c, Near near, const Packed* __restrict__ place, u32 n, Packed* __restrict__ push,
           real* __restrict__ rho, real* __restrict__ lambda) {
  const u32 i = thread_index();
  if (i >= n) return;
  if (c.unequal) {
    lambda_of<true>(c, near, place, i, push, rho, lambda);
  } else {
    lambda_of<false>(c, near, place, i, push, rho, lambda);
  }
}
SHIM_EXPORT(pbf_lambda)

template <bool UNEQUAL> SPH_FN real density_of(const Constants& c, const Near& near, const Packed* place, u32 i) {
  const Kernel kernel{c.kernel};
  const Vec x_i = vector(load(place, i));
  real inner = real(0), outer = real(0);
  visit_fluid<UNEQUAL>(c, near, place, i, x_i,
                       [&](real, real mu_j, Vec, real r2) { inner += mu_j * kernel.w(r2); });
  visit_walls(c, near, i, x_i, [&](real psi, Vec, real r2) { outer += psi * kernel.w(r2); });
  return c.m * (inner + mu_of<UNEQUAL>(near, i) * kernel.w_0()) + c.solid * outer;
}

/// The density alone, where no correction will follow.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_density(Constants c, Near near, const Packed* __restrict__ place, u32 n, real* __restrict__ rho) {
  const u32 i = thread_index();
  if (i >= n) return;
  rho[i] = c.unequal ? density_of<true>(c, near, place, i) : density_of<false>(c, near, place, i);
}
SHIM_EXPORT(pbf_density)

// ---------------------------------------------------------------------------------------------------- correction.rs

template <bool UNEQUAL>
SPH_FN Packed delta_x_of(const Constants& c, const Near& near, const Packed* push, u32 i) {
  const Kernel kernel{c.kernel};
  const Packed record = load(push, i);
  const Vec x_i = vector(record);
  const real l_i = record.a[3], mu_i = mu_of<UNEQUAL>(near, i);
  Vec inner = zero(), outer = zero();
  real count = is_nonzero(l_i);
  visit_fluid<UNEQUAL>(c, near, push, i, x_i, [&](real l_j, real mu_j, Vec x_ij, real r2) {
    const real f = kernel.grad_factor(r2), s_ij = c.scorr.s(kernel.w(r2));
    const real along = UNEQUAL ? pair_correction(l_i, l_j, s_ij, mu_i, mu_j) : l_i + l_j + s_ij;
    add(inner, along * f, x_ij);
    // In reach: its gradient does not vanish.
    if (c.averages) count += is_nonzero(l_j * f);
  });
  if (l_i != real(0)) {
    visit_walls(c, near, i, x_i,
                [&](real psi, Vec x_ib, real r2) { add(outer, psi * kernel.grad_factor(r2), x_ib); });
  }
  const real inv = real(1) / (c.rho_0 * c.weights.of_own(mu_i));
  Packed delta = {};
  for (int a = 0; a < DIM; a++) delta.a[a] = inv * (c.m * inner[a] + l_i * c.solid * outer[a]);
  delta.a[3] = count;
  return delta;
}

/// `Δx_i = 1/(μ_i ρ₀) [Σ_j m (μ_j λ̂_i + μ_i λ̂_j + μ_i μ_j s_ij) ∇W_ij + λ̂_i Σ_b s psi_b ∇W_ib]` (Macklin & Müller 2013,
/// eq. 12 and 14), and the number of constraints in it if corrections are averaged: its own, and those of its neighbors
/// that are broken. Unequal masses always have s_corr, to have fewer loops.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_delta_x(Constants c, Near near, const Packed* __restrict__ push, u32 n, Packed* __restrict__ delta) {
  const u32 i = thread_index();
  if (i >= n) return;
  if (c.unequal) {
    delta[i] = delta_x_of<true>(c, near, push, i);
  } else {
    delta[i] = delta_x_of<false>(c, near, push, i);
  }
}
SHIM_EXPORT(pbf_delta_x)

/// `x* ← x* + f Δx`, inside of the containers. Where that is not finite `x*` stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
pbf_apply(Constants c, Containers containers, const Packed* __restrict__ delta, u32 n, Packed* __restrict__ place,
          u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed correction = load(delta, i);
  const real f = relaxation_of(c, correction.a[3]);
  Packed record = place[i];
  Vec x = vector(record);
  for (int a = 0; a < DIM; a++) x[a] = x[a] + f * correction.a[a];
  containers.keep(x);
  bool finite = true;
  for (int a = 0; a < DIM; a++) finite = finite & is_finite(x[a]), record.a[a] = x[a];
  if (finite) {
    place[i] = record;
  } else {
    lost[i] = 1u;
  }
}
SHIM_EXPORT(pbf_apply)

}  // namespace SPH_SPACE
