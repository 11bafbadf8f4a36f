// Springs (Clavet et al. 2005, algorithms 3 and 4): permutation by sorts, plastic flow, removal, creation and
// displacements. The twin of `springs.rs` and `cpu/springs.rs` in `solver-viscoelastic/src`.
//
// Each spring is stored in the rows of both of its particles, with the same rest length, so that a loop over
// particles gathers and never scatters. Rows have the layout of those of neighbors, with springs shorter than the
// interaction radius first.
#include "viscoelastic/shared.cuh"

inline namespace SPH_SPACE {
using namespace visco;

/// Rows of springs.
// FROM &'a crate::viscoelastic::spring_rows::SpringRows
struct Springs {
  /// Particles at the other ends and rest lengths [m], entry k of row i as in `Rows`.
  const u32* others;
  const real* rests;
  /// Springs of each row, and those shorter than the interaction radius, shape [n].
  const u32 *count, *n_near;
  /// First line of each slice, as in `Rows`.
  const u32* line;

  /// Index of the first spring of particle i; the next ones follow with a stride of 32.
  SPH_FN u64 first(u32 i) const { return entry_of(line, i, 0); }

  /// True when particle i has a spring to j.
  SPH_FN bool has(u32 i, u32 j) const {
    const u32 n = count[i];
    const u32* const row = others + first(i);
    bool found = false;
#pragma unroll 4
    for (u32 k = 0; k < n; k++) found = found | (__ldg(row + u64(k) * 32) == j);
    return found;
  }
};

/// Rows that a kernel writes.
// FROM crate::viscoelastic::spring_rows::Sink<'a>
struct SpringsOut {
  u32* others;
  real* rests;
  u32 *count, *n_near;
  /// First line of each slice; null while slices are contiguous and rows are cut at the width.
  const u32* line;
  u32 width;
  /// Slices before this line stay as they are.
  u32 from_line;

  /// True where row i is to be written.
  SPH_FN bool writes(u32 i) const { return !line || line[i / 32] >= from_line; }

  /// Writes entry k of row i; entries beyond the width are dropped, and the count tells so.
  SPH_FN void put(u32 i, u32 k, u32 other, real rest) const {
    if (!line && k >= width) return;
    const u64 at = (u64(line ? line[i / 32] : i / 32 * width) + k) * 32 + i % 32;
    others[at] = other, rests[at] = rest;
  }
};

/// The permutation of a sort, and the numbers of springs after it.
KERNEL void __launch_bounds__(THREADS)
visco_invert(Springs before, const u32* __restrict__ order, u32 n, u32* __restrict__ inverse, SpringsOut after) {
  const u32 k = thread_index();
  if (k >= n) return;
  const u32 i = order[k];
  inverse[i] = k;
  after.count[k] = before.count[i], after.n_near[k] = before.n_near[i];
}
SHIM_EXPORT(visco_invert)

/// Permutes the rows by a sort of the particles: the new particle `k` is the old `order[k]`.
KERNEL void __launch_bounds__(THREADS)
visco_follow(Springs before, const u32* __restrict__ order, const u32* __restrict__ inverse, u32 n, SpringsOut after) {
  const u32 k = thread_index();
  if (k >= n) return;
  const u32 i = order[k], length = before.count[i];
  const u64 from = before.first(i), to = entry_of(after.line, k, 0);
#pragma unroll 4
  for (u32 l = 0; l < length; l++) {
    const u64 at = u64(l) * 32;
    after.others[to + at] = __ldg(inverse + __ldg(before.others + from + at));
    after.rests[to + at] = __ldg(before.rests + from + at);
  }
}
SHIM_EXPORT(visco_follow)

/// Calls `f(other, rest, r)` for the springs `from` to `end` of particle i.
template <class F>
SPH_FN void visit_springs(const Constants& c, const Springs& springs, const Packed* position, u32 i, u32 from, u32 end,
                          F f) {
  const Vec x_i = vector(load(position, i));
  const u64 first = springs.first(i);
#pragma unroll 2
  for (u32 k = from; k < end; k++) {
    const u64 at = first + u64(k) * 32;
    const u32 j = __ldg(springs.others + at);
    const Vec x_ij = between(c, x_i, vector(load(position, j)));
    f(j, __ldg(springs.rests + at), x_ij);
  }
}

/// A neighbor and its index.
struct Numbered {
  Packed place;
  u32 j;
};

/// Creates springs to the neighbors of particle i within h without one. Returns its number of springs.
SPH_FN u32 create(const Constants& c, const Rows& fluid, const Packed* position, const Springs& before, u32 i, u32 n,
                  const SpringsOut& after) {
  const real h = c.spring.h;
  visit(c, fluid, i, vector(load(position, i)), [=](u32 j) { return Numbered{load(position, j), j}; },
        [&](const Numbered& other, Vec, real r2) {
          const real r = sqrt(r2);
          if (r < h && !before.has(i, other.j)) after.put(i, n++, other.j, r);
        });
  return n;
}

/// True where a rest length has become longer than h. One that is not finite stays, for the diagnosis.
SPH_FN bool breaks(real h, real rest, real flown) { return h < flown && is_finite(rest); }

/// Rewrites the rows: springs shorter than h, new ones, then longer ones. A spring whose rest length has become
/// longer than h is removed. Both ends compute the same flow from the same distance, so the two stay equal to the
/// bit. `lost` becomes 1 where a rest length was not finite: limits make a finite displacement of it.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_adjust(Constants c, Rows fluid, const Packed* __restrict__ position, Springs before, u32 n, SpringsOut after,
             u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n || !after.writes(i)) return;
  const real h = c.spring.h;
  u32 n_near = 0, n_met = 0;
  visit_springs(c, before, position, i, 0, before.count[i], [&](u32 j, real rest, Vec x_ij) {
    if (!is_finite(rest)) lost[i] = 1u;
    const real r = sqrt(norm2(x_ij)), flown = c.flow.rest(rest, r);
    if (!(r < h)) return;
    n_met++;
    if (!breaks(h, rest, flown)) after.put(i, n_near++, j, flown);
  });
  // Each neighbor within h has a spring, in most steps.
  if (c.creates && n_met < fluid.length(i)) n_near = create(c, fluid, position, before, i, n_near, after);
  u32 n_all = n_near;
  visit_springs(c, before, position, i, 0, before.count[i], [&](u32 j, real rest, Vec x_ij) {
    const real r = sqrt(norm2(x_ij)), flown = c.flow.rest(rest, r);
    if (!(r < h) && !breaks(h, rest, flown)) after.put(i, n_all++, j, flown);
  });
  after.count[i] = n_all, after.n_near[i] = n_near;
}
SHIM_EXPORT(visco_adjust)

/// Half the displacement by a spring over the distance of its particles, [-].
SPH_FN real half_over_r(const Constants& c, real rest, Vec x_ij) {
  const real r = sqrt(norm2(x_ij));
  return limited(real(0.5) * c.spring.displacement(rest, r), c.max_displacement) * inverse(r);
}

/// Jacobi displacements by springs: `Δx_i = Σ ½ D x_ij/r`. With `far` only springs longer than h.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_spring_displacements(Constants c, Springs springs, const Packed* __restrict__ position, u32 n, u32 far /* bool */,
           Packed* __restrict__ delta) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec sum = zero();
  visit_springs(c, springs, position, i, far ? springs.n_near[i] : 0, springs.count[i],
                [&](u32, real rest, Vec x_ij) { add(sum, half_over_r(c, rest, x_ij), x_ij); });
  delta[i] = record(sum, real(0));
}
SHIM_EXPORT(visco_spring_displacements)

/// Multicolor Gauss-Seidel over the springs shorter than h: all springs of a particle use its old position and displace
/// their other ends, then the particle moves. A spring belongs to the particle with the lower index. One warp a cell.
// ITEMS color.n_cells() * 32
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_sweep_short(Constants c, Color color, Springs springs, Packed* position) {
  const u32 lane = threadIdx.x % WARP;
  color.for_each_in_cell(thread_index() / WARP, [&](u32 i) {
    Packed here = position[i];
    const Vec x_i = vector(here);
    const u32 n = springs.n_near[i];
    const u64 first = springs.first(i);
    Vec displacement = zero();
    for (u32 k = lane; k < n; k += WARP) {
      const u64 at = first + u64(k) * 32;
      const u32 j = __ldg(springs.others + at);
      if (j <= i) continue;
      const Vec x_ij = between(c, x_i, vector(position[j]));
      const real half = half_over_r(c, __ldg(springs.rests + at), x_ij);
      add(displacement, half, x_ij);
      shift(position[j], -half, x_ij);
    }
    for (int a = 0; a < DIM; a++) displacement[a] = sum_of_warp(displacement[a]);
    shift(here, real(1), displacement);
    if (lane == 0) position[i] = here;
    // The next particle of the cell reads the positions that all threads have written.
    __syncwarp(WHOLE_WARP);
  });
}
SHIM_EXPORT(visco_sweep_short)

}  // namespace SPH_SPACE
