// Samples of walls and bodies: where their motion brings them, and what the fluid does to a body.
#include "common/boundary/loads.cuh"

inline namespace SPH_SPACE {

typedef unsigned short u16;

/// Where a rigid set of samples is now, as a function of where it was drawn: `x = A (x_0 − c) + b`,
/// `v = V (x_0 − c) + w + s`, `a = U (x_0 − c) + q`.
struct Affine {
  /// A point about which the set turns, as it was drawn, c [m].
  double center[DIM];
  /// Rotation A, [-].
  double a[DIM][DIM];
  /// Where c is now, b [m].
  double b[DIM];
  /// `ω × A`, V [1/s].
  double v[DIM][DIM];
  /// Velocity of c, w [m/s].
  double w[DIM];
  /// `ω × (ω × A)`, U [1/s²].
  double u[DIM][DIM];
  /// Acceleration of c, q [m/s²].
  double q[DIM];
  /// Speed of the surface in itself, s, added to v in the width of `Real`, [m/s].
  double surface[DIM];
  /// 0 where samples keep what they have.
  int moves;
  /// 0 where accelerations stay, too: those of samples of dynamic bodies.
  int accelerates;
};

/// `(M d)_k + m_k`, summed from the first axis to the last, unfused: motions that do not turn then have the bits
/// of the processor.
SPH_FN double row_of(const double (&m)[DIM][DIM], const double* d, const double* shift, int k) {
  double sum = exact_mul(m[k][0], d[0]);
  for (int l = 1; l < DIM; l++) sum = exact_add(sum, exact_mul(m[k][l], d[l]));
  return exact_add(sum, shift[k]);
}

/// Brings every sample to where its set is now, with its velocity and acceleration. Sets that do not move keep what
/// they have, and so do accelerations of dynamic bodies.
KERNEL void __launch_bounds__(THREADS)
move_samples(const Affine* __restrict__ sets /* [n_sets] */, u32 n_sets, const u16* __restrict__ body, Points x_0,
             u32 n, Writable x, Writable v, Writable a) {
  const u32 i = thread_index();
  if (i >= n || body[i] >= n_sets) return;
  const Affine& set = sets[body[i]];
  if (!set.moves) return;
  double d[DIM];
  for (int k = 0; k < DIM; k++) d[k] = exact_sub(double(x_0.x[k][i]), set.center[k]);
  for (int k = 0; k < DIM; k++) {
    x.x[k][i] = real(row_of(set.a, d, set.b, k));
    v.x[k][i] = exact_add(real(row_of(set.v, d, set.w, k)), real(set.surface[k]));
    if (set.accelerates) a.x[k][i] = real(row_of(set.u, d, set.q, k));
  }
}
SHIM_EXPORT(move_samples)

/// Blocks that sum the samples of one body, one after another.
constexpr u32 WRENCH_BLOCKS = 64;

/// `F_b` and `(x_b − X) × F_b` of a sample, as in `Bodies::collect`; its last component alone in 2D.
SPH_FN Wrench wrench_of(Vec x, Vec force, const double* center) {
  double f[3] = {}, arm[3] = {};
  for (int k = 0; k < DIM; k++) f[k] = double(force[k]), arm[k] = double(x[k]) - center[k];
  return wrench_of(arm, f);
}

/// First pass: `partial[k · WRENCH_BLOCKS + ·]` of the body or wall k, with the torque about `center` [k][DIM]. `pivot` is
/// that of each set of samples, NONE for those that need no force.
// BLOCKS partial.len()
// THEN merge_wrenches
KERNEL void __launch_bounds__(REDUCE_THREADS)
sum_wrenches(const u32* __restrict__ pivot /* [n_sets] */, u32 n_sets, const u16* __restrict__ body, Points x,
             Points force, const double* __restrict__ center /* [partial.len() / WRENCH_BLOCKS as usize * D] */,
             u32 n, Wrench* __restrict__ partial /* [0] */) {
  const u32 k = blockIdx.x / WRENCH_BLOCKS, part = blockIdx.x % WRENCH_BLOCKS;
  Wrench mine = SumWrenches::identity();
  for (u64 i = part * REDUCE_THREADS + threadIdx.x; i < n; i += WRENCH_BLOCKS * REDUCE_THREADS) {
    const u32 set = body[i];
    if (set < n_sets && pivot[set] == k) {
      mine = SumWrenches::merge(mine, wrench_of(x[u32(i)], force[u32(i)], center + k * DIM));
    }
  }
  mine = merge_block<SumWrenches>(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}
SHIM_EXPORT(sum_wrenches)

/// Second pass, by one block a body or wall.
// BLOCKS total.len()
KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_wrenches(const Wrench* __restrict__ partial /* [total.len() * WRENCH_BLOCKS as usize] */,
               Wrench* __restrict__ total /* [0] */) {
  Wrench mine = SumWrenches::identity();
  if (threadIdx.x < WRENCH_BLOCKS) mine = partial[blockIdx.x * WRENCH_BLOCKS + threadIdx.x];
  mine = merge_block<SumWrenches>(mine);
  if (threadIdx.x == 0) total[blockIdx.x] = mine;
}
SHIM_EXPORT(merge_wrenches)

}  // namespace SPH_SPACE
