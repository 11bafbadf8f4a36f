// Double density relaxation on the GPU (Clavet et al. 2005, algorithm 2). The twin of `relax.rs` and of `reaction.rs`
// in `solver-viscoelastic/src/cpu`.
//
// Jacobi: one thread a particle, gather only. Multicolor Gauss-Seidel: one warp a cell, the cells of one color in
// parallel; the threads of a warp share the neighbors of a particle. Sums over neighbors have another order than on the
// CPU and differ by rounding.
#include "viscoelastic/shared.cuh"

inline namespace SPH_SPACE {
using namespace visco;

/// Records of wall samples: [x y z w].
KERNEL void __launch_bounds__(THREADS)
visco_pack_walls(Constants c, Points x, const real* __restrict__ volume, u32 n, Packed* __restrict__ samples) {
  const u32 b = thread_index();
  if (b < n) samples[b] = record(x[b], volume[b] * c.inv_volume);
}
SHIM_EXPORT(visco_pack_walls)

// ------------------------------------------------------------------------------------------------------------ Jacobi

/// `ρ_i = Σ_j g² + Σ_b w g²`, the same with g³, and the pressures of both.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_densities(Constants c, Near near, const Packed* __restrict__ position, u32 n, Packed* __restrict__ pressure,
                real* __restrict__ p_near, real* __restrict__ rho) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(position, i));
  Pair sum = {real(0), real(0)};
  visit_points(c, near.fluid, position, i, x_i, [&](const Point&, Vec, real r2) {
    const Pair terms = density_terms(closeness(sqrt(r2), c.inv_h));
    sum.far += terms.far, sum.near += terms.near;
  });
  visit_points(c, near.walls, near.samples, i, x_i, [&](const Point& b, Vec, real r2) {
    const Pair terms = wall_densities(c, r2, b.place.a[3]);
    sum.far += terms.far, sum.near += terms.near;
  });
  const Pair p = c.stiffness.pressures(sum);
  pressure[i] = record(x_i, p.far), p_near[i] = p.near;
  rho[i] = sum.far * c.to_density;
}
SHIM_EXPORT(visco_densities)

/// Position and pressures of a neighbor.
struct PressureRecord {
  Packed place;
  real near;
};

/// `Δx_i = Σ_j ½ dt² [(P_i + P_j) g + (P_near,i + P_near,j) g²] x_ij/r`, and the contributions of walls.
/// `displacement2` gets |Δx_i|².
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_displacements(Constants c, Near near, const Packed* __restrict__ pressure, const real* __restrict__ p_near, u32 n,
                    Packed* __restrict__ delta, real* __restrict__ displacement2) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed own = load(pressure, i);
  const Vec x_i = vector(own);
  const Pair p = {own.a[3], p_near[i]}, on_wall = c.stiffness.on_wall(p);
  Vec sum = zero();
  visit(c, near.fluid, i, x_i, [=](u32 j) { return PressureRecord{load(pressure, j), __ldg(p_near + j)}; },
        [&](const PressureRecord& j, Vec x_ij, real r2) {
          add(sum, pair_over_r(c, r2, {p.far + j.place.a[3], p.near + j.near}), x_ij);
        });
  visit_points(c, near.walls, near.samples, i, x_i, [&](const Point& b, Vec x_ib, real r2) {
    add(sum, wall_over_r(c, r2, on_wall, b.place.a[3]), x_ib);
  });
  delta[i] = record(sum, real(0)), displacement2[i] = norm2(sum);
}
SHIM_EXPORT(visco_displacements)

/// `position ← position + delta`.
KERNEL void __launch_bounds__(THREADS)
visco_displace(const Packed* __restrict__ delta, u32 n, Packed* __restrict__ position) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed moved = position[i];
  shift(moved, real(1), vector(load(delta, i)));
  position[i] = moved;
}
SHIM_EXPORT(visco_displace)

// ------------------------------------------------------------------------------------------- multicolor Gauss-Seidel

/// Fields that a Gauss-Seidel sweep writes.
struct Swept {
  /// [x y z ·].
  Packed* position;
  real *rho, *displacement2;
  /// Null without bodies.
  Packed* pressure /* [n] or none */;
  real* p_near /* [n] or none */;
};

/// Calls `f(j, |x_ij|², x_ij)` for those entries of row i that are this thread's.
template <class F>
SPH_FN void visit_share(const Constants& c, const Rows& rows, const Packed* from, u32 i, Vec x_i, u32 lane, F f) {
  const u32 n = rows.length(i);
  const u32* const row = rows.rows + rows.first(i);
#pragma unroll 2
  for (u32 k = lane; k < n; k += WARP) {
    const u32 j = __ldg(row + u64(k) * 32);
    const Vec x_ij = between(c, x_i, vector(from[j]));
    f(j, norm2(x_ij), x_ij);
  }
}

/// Densities of a particle from the present positions, then half of each displacement for the neighbor and half for the
/// particle.
SPH_FN void relax(const Constants& c, const Near& near, const Swept& swept, u32 i, u32 lane) {
  Packed here = swept.position[i];
  const Vec x_i = vector(here);
  Pair sum = {real(0), real(0)};
  visit_share(c, near.fluid, swept.position, i, x_i, lane, [&](u32, real r2, Vec) {
    const Pair terms = density_terms(closeness(sqrt(r2), c.inv_h));
    sum.far += terms.far, sum.near += terms.near;
  });
  visit_share(c, near.walls, near.samples, i, x_i, lane, [&](u32 b, real r2, Vec) {
    const Pair terms = wall_densities(c, r2, near.samples[b].a[3]);
    sum.far += terms.far, sum.near += terms.near;
  });
  sum = {sum_of_warp(sum.far), sum_of_warp(sum.near)};
  const Pair p = c.stiffness.pressures(sum), on_wall = c.stiffness.on_wall(p);
  Vec displacement = zero();
  visit_share(c, near.fluid, swept.position, i, x_i, lane, [&](u32 j, real r2, Vec x_ij) {
    const real part = pair_over_r(c, r2, p);
    add(displacement, part, x_ij);
    shift(swept.position[j], -part, x_ij);
  });
  visit_share(c, near.walls, near.samples, i, x_i, lane, [&](u32 b, real r2, Vec x_ib) {
    add(displacement, wall_over_r(c, r2, on_wall, near.samples[b].a[3]), x_ib);
  });
  for (int a = 0; a < DIM; a++) displacement[a] = sum_of_warp(displacement[a]);
  if (lane > 0) return;
  if (swept.pressure) swept.pressure[i] = record(x_i, p.far), swept.p_near[i] = p.near;
  shift(here, real(1), displacement);
  swept.position[i] = here, swept.rho[i] = sum.far * c.to_density, swept.displacement2[i] = norm2(displacement);
}

/// Gauss-Seidel sweep over the cells of a color.
// ITEMS color.n_cells() * 32
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS) visco_sweep(Constants c, Color color, Near near, Swept swept) {
  const u32 lane = threadIdx.x % WARP;
  color.for_each_in_cell(thread_index() / WARP, [&](u32 i) {
    relax(c, near, swept, i, lane);
    // The next particle of the cell reads the positions that all threads have written.
    __syncwarp(WHOLE_WARP);
  });
}
SHIM_EXPORT(visco_sweep)

// ------------------------------------------------------------------------------------------------------- reaction.rs

/// Forces on samples of bodies: `F_b = −Σ_i m Δx_ib/dt²`, with `factor` = m/dt², [kg/s²].
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_reaction_forces(Constants c, Rows rows, const Packed* __restrict__ pressure /* [0] */,
                const real* __restrict__ p_near /* [0] */, const Packed* __restrict__ samples, Sets sets, u32 n,
                real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Packed sample = load(samples, b);
  Vec sum = zero();
  visit(c, rows, b, vector(sample), [=](u32 i) { return PressureRecord{load(pressure, i), __ldg(p_near + i)}; },
        [&](const PressureRecord& i, Vec x_bi, real r2) {
          add(sum, wall_over_r(c, r2, c.stiffness.on_wall({i.place.a[3], i.near}), sample.a[3]), x_bi);
        });
  for (int a = 0; a < DIM; a++) force.x[a][b] = factor * sum[a];
}
SHIM_EXPORT(visco_reaction_forces)

}  // namespace SPH_SPACE
