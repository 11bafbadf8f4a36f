// Reductions in a fixed order, in two passes over a grid whose size follows from their number: equal bits in every run and
// on every GPU.
//
// An operation has a plain type T, an `identity`, and `merge(a, b)`. Each thread merges every so many-th item, a block
// merges its threads along a tree, and one block merges the blocks. No atomics.
#pragma once
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

constexpr u32 REDUCE_THREADS = 256;
/// Most blocks of the first pass.
constexpr u32 REDUCE_BLOCKS = 512;

/// Blocks of the first pass over n items: it depends on n alone, so that sums do. Twin of `reduce_blocks` in reduce.rs.
SPH_FN u32 reduce_blocks(u32 n) {
  const u32 needed = n / REDUCE_THREADS + (n % REDUCE_THREADS != 0);
  return needed < 1 ? 1 : needed < REDUCE_BLOCKS ? needed : REDUCE_BLOCKS;
}

/// Larger than every number; its bits, since the compiler of the GPU knows no INFINITY.
SPH_FN double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

/// Merges one item of each thread; thread 0 gets the result. Once a kernel: a second call would overwrite what thread 0 may
/// still read.
template <class Op> SPH_FN typename Op::T merge_block(typename Op::T mine) {
  __shared__ typename Op::T all[REDUCE_THREADS];
  all[threadIdx.x] = mine;
  for (u32 half = REDUCE_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] = mine = Op::merge(mine, all[threadIdx.x + half]);
  }
  return mine;
}

/// First pass: `partial[block]` of the terms `term(i)`, i < n.
template <class Op, class Term>
SPH_FN void reduce_terms(u32 n, typename Op::T* __restrict__ partial, Term term) {
  typename Op::T mine = Op::identity();
#pragma unroll 4
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    mine = Op::merge(mine, term(u32(i)));
  }
  mine = merge_block<Op>(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

/// Second pass, by one block: the partial results of the blocks over n items.
template <class Op>
SPH_FN void reduce_partials(const typename Op::T* __restrict__ partial, u32 n, typename Op::T* __restrict__ result) {
  typename Op::T mine = Op::identity();
  const u32 blocks = reduce_blocks(n);
  for (u32 i = threadIdx.x; i < blocks; i += REDUCE_THREADS) mine = Op::merge(mine, partial[i]);
  mine = merge_block<Op>(mine);
  if (threadIdx.x == 0) *result = mine;
}

/// A sum, accumulated in f64.
struct Sum {
  typedef double T;
  SPH_FN static T identity() { return 0.0; }
  SPH_FN static T merge(T a, T b) { return a + b; }
};

/// A maximum; NaN counts only where there is nothing else, as with f64::max.
struct Max {
  typedef double T;
  SPH_FN static T identity() { return -infinity(); }
  SPH_FN static T merge(T a, T b) { return fmax(a, b); }
};

/// How far densities are from that at rest.
struct DensityErrors {
  /// Mean of `max(ρ/ρ₀ − 1, 0)`; NaN where a density is NaN, or what follows from it, [-].
  double mean;
  /// Largest `ρ/ρ₀ − 1`, [-].
  double largest;
};
struct Farthest {
  typedef DensityErrors T;
  SPH_FN static T identity() { return {0.0, -infinity()}; }
  SPH_FN static T merge(T a, T b) { return {a.mean + b.mean, fmax(a.largest, b.largest)}; }
};

/// The largest of counts.
struct MaxCount {
  typedef u32 T;
  SPH_FN static T identity() { return 0u; }
  SPH_FN static T merge(T a, T b) { return a > b ? a : b; }
};

/// The first of several indices; NONE when there is none.
struct First {
  typedef u32 T;
  SPH_FN static T identity() { return NONE; }
  SPH_FN static T merge(T a, T b) { return a < b ? a : b; }
};

/// A maximum and the first index where it stands.
struct Peak {
  /// The maximum.
  double value;
  /// Its index.
  u64 place;
};
struct MaxIndex {
  typedef Peak T;
  SPH_FN static T identity() { return Peak{-infinity(), NONE}; }
  SPH_FN static T merge(T a, T b) {
    const bool later = b.value > a.value || (b.value == a.value && b.place < a.place);
    return later ? b : a;
  }
};

/// Lower and upper ends of a set of points.
struct Bounds {
  /// Lower end; +∞ without a point.
  double low[DIM];
  /// Upper end; -∞ without a point.
  double high[DIM];
};
struct Enclose {
  typedef Bounds T;
  SPH_FN static T identity() {
    Bounds b;
    for (int a = 0; a < DIM; a++) b.low[a] = infinity(), b.high[a] = -infinity();
    return b;
  }
  SPH_FN static T merge(T a, T b) {
    for (int k = 0; k < DIM; k++) {
      a.low[k] = fmin(a.low[k], b.low[k]);
      a.high[k] = fmax(a.high[k], b.high[k]);
    }
    return a;
  }
};

}  // namespace SPH_SPACE
