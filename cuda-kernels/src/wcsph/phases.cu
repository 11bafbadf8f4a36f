// The phases of weakly compressible SPH on the GPU: one thread a particle, gather only, no atomics.
//
// The twin of `solver-wcsph/src/cpu.rs` and `cpu/*.rs`, loop by loop. Neighbors are not stored: a thread walks the
// cells around it, whose records come from L1. Sums run over neighbors in ascending order in one chain, so they differ
// from the processor's, which has one chain a lane, in the last places.
//
// SMOOTHING bell
// WALKS Dense Kept
#include "wcsph/shared.cuh"

inline namespace SPH_SPACE {
using namespace wcsph;

// ------------------------------------------------------------------------------------------------------- density.rs

/// `ρ_i = Σ_j m W_ij + m W(0) + Σ_b psi_b W_ib`. Reads `place` of the walls as [x y z psi].
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
wcsph_summation(Constants c, Near fluid, Near walls /* [0] */, u32 n, real* __restrict__ rho) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Vec x_i = vector(load(fluid.place, i));
  real sum_w = real(0), sum_psi_w = real(0);
  visit(fluid, x_i, i, [&](u32, real, Vec, real r2) { sum_w += kernel.w(r2); });
  visit(walls, x_i, [&](u32, real psi, Vec, real r2) { sum_psi_w += psi * kernel.w(r2); });
  rho[i] = c.m * (sum_w + kernel.w_0()) + sum_psi_w;
}
SHIM_EXPORT(wcsph_summation)

/// Corrected gradient of density, `∇ρ_i = B_i⁻¹ Σ_j V_j (ρ_j − ρ_i) ∇W_ij`, `B_i = Σ_j V_j ∇W_ij x_jiᵀ`, into `extra`.
/// Walls do not enter. Reads `place` as [x y z ρ].
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
wcsph_gradient(Constants c, Near fluid, u32 n, Packed* __restrict__ extra) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed r_i = load(fluid.place, i);
  real b[DIM * (DIM + 1) / 2] = {};
  Vec right = zero();
  visit(fluid, vector(r_i), i, [&](u32, real rho_j, Vec x_ij, real r2) {
    const real v_f = c.m / rho_j * kernel.grad_factor(r2);
    int t = 0;
#pragma unroll
    for (int k = 0; k < DIM; k++)
#pragma unroll
      for (int l = k; l < DIM; l++) b[t++] -= v_f * x_ij[k] * x_ij[l];
    add(right, (rho_j - r_i.a[3]) * v_f, x_ij);
  });
  const Vec gradient = Symmetric(b).solve(right);
  Packed out = {};
  for (int a = 0; a < DIM; a++) out.a[a] = gradient[a];
  extra[i] = out;
}
SHIM_EXPORT(wcsph_gradient)

/// `ρ_i ← ρ_i + Δt (Σ_j m v_ij·∇W_ij + 2 δ h_s c₀ Σ_j V_j ψ_ij·∇W_ij + Σ_b psi_b v_ib·∇W_ib)`, not below the density of
/// cavitation. Reads `place` as [x y z ρ], of walls [x y z psi], and `extra` as [∇ρ ·]. The rate is of packed densities,
/// so a density may be written at once.
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
wcsph_continuity(Constants c, Near fluid, Near walls /* [0] */, const Packed* __restrict__ motion,
                 const Packed* __restrict__ extra, Points wall_v /* [walls.cells.order.len()] */, u32 n, real dt,
                 real* __restrict__ rho) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed r_i = load(fluid.place, i);
  const Vec x_i = vector(r_i), v_i = vector(load(motion, i));
  const Vec grad_i = vector(load(extra, i));
  const real rho_i = r_i.a[3];
  real inner = real(0), outer = real(0);
  visit(fluid, x_i, i, [&](u32 j, real rho_j, Vec x_ij, real r2) {
    const real f = kernel.grad_factor(r2);
    const Vec v_ij = difference(v_i, vector(load(motion, j)));
    Vec grads = vector(load(extra, j));
    for (int a = 0; a < DIM; a++) grads[a] = grad_i[a] + grads[a];
    const real flow = continuity(c.m, dot(v_ij, x_ij), f);
    inner += flow + c.diffusion * (c.m / rho_j) * density_diffusion(rho_j - rho_i, dot(grads, x_ij), f);
  });
  visit(walls, x_i, [&](u32 b, real psi, Vec x_ib, real r2) {
    outer += continuity(psi, dot(difference(v_i, wall_v[b]), x_ib), kernel.grad_factor(r2));
  });
  const real next = rho_i + dt * (inner + outer), floor = (real(1) - CAVITATION) * c.rho_0;
  // Not `max_of`, which would hide a NaN.
  rho[i] = next < floor ? floor : next;
}
SHIM_EXPORT(wcsph_continuity)

// ---------------------------------------------------------------------------------------------------- cpu.rs, pack.rs

/// Records `place` [x y z ρ] and `motion` [v ρ] of the density loops.
KERNEL void __launch_bounds__(THREADS)
wcsph_pack(Points x, Points v, const real* __restrict__ rho, u32 n, Packed* __restrict__ place,
           Packed* __restrict__ motion) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed at = {}, moving = {};
  for (int a = 0; a < DIM; a++) at.a[a] = x.x[a][i], moving.a[a] = v.x[a][i];
  at.a[3] = moving.a[3] = rho[i];
  place[i] = at, motion[i] = moving;
}
SHIM_EXPORT(wcsph_pack)

/// `p_i` from the equation of state, and the records [x y z p/ρ²] and [v ρ] of the momentum loop.
KERNEL void __launch_bounds__(THREADS)
wcsph_pressure(Constants c, Points x, Points v, const real* __restrict__ rho, u32 n, real* __restrict__ p,
               Packed* __restrict__ place, Packed* __restrict__ motion) {
  const u32 i = thread_index();
  if (i >= n) return;
  const real rho_i = rho[i], of_eos = pressure(c.eos, rho_i, c.rho_0);
  const real p_i = c.clamps ? max_of(of_eos, real(0)) : tensile_cutoff(of_eos, rho_i, c.rho_0);
  Packed at = {}, moving = {};
  for (int a = 0; a < DIM; a++) at.a[a] = x.x[a][i], moving.a[a] = v.x[a][i];
  at.a[3] = p_i / (rho_i * rho_i), moving.a[3] = rho_i;
  p[i] = p_i, place[i] = at, motion[i] = moving;
}
SHIM_EXPORT(wcsph_pressure)

/// Records of walls: [x y z psi], with `psi = ρ₀ V_b`.
KERNEL void __launch_bounds__(THREADS)
wcsph_pack_samples(Constants c, Points x, const real* __restrict__ volume, u32 n, Packed* __restrict__ place) {
  const u32 b = thread_index();
  if (b >= n) return;
  Packed at = {};
  for (int a = 0; a < DIM; a++) at.a[a] = x.x[a][b];
  at.a[3] = c.rho_0 * volume[b];
  place[b] = at;
}
SHIM_EXPORT(wcsph_pack_samples)

/// Records of walls for the momentum loop: [x y z p/ρ²], [v ρ] and [psi, psi if no-slip]. Dummy walls have the
/// pressure and velocity of `extrapolated` [p v̄], mirrored; `found` is 0 where no fluid is in reach. Others have none.
KERNEL void __launch_bounds__(THREADS)
wcsph_pack_walls(Constants c, const Packed* __restrict__ samples, Points v, Sets sets,
                 const real* __restrict__ p, Points mean, const u32* __restrict__ found, u32 n,
                 Packed* __restrict__ place, Packed* __restrict__ motion, Packed* __restrict__ mass) {
  const u32 b = thread_index();
  if (b >= n) return;
  const bool dummy = c.wall != WALL_MIRRORED, near = dummy && found[b] != 0;
  const real of_fluid = near ? p[b] : real(0);
  const real p_b = c.wall == WALL_DUMMY_TENSILE ? of_fluid : max_of(of_fluid, real(0));
  const real rho = dummy ? density_of_pressure(c.eos, p_b, c.rho_0) : c.rho_0;
  Packed at = load(samples, b), moving = {}, weight = {};
  const real psi = at.a[3];
  for (int a = 0; a < DIM; a++) {
    const real prescribed = v.x[a][b];
    moving.a[a] = near ? real(2) * prescribed - mean.x[a][b] : prescribed;
  }
  at.a[3] = p_b / (rho * rho), moving.a[3] = rho;
  weight.a[0] = psi, weight.a[1] = sets.is_no_slip(b) ? psi : real(0);
  place[b] = at, motion[b] = moving, mass[b] = weight;
}
SHIM_EXPORT(wcsph_pack_walls)

// --------------------------------------------------------------------------------------------------------- walls.rs

/// What the fluid is at a wall: `p_b = (Σ p W + (g − a_b)·Σ ρ x_bf W) / Σ W` (Adami, Hu & Adams 2012, eq. 27) and
/// `v̄_b = Σ v W / Σ W` (eq. 22). Without fluid in reach `found` is 0.
KERNEL void __launch_bounds__(THREADS, NEAR_BLOCKS)
wcsph_extrapolate(Constants c, Near fluid /* [0] */,
                  const Packed* __restrict__ motion /* [fluid.cells.order.len()] */, Points x, Points a, u32 n,
                  real* __restrict__ p, Writable mean, u32* __restrict__ found) {
  const u32 b = thread_index();
  if (b >= n) return;
  const Kernel kernel{c.kernel};
  real sum_w = real(0), sum_p = real(0);
  Vec sum_x = zero(), sum_v = zero();
  visit(fluid, x[b], [&](u32 f, real p_rho2, Vec x_bf, real r2) {
    const Packed moving = load(motion, f);
    const real w = kernel.w(r2), rho = moving.a[3];
    sum_w += w;
    sum_p += p_rho2 * rho * rho * w;
    for (int k = 0; k < DIM; k++) {
      sum_x[k] += rho * x_bf[k] * w;
      sum_v[k] += moving.a[k] * w;
    }
  });
  const bool near = sum_w > real(0);
  real weight = real(0);
  for (int k = 0; k < DIM; k++) weight += (c.forces.gravity[k] - a.x[k][b]) * sum_x[k];
  p[b] = near ? (sum_p + weight) / sum_w : real(0);
  for (int k = 0; k < DIM; k++) mean.x[k][b] = near ? sum_v[k] / sum_w : real(0);
  found[b] = near;
}
SHIM_EXPORT(wcsph_extrapolate)

// ------------------------------------------------------------------------------------------------------ momentum.rs

/// Records of walls that the momentum loop reads.
struct Walls {
  Near near /* [0] */;
  /// [v ρ].
  const Packed* motion /* [near.cells.order.len()] */;
  /// [psi, psi if no-slip].
  const Packed* mass /* [near.cells.order.len()] */;
};

SPH_FN Sample sample(real p_rho2, const Packed& mass) { return {p_rho2, mass.a[0], mass.a[1]}; }

/// `a_i = −Σ_j m (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij + viscosity + the same over walls + gravity`.
template <class V>
SPH_FN Vec acceleration_of(const Constants& c, V viscosity, const Near& fluid, const Packed* motion, const Walls& walls,
                           u32 i) {
  const Kernel kernel{c.kernel};
  const Packed r_i = load(fluid.place, i), moving = load(motion, i);
  const Vec x_i = vector(r_i), v_i = vector(moving);
  const real rho_i = moving.a[3];
  Vec inner = zero(), outer = zero();
  visit(fluid, x_i, i, [&](u32 j, real p_j, Vec x_ij, real r2) {
    const Packed other = load(motion, j);
    const real f = kernel.grad_factor(r2);
    const Pair pair{x_ij, difference(v_i, vector(other)), r2, f, rho_i, other.a[3]};
    const Factors along = viscosity.factors(pair, c.softening);
    const real radial = pressure_force(c.m, r_i.a[3], p_j, f) + c.m * along.along_x;
    for (int k = 0; k < DIM; k++) inner[k] += radial * x_ij[k] + c.m * along.along_v * pair.v_ij[k];
  });
  const real p_i = pressure_term(c.wall, r_i.a[3], rho_i, c.rho_0);
  visit(walls.near, x_i, [&](u32 b, real p_b, Vec x_ib, real r2) {
    const Packed other = load(walls.motion, b);
    const Pair pair{x_ib, difference(v_i, vector(other)), r2, kernel.grad_factor(r2), rho_i, other.a[3]};
    add(outer, real(1), wall_acceleration(c, viscosity, p_i, pair, sample(p_b, load(walls.mass, b))));
  });
  const Vec outside = c.forces.acceleration(x_i);
  for (int k = 0; k < DIM; k++) inner[k] = inner[k] + outer[k] + outside[k];
  return inner;
}

KERNEL void __launch_bounds__(THREADS, MOMENTUM_BLOCKS)
wcsph_acceleration(Constants c, Near fluid, const Packed* __restrict__ motion, Walls walls, u32 n, Writable a) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec a_i;
  // The loop itself holds no choice.
  switch (c.viscosity) {
    case VISCOSITY_MONAGHAN: a_i = acceleration_of(c, c.monaghan, fluid, motion, walls, i); break;
    case VISCOSITY_MORRIS: a_i = acceleration_of(c, c.morris, fluid, motion, walls, i); break;
    default: a_i = acceleration_of(c, c.solenoidal, fluid, motion, walls, i);
  }
  for (int k = 0; k < DIM; k++) a.x[k][i] = a_i[k];
}
SHIM_EXPORT(wcsph_acceleration)

/// Force on a sample of a dynamic body, opposite to that on the fluid: `F_b = −m Σ_i a_ib`.
template <class V>
SPH_FN Vec reaction_of(const Constants& c, V viscosity, const Near& fluid, const Packed* motion, const Walls& walls,
                       u32 b) {
  const Kernel kernel{c.kernel};
  const Packed r_b = load(walls.near.place, b), moving = load(walls.motion, b);
  const Sample of_b = sample(r_b.a[3], load(walls.mass, b));
  const Vec v_b = vector(moving);
  Vec sum = zero();
  visit(fluid, vector(r_b), [&](u32 i, real p_rho2, Vec x_bi, real r2) {
    const Packed other = load(motion, i);
    for (int k = 0; k < DIM; k++) x_bi[k] = -x_bi[k];
    const Pair pair{x_bi, difference(vector(other), v_b), r2, kernel.grad_factor(r2), other.a[3], moving.a[3]};
    const real p_i = pressure_term(c.wall, p_rho2, other.a[3], c.rho_0);
    add(sum, real(1), wall_acceleration(c, viscosity, p_i, pair, of_b));
  });
  for (int k = 0; k < DIM; k++) sum[k] = -c.m * sum[k];
  return sum;
}

/// Forces on the samples of dynamic bodies; all others get 0.
KERNEL void __launch_bounds__(THREADS, MOMENTUM_BLOCKS)
wcsph_reaction(Constants c, Near fluid /* [0] */, const Packed* __restrict__ motion /* [fluid.cells.order.len()] */,
               Walls walls, Sets sets, u32 n, Writable force) {
  const u32 b = thread_index();
  if (b >= n) return;
  Vec f = zero();
  if (sets.is_loaded(b)) {
    switch (c.viscosity) {
      case VISCOSITY_MONAGHAN: f = reaction_of(c, c.monaghan, fluid, motion, walls, b); break;
      case VISCOSITY_MORRIS: f = reaction_of(c, c.morris, fluid, motion, walls, b); break;
      default: f = reaction_of(c, c.solenoidal, fluid, motion, walls, b);
    }
  }
  for (int k = 0; k < DIM; k++) force.x[k][b] = f[k];
}
SHIM_EXPORT(wcsph_reaction)

}  // namespace SPH_SPACE
