// Fields follow their particles: permutation by the cell sort, and packing into records.
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

/// Fields that are permuted together, so that one thread has several independent loads in flight.
constexpr u32 MAX_FIELDS = 8;

// RAW
struct Moves {
  const real* from[MAX_FIELDS];
  real* to[MAX_FIELDS];
  u32 n_fields;
};

/// `to[f][k] = from[f][order[k]]` for every field f.
KERNEL void __launch_bounds__(THREADS) permute_reals(Moves moves, const u32* __restrict__ order, u32 n) {
  const u32 k = thread_index();
  if (k >= n) return;
  const u32 i = order[k];
  real value[MAX_FIELDS];
#pragma unroll
  for (u32 f = 0; f < MAX_FIELDS; f++) {
    if (f < moves.n_fields) value[f] = moves.from[f][i];
  }
#pragma unroll
  for (u32 f = 0; f < MAX_FIELDS; f++) {
    if (f < moves.n_fields) moves.to[f][k] = value[f];
  }
}
SHIM_EXPORT(permute_reals)

/// `to[k] = from[order[k]]` of the names of particles.
KERNEL void __launch_bounds__(THREADS)
permute_ids(const u64* __restrict__ from, u64* __restrict__ to, const u32* __restrict__ order, u32 n) {
  const u32 k = thread_index();
  if (k < n) to[k] = from[order[k]];
}
SHIM_EXPORT(permute_ids)

/// `to[k] = from[order[k]]` of the bodies of wall samples.
KERNEL void __launch_bounds__(THREADS)
permute_bodies(const unsigned short* __restrict__ from, unsigned short* __restrict__ to,
               const u32* __restrict__ order, u32 n) {
  const u32 k = thread_index();
  if (k < n) to[k] = from[order[k]];
}
SHIM_EXPORT(permute_bodies)

/// Packs positions into records; the slots behind them are 0.
KERNEL void __launch_bounds__(THREADS) pack_positions(Points x, u32 n, Packed* __restrict__ to) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec p = x[i];
  Packed record = {{real(0), real(0), real(0), real(0)}};
  for (int a = 0; a < DIM; a++) record.a[a] = p[a];
  to[i] = record;
}
SHIM_EXPORT(pack_positions)

}  // namespace SPH_SPACE
