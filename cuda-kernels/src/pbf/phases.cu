// SMOOTHING CubicSpline Poly6Spiky
//
// The constraint of Position Based Fluids on the GPU: one thread a particle, gather only, no atomics.
//
// The twin of `pack.rs`, `lambda.rs` and `correction.rs` in `solver-pbf/src/cpu`, loop by loop. Sums run over neighbors
// in ascending order in one chain, so they differ in rounding from those of the CPU, which has one chain a lane.
#include "common/boundary/loads.cuh"
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// The predicted positions that the iteration starts from.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_positions(Points x, u32 n, Packed* __restrict__ x_star) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed record = {};
  for (int a = 0; a < DIM; a++) record.a[a] = x.x[a][i];
  x_star[i] = record;
}
SHIM_EXPORT(pbf_pack_positions)

/// Walls where they are now: [x y z psi] with `psi = ρ₀ V_b`.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_walls(Constants c, Points x, const real* __restrict__ volume, u32 n, Packed* __restrict__ x_psi) {
  const u32 b = thread_index();
  if (b >= n) return;
  Packed record = {};
  for (int a = 0; a < DIM; a++) record.a[a] = x.x[a][b];
  record.a[3] = c.rho_0 * volume[b];
  x_psi[b] = record;
}
SHIM_EXPORT(pbf_pack_walls)

// -------------------------------------------------------------------------------------------------------- lambda.rs

/// What the loops over the constraint read beside the records of the fluid.
struct Near {
  /// Neighbors of fluid in fluid, and in walls.
  Rows fluid, walls;
  /// [x y z psi] of the walls.
  const Packed* x_psi /* [0] */;
};

/// Calls `f(psi_b, x_ib, |x_ib|²)` for the wall samples around `i`.
template <class F> SPH_FN void visit_walls(const Constants& c, const Near& near, u32 i, Vec x_i, F f) {
  visit_points(c, near.walls, near.x_psi, i, x_i,
               [&](const Point& b, Vec x_ib, real r2) { f(b.place.a[3], x_ib, r2); });
}

/// Sums of the constraint over neighbors of one kind.
struct Sums {
  /// Σ of masses times W, and of squared gradients.
  real w, squares;
  /// Σ of masses times ∇W.
  Vec gradient;
};

/// `ρ_i = Σ_j m W_ij + Σ_b psi_b W_ib` (itself included), `∇_i C_i = 1/ρ₀ (Σ_j m ∇W_ij + Σ_b psi_b ∇W_ib)`,
/// `∇_j C_i = −m/ρ₀ ∇W_ij`, and `λ̂_i = −C_i / (|∇_i C_i|² + Σ_j |∇_j C_i|² + ε)` (Macklin & Müller 2013, eq. 11). Wall
/// samples do not move: they have no `∇_b C_i` unless they count in the denominator. Reads `x_star` as [x y z ·].
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_lambda(Constants c, Near near, const Packed* __restrict__ x_star, u32 n, Packed* __restrict__ x_lambda,
           real* __restrict__ rho, real* __restrict__ lambda) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  Packed record = load(x_star, i);
  const Vec x_i = vector(record);
  Sums inner = {real(0), real(0), zero()}, outer = inner;
  visit_points(c, near.fluid, x_star, i, x_i, [&](const Point&, Vec x_ij, real r2) {
    const real f = kernel.grad_factor(r2);
    inner.w += kernel.w(r2);
    inner.squares += f * f * r2;
    add(inner.gradient, f, x_ij);
  });
  visit_walls(c, near, i, x_i, [&](real psi, Vec x_ib, real r2) {
    const real f = psi * kernel.grad_factor(r2);
    outer.w += psi * kernel.w(r2);
    outer.squares += f * f * r2;
    add(outer.gradient, f, x_ib);
  });
  const real volume = c.m / c.rho_0, inv_rho_0 = real(1) / c.rho_0;
  const real rho_i = c.m * (inner.w + kernel.w_0()) + outer.w;
  Vec gradient;
  for (int a = 0; a < DIM; a++) gradient[a] = volume * inner.gradient[a] + inv_rho_0 * outer.gradient[a];
  real sum = volume * volume * inner.squares;
  if (c.walls_in_denominator) sum += inv_rho_0 * inv_rho_0 * outer.squares;
  const real error = constraint(rho_i, inv_rho_0, c.unilateral != 0);
  record.a[3] = pbf::lambda(error, norm2(gradient), sum, c.epsilon);
  x_lambda[i] = record, rho[i] = rho_i, lambda[i] = record.a[3];
}
SHIM_EXPORT(pbf_lambda)

/// The density alone, where no correction will follow.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_density(Constants c, Near near, const Packed* __restrict__ x_star, u32 n, real* __restrict__ rho) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Vec x_i = vector(load(x_star, i));
  real inner = real(0), outer = real(0);
  visit_points(c, near.fluid, x_star, i, x_i, [&](const Point&, Vec, real r2) { inner += kernel.w(r2); });
  visit_walls(c, near, i, x_i, [&](real psi, Vec, real r2) { outer += psi * kernel.w(r2); });
  rho[i] = c.m * (inner + kernel.w_0()) + outer;
}
SHIM_EXPORT(pbf_density)

// ---------------------------------------------------------------------------------------------------- correction.rs

/// `Δx_i = 1/ρ₀ [Σ_j m (λ̂_i + λ̂_j + s_ij) ∇W_ij + λ̂_i Σ_b psi_b ∇W_ib]` (Macklin & Müller 2013, eq. 12 and 14), and the
/// number of violated constraints in it, of which those of the neighbors are counted if corrections are averaged.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_delta_x(Constants c, Near near, const Packed* __restrict__ x_lambda, u32 n, Packed* __restrict__ delta) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed record = load(x_lambda, i);
  const Vec x_i = vector(record);
  const real l_i = record.a[3];
  Vec inner = zero(), outer = zero();
  real count = is_nonzero(l_i);
  visit_points(c, near.fluid, x_lambda, i, x_i, [&](const Point& j, Vec x_ij, real r2) {
    const real l_j = j.place.a[3], f = kernel.grad_factor(r2);
    add(inner, (l_i + l_j + c.scorr.s(kernel.w(r2))) * f, x_ij);
    // F is 0 beyond the support.
    if (c.averages) count += is_nonzero(l_j * f);
  });
  if (l_i != real(0)) {
    visit_walls(c, near, i, x_i,
                [&](real psi, Vec x_ib, real r2) { add(outer, psi * kernel.grad_factor(r2), x_ib); });
  }
  const real inv_rho_0 = real(1) / c.rho_0;
  Packed out = {};
  for (int a = 0; a < DIM; a++) out.a[a] = inv_rho_0 * (c.m * inner[a] + l_i * outer[a]);
  out.a[3] = count;
  delta[i] = out;
}
SHIM_EXPORT(pbf_delta_x)

/// `x* + f Δx`.
SPH_FN Vec corrected(const Constants& c, const Packed& x_star, const Packed& delta) {
  const real f = relaxation_of(c, delta.a[3]);
  Vec x = vector(x_star);
  for (int a = 0; a < DIM; a++) x[a] = x[a] + f * delta.a[a];
  return x;
}

/// Sums what the container `last` is about to give to particles over their mass by displacements of which each changes the
/// velocity by `rate` [1/s] times itself, and moves none.
// THEN merge_given
KERNEL void __launch_bounds__(REDUCE_THREADS, GIVEN_BLOCKS)
pbf_given_in_correction(Constants c, Containers containers, u32 last, double rate, const Packed* __restrict__ delta,
                        u32 n, const Packed* __restrict__ x_star, Wrench* __restrict__ partial) {
  sum_given(containers, last, rate, n, partial,
            [&](u32 i) { return Free{corrected(c, load(x_star, i), load(delta, i)), zero()}; });
}
SHIM_EXPORT(pbf_given_in_correction)

/// `x* ← x* + f Δx`, inside of the containers. Where that is not finite `x*` stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS, CONTAIN_BLOCKS)
pbf_apply(Constants c, Containers containers, const Packed* __restrict__ delta, u32 n, Packed* __restrict__ x_star,
          u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed record = x_star[i];
  Vec x = corrected(c, record, load(delta, i));
  containers.keep(x);
  bool finite = true;
  for (int a = 0; a < DIM; a++) finite = finite & is_finite(x[a]), record.a[a] = x[a];
  if (finite) {
    x_star[i] = record;
  } else {
    lost[i] = 1u;
  }
}
SHIM_EXPORT(pbf_apply)

}  // namespace SPH_SPACE
