// The multigrid preconditioner: a V-cycle over levels of aggregates, beside the diagonal of the particles. The twin of `vcycle.rs` in `solver-projection/src/cpu`.
//
// The two arrays of solutions take turns. What a level gets from the one below is its first sweep as well, and an odd
// number of sweeps follows: so every solution ends in `z`.
#include "projection/aggregation.cuh"
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {
using namespace aggregation;

/// Part ω of a damped Jacobi sweep. Twin of `DAMPING` in vcycle.rs, as the others here.
constexpr real DAMPING = real(0.7);
/// Sweeps before and after the coarser levels.
constexpr u32 SWEEPS = 2;
/// Sweeps at the coarsest level, in place of a solution.
constexpr u32 COARSEST = 8;
/// Factor on the correction of a coarser level.
constexpr real OVERCORRECTION = real(1.8);
static_assert(SWEEPS % 2 == 0 && COARSEST % 2 == 0, "solutions end in z");

/// Threads of the block that has all small levels.
constexpr u32 TOGETHER = 512;

/// `Σ_c' w_cc' z_c'`.
SPH_FN real around(const Cells& cells, u32 c, const real* z) {
  const real* const entry = cells.off_diagonal + c;
  const u32* const near = cells.near + c;
  real sum = real(0);
#pragma unroll 9
  for (u32 slot = 0; slot < WIDTH; slot++) {
    const u64 at = u64(slot) * cells.stride;
    if (slot != WIDTH / 2) sum += __ldg(entry + at) * z[__ldg(near + at)];
  }
  return sum;
}

/// The right-hand side of a cell, and the first sweep, from zero.
SPH_FN void begin(const Cells& cells, u32 c, real r) {
  cells.r[c] = r;
  cells.q[c] = DAMPING * projection::divided(r, cells.diagonal[c]);
}

/// `to_c ← z_c + ω (r_c − D_c z_c + Σ_c' w_cc' z_c')/D_c`.
SPH_FN void relax(const Cells& cells, u32 c, const real* z, real* to) {
  const real diagonal = cells.diagonal[c], z_c = z[c];
  to[c] = z_c + DAMPING * projection::divided(cells.r[c] - diagonal * z_c + around(cells, c, z), diagonal);
}

/// `q_c ← r_c − D_c z_c + Σ_c' w_cc' z_c'`.
SPH_FN void leave(const Cells& cells, u32 c) {
  cells.q[c] = cells.r[c] - cells.diagonal[c] * cells.z[c] + around(cells, c, cells.z);
}

/// Restriction: the right-hand side of a cell is the sum of the finer residuals.
SPH_FN void restrict_to(const CellBox& fine, const CellBox& coarse, const Cells& cells, u32 wide) {
  real sum = real(0);
  for_each_member(fine, coarse, cells.map, cells.key[wide], [&](u32 c) { sum += cells.q[c]; });
  begin(cells, wide, sum);
}

/// `z_c ← z_c + OVERCORRECTION z` of the wider cell.
SPH_FN void correct(const Cells& cells, u32 c) { cells.z[c] += OVERCORRECTION * cells.z[cells.parent[c]]; }

/// The right-hand side of the first level, of that of its particles, and the first sweep.
// ITEMS level.n as usize
KERNEL void __launch_bounds__(THREADS)
projection_restrict_particles(Level level, Cells cells, const real* __restrict__ r) {
  const u32 c = thread_index();
  if (c >= level.n) return;
  real sum = real(0);
  const u32 end = cells.first[c + 1];
  for (u32 i = cells.first[c]; i < end; i++) sum += r[i];
  begin(cells, c, sum);
}
SHIM_EXPORT(projection_restrict_particles)

/// One sweep: from `q` to `z`, or back.
// ITEMS level.n as usize
KERNEL void __launch_bounds__(THREADS) projection_relax_level(Level level, Cells cells, u32 back) {
  const u32 c = level.first + thread_index();
  if (thread_index() < level.n) relax(cells, c, back ? cells.z : cells.q, back ? cells.q : cells.z);
}
SHIM_EXPORT(projection_relax_level)

/// The residual of a level.
// ITEMS level.n as usize
KERNEL void __launch_bounds__(THREADS) projection_residual_level(Level level, Cells cells) {
  if (thread_index() < level.n) leave(cells, level.first + thread_index());
}
SHIM_EXPORT(projection_residual_level)

/// The right-hand side of a coarser level, and the first sweep.
// ITEMS coarse.n as usize
KERNEL void __launch_bounds__(THREADS) projection_restrict_level(Level fine, Level coarse, Cells cells) {
  if (thread_index() < coarse.n) restrict_to(fine.of, coarse.of, cells, coarse.first + thread_index());
}
SHIM_EXPORT(projection_restrict_level)

/// Prolongation of the correction of the coarser level.
// ITEMS level.n as usize
KERNEL void __launch_bounds__(THREADS) projection_prolong_level(Level level, Cells cells) {
  if (thread_index() < level.n) correct(cells, level.first + thread_index());
}
SHIM_EXPORT(projection_prolong_level)

/// Calls `f(c)` for the cells of level `l`, spread over the block, and waits.
template <class F> SPH_FN void for_each_cell(const u32* ends, u32 l, F f) {
  const u32 end = ends[l + 1];
  for (u32 c = ends[l] + threadIdx.x; c < end; c += TOGETHER) f(c);
  __syncthreads();
}

/// A number of sweeps, the first one from `q` or from `z`.
SPH_FN void relax_all(const Cells& cells, const u32* ends, u32 l, u32 times, bool back) {
  for (u32 k = 0; k < times; k++, back = !back) {
    const real* const from = back ? cells.z : cells.q;
    real* const to = back ? cells.q : cells.z;
    for_each_cell(ends, l, [&](u32 c) { relax(cells, c, from, to); });
  }
}

/// The cycle over the levels from `fine` to before `n_levels`, of which the first has done its first sweep, by one
/// block. It is alone, and told so, or the assembler spills.
// BLOCKS 1
KERNEL void __launch_bounds__(TOGETHER, 1)
projection_cycle_levels(const CellBox* __restrict__ boxes /* [n_levels] */,
                        const u32* __restrict__ ends /* [n_levels + 1] */, u32 fine, u32 n_levels, Cells cells) {
  for (u32 l = fine; l + 1 < n_levels; l++) {
    relax_all(cells, ends, l, SWEEPS - 1, false);
    for_each_cell(ends, l, [&](u32 c) { leave(cells, c); });
    const CellBox here = boxes[l], coarse = boxes[l + 1];
    for_each_cell(ends, l + 1, [&](u32 c) { restrict_to(here, coarse, cells, c); });
  }
  relax_all(cells, ends, n_levels - 1, COARSEST - 1, false);
  for (u32 l = n_levels - 1; l-- > fine;) {
    for_each_cell(ends, l, [&](u32 c) { correct(cells, c); });
    relax_all(cells, ends, l, SWEEPS, true);
  }
}
SHIM_EXPORT(projection_cycle_levels)

/// `z ← r/A_ii + z_c` of the particle's cell, and the partial sums of `r·z`.
// THEN projection_merge_precondition
KERNEL void __launch_bounds__(REDUCE_THREADS)
projection_prolong_particles(Cells cells, const u32* __restrict__ of, const real* __restrict__ diagonal,
                        const real* __restrict__ r, u32 n, real* __restrict__ z, double* __restrict__ partial) {
  const real* const z_c = cells.z;
  reduce_terms<Sum>(n, partial, [=](u32 i) {
    const real r_i = r[i], z_i = projection::divided(r_i, diagonal[i]) + __ldg(z_c + of[i]);
    z[i] = z_i;
    return double(z_i) * double(r_i);
  });
}
SHIM_EXPORT(projection_prolong_particles)

}  // namespace SPH_SPACE
