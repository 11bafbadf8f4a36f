// Multigrid of cells, from what the particles are: which cells there are, and their equations. The twin of `aggregation.rs` in
// `solver-projection/src/cpu`.
//
// Everything is gathered: each number has one thread, or the lanes of one warp in a fixed order.
#include "projection/aggregation.cuh"

inline namespace SPH_SPACE {
using namespace aggregation;

/// 1 for the dense cells of the neighbor search that hold particles, else 0.
KERNEL void __launch_bounds__(THREADS)
projection_mark_cells(const u32* __restrict__ start /* [n + 1] */, u32 n, u32* __restrict__ marks /* [n] */) {
  const u32 k = thread_index();
  if (k < n) marks[k] = start[k] < start[k + 1];
}
SHIM_EXPORT(projection_mark_cells)

/// The same of cells that hold cells.
KERNEL void __launch_bounds__(THREADS) projection_mark_wide(CellBox fine, CellBox coarse, u32 n, u32* marks /* [1] */) {
  const u32 wide = coarse.begin + thread_index();
  if (thread_index() >= n) return;
  u32 any = 0;
  for_each_row(fine, coarse, wide, [&](const At&, u32 k, u32 n_row) {
    for (u32 l = 0; l < n_row; l++) any |= marks[k + l];
  });
  marks[wide] = any;
}
SHIM_EXPORT(projection_mark_wide)

/// Where the occupied cells of each level begin; the last number is that of all.
// ITEMS n_levels + 1
KERNEL void __launch_bounds__(THREADS)
projection_count_cells(const CellBox* __restrict__ boxes /* [n_levels] */, u32 n_levels, u32 n_dense,
                       const u32* __restrict__ map /* [n_dense + 1] */,
                       u32* __restrict__ ends /* [n_levels + 1] */) {
  const u32 l = thread_index();
  if (l <= n_levels) ends[l] = map[l < n_levels ? boxes[l].begin : n_dense];
}
SHIM_EXPORT(projection_count_cells)

/// What the occupied cells are called; those of the first level and their particles find each other. `start` has one
/// more than `n_cells` items, and `of` one a particle.
// ITEMS n_dense
KERNEL void __launch_bounds__(THREADS)
projection_number_cells(Cells cells, u32 n_dense, const u32* __restrict__ start /* [n_cells + 1] */, u32 n_cells,
                        u32* __restrict__ of) {
  const u32 k = thread_index();
  if (k >= n_dense) return;
  const u32 c = cells.map[k];
  if (cells.map[k + 1] == c) return;
  cells.key[c] = k;
  if (k >= n_cells) return;
  const u32 end = start[k + 1];
  cells.first[c + 1] = end;
  for (u32 i = start[k]; i < end; i++) of[i] = c;
}
SHIM_EXPORT(projection_number_cells)

/// Which cell is in a slot around cell `c` at `from`, and the entry with it. A cell is none beside itself.
SPH_FN void set_slot(const Cells& cells, const CellBox& box, u32 c, const At& from, u32 slot, real entry) {
  const u64 at = u64(slot) * cells.stride + c;
  cells.off_diagonal[at] = entry;
  cells.near[at] = slot == WIDTH / 2 ? cells.stride : beside(box, cells.map, from, slot, cells.stride);
}

/// Warps a block.
constexpr u32 WARPS = THREADS / 32;

/// The rows of the cells of the first level, one warp a cell: lanes walk over particles, and then each adds up the
/// lanes of a slot.
// ITEMS level.n as usize * 32
KERNEL void __launch_bounds__(THREADS)
projection_gather_off_diagonal(Level level, Cells cells, Rows rows /* [of.len()] */,
                            const real* __restrict__ entries /* [rows.entries()] */,
                            const u32* __restrict__ of /* [0] */) {
  __shared__ real sums[WARPS][WIDTH * 32];
  const u32 lane = threadIdx.x % 32, c = blockIdx.x * WARPS + threadIdx.x / 32;
  real* const all = sums[threadIdx.x / 32];
  real* const mine = all + lane;
  for (u32 slot = 0; slot < WIDTH; slot++) mine[32 * slot] = real(0);
  const bool exists = c < level.n;
  const CellBox& box = level.of;
  const At from = place(box, exists ? cells.key[c] : box.begin);
  const u32 end = exists ? cells.first[c + 1] : 0;
  for (u32 i = (exists ? cells.first[c] : 0) + lane; i < end; i += 32) {
    const real* entry = entries + rows.first(i);
    u32 last = c, slot = 0;
    for_each_in_row(rows, i, [=](u32 j) { return __ldg(of + j); }, [&](u32 other) {
      // Rows ascend, and with them cells.
      if (other != last && other != c) {
        const At to = place(box, cells.key[other]);
        slot = 0;
        for (int a = DIM - 1; a >= 0; a--) slot = 3 * slot + u32(step(box, a, from.x[a], to.x[a]) + 1);
      }
      last = other;
      if (other != c) mine[32 * slot] += __ldg(entry);
      entry += 32;
    });
  }
  __syncwarp();
  if (!exists || lane >= WIDTH) return;
  real sum = real(0);
  // Each lane begins elsewhere, in another bank.
  for (u32 k = 0; k < 32; k++) sum += all[32 * lane + (lane + k) % 32];
  set_slot(cells, box, c, from, lane, sum);
}
SHIM_EXPORT(projection_gather_off_diagonal)

/// True when the step `s` from the cell at `x` of the finer level is step `wide` of the coarser cell at `from`.
SPH_FN bool leads(const CellBox& fine, const CellBox& coarse, int a, int x, int s, int from, int wide) {
  const int to = ((wrapped(fine, a, x + s) + fine.low[a]) >> 1) - coarse.low[a];
  return step(coarse, a, from, to) == wide;
}

/// Sum of the off_diagonal of cell `c` at `x` with all cells in a slot around the coarser cell at `from`.
SPH_FN real sum_to(const CellBox& fine, const CellBox& coarse, const Cells& cells, u32 c, const At& x,
                        const At& from, u32 slot) {
  const int last = DIM - 1, planes = DIM == 3 ? 1 : 0;
  real sum = real(0);
  for (int z = -planes; z <= planes; z++) {
    if (DIM == 3 && !leads(fine, coarse, last, x.x[last], z, from.x[last], step_of(slot, last))) continue;
    for (int y = -1; y <= 1; y++) {
      if (!leads(fine, coarse, 1, x.x[1], y, from.x[1], step_of(slot, 1))) continue;
      for (int k = -1; k <= 1; k++) {
        if (!leads(fine, coarse, 0, x.x[0], k, from.x[0], step_of(slot, 0))) continue;
        const u32 of = u32(((DIM == 3 ? z + 1 : 0) * 3 + y + 1) * 3 + k + 1);
        sum += cells.off_diagonal[u64(of) * cells.stride + c];
      }
    }
  }
  return sum;
}

/// The rows of wider cells, one thread for each slot of each cell. Eight blocks a multiprocessor leave 64 registers: not
/// told so, the assembler aims at more blocks and spills.
// ITEMS coarse.n as usize * 3_usize.pow(D as u32)
KERNEL void __launch_bounds__(THREADS, 8) projection_join_off_diagonal(Level fine, Level coarse, Cells cells) {
  const u32 slot = thread_index() / coarse.n, wide = coarse.first + thread_index() % coarse.n;
  if (slot >= WIDTH) return;
  const u32 wide_key = cells.key[wide];
  const At from = place(coarse.of, wide_key);
  real sum = real(0);
  if (slot != WIDTH / 2) {
    for_each_row(fine.of, coarse.of, wide_key, [&](At x, u32 k, u32 n) {
      for (u32 l = 0; l < n; l++, x.x[0]++) {
        const u32 c = cells.map[k + l];
        if (cells.map[k + l + 1] > c) sum += sum_to(fine.of, coarse.of, cells, c, x, from, slot);
      }
    });
  }
  set_slot(cells, coarse.of, wide, from, slot, sum);
}
SHIM_EXPORT(projection_join_off_diagonal)

/// The diagonal of a cell with this Dirichlet term.
SPH_FN void close_cell(const Cells& cells, u32 c, real dirichlet) {
  real sum = real(0);
#pragma unroll
  for (u32 slot = 0; slot < WIDTH; slot++) sum += cells.off_diagonal[u64(slot) * cells.stride + c];
  cells.dirichlet[c] = dirichlet;
  cells.diagonal[c] = dirichlet + sum;
}

/// Dirichlet terms and diagonal of the cells of the first level, from those of the particles.
// ITEMS level.n as usize
KERNEL void __launch_bounds__(THREADS)
projection_sum_dirichlet(Level level, Cells cells, const real* __restrict__ dirichlet) {
  const u32 c = thread_index();
  if (c >= level.n) return;
  real sum = real(0);
  const u32 end = cells.first[c + 1];
  for (u32 i = cells.first[c]; i < end; i++) sum += dirichlet[i];
  close_cell(cells, c, sum);
}
SHIM_EXPORT(projection_sum_dirichlet)

/// The same of wider cells, which become the parents of their cells.
// ITEMS coarse.n as usize
KERNEL void __launch_bounds__(THREADS) projection_join_dirichlet(Level fine, Level coarse, Cells cells) {
  const u32 wide = coarse.first + thread_index();
  if (thread_index() >= coarse.n) return;
  real sum = real(0);
  for_each_member(fine.of, coarse.of, cells.map, cells.key[wide], [&](u32 c) {
    sum += cells.dirichlet[c];
    cells.parent[c] = wide;
  });
  close_cell(cells, wide, sum);
}
SHIM_EXPORT(projection_join_dirichlet)

}  // namespace SPH_SPACE
