// What a sample of measures reads: particles near the measured places, places of wall samples, and sums over the fluid.
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {

/// Cells of space, each with bits for the places that are measured near it. Twin of `Marks` in sph-core.
struct MarkedCells {
  /// Lower end, [m].
  real low[DIM];
  /// One over the size of a cell, [1/m].
  real inverse;
  /// Cells along each axis.
  u32 extent[DIM];

  /// The cell of a point, unfused as on the processor, or `NONE`.
  SPH_FN u32 cell(Vec x) const {
    u32 cell = 0, stride = 1;
    for (int a = 0; a < DIM; a++) {
      const real k = floor(exact_mul(exact_sub(x[a], low[a]), inverse));
      // False for NaN, too.
      if (!(k >= real(0) && k < real(extent[a]))) return NONE;
      cell += stride * u32(k);
      stride *= extent[a];
    }
    return cell;
  }

  /// True when a point may matter to one of these places.
  SPH_FN bool holds(const u32* bits, u32 places, Vec x) const {
    const u32 c = cell(x);
    return c != NONE && (bits[c] & places);
  }
};

/// 1 for each particle near one of these places, else 0.
KERNEL void __launch_bounds__(THREADS)
flag_near(MarkedCells cells, const u32* __restrict__ bits /* [cells.n_cells()] */, u32 places, Points x, u32 n,
          u32* __restrict__ flag) {
  const u32 i = thread_index();
  if (i < n) flag[i] = cells.holds(bits, places, x[i]);
}
SHIM_EXPORT(flag_near)

/// Lists these particles in their order, from how many of them come `before` each, and writes how many there are.
KERNEL void __launch_bounds__(THREADS)
list_near(MarkedCells cells, const u32* __restrict__ bits /* [cells.n_cells()] */, u32 places, Points x,
          const u32* __restrict__ before, u32 n, u32* __restrict__ index, u32* __restrict__ result) {
  const u32 i = thread_index();
  if (i >= n) return;
  const bool is_near = cells.holds(bits, places, x[i]);
  if (is_near) index[before[i]] = i;
  if (i + 1 == n) *result = before[i] + is_near;
}
SHIM_EXPORT(list_near)

/// Where in the order of the samples those with the ids `sought` are.
KERNEL void __launch_bounds__(THREADS)
find_samples(const u64* __restrict__ id, u32 n, const u64* __restrict__ sought /* [n_sought] */, u32 n_sought,
             u32* __restrict__ index /* [n_sought] */) {
  const u32 i = thread_index();
  if (i >= n) return;
  for (u32 k = 0; k < n_sought; k++) {
    if (id[i] == sought[k]) index[k] = i;
  }
}
SHIM_EXPORT(find_samples)

/// Particles that are summed one after the other: `parallel::BLOCK` of the processor, whose bits the sums then have.
constexpr u32 SUM_BLOCK = 2048;
constexpr u32 SUM_THREADS = 128;

/// Sums and extremes over a block of particles. Twin of `BlockSums` in sph-core. First the sums, then the least.
struct BlockSums {
  /// `Σ |v|²/2`, [m²/s²].
  double kinetic;
  /// Potential energy per mass, [m²/s²].
  double potential;
  /// `Σ 1/ρ`, [m³/kg].
  double volume;
  /// `Σ v`, [m/s].
  double v[DIM];
  /// `Σ x`, [m].
  double x[DIM];
  /// `Σ x × v`, [m²/s].
  double moment[3];
  /// Least coordinates, [m].
  double low[DIM];
  /// Largest coordinates, [m].
  double high[DIM];
  /// Largest squared speed, [m²/s²].
  double v2;
};
constexpr u32 SUMMED = 6 + 2 * DIM;
constexpr u32 SUMMED_AND_LEAST = SUMMED + DIM;

SPH_FN double exact_norm2(const double* d) {
  double sum = exact_mul(d[0], d[0]);
  for (int a = 1; a < DIM; a++) sum = exact_add(sum, exact_mul(d[a], d[a]));
  return sum;
}

/// `a b - c d`.
SPH_FN double exact_minor(double a, double b, double c, double d) {
  return exact_sub(exact_mul(a, b), exact_mul(c, d));
}

/// What a particle adds, in the order of the processor's operations.
SPH_FN BlockSums sums_of(Vec x_i, Vec v_i, real rho, const Forces& forces) {
  double x[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0}, off[DIM], fall = 0.0;
  for (int a = 0; a < DIM; a++) {
    x[a] = double(x_i[a]), v[a] = double(v_i[a]);
    off[a] = exact_sub(x[a], double(forces.center[a]));
    fall = exact_add(fall, exact_mul(double(forces.gravity[a]), x[a]));
  }
  const double strength = double(forces.strength);
  BlockSums s;
  s.v2 = exact_norm2(v);
  s.kinetic = exact_mul(0.5, s.v2);
  s.potential = -fall;
  if (strength != 0.0) {
    const double factor = exact_mul(exact_mul(0.5, strength), strength);
    s.potential = exact_add(s.potential, exact_mul(factor, exact_norm2(off)));
  }
  s.volume = 1.0 / double(rho);
  for (int a = 0; a < DIM; a++) s.v[a] = v[a], s.x[a] = s.low[a] = s.high[a] = x[a];
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    s.moment[a] = exact_minor(x[b], v[c], x[c], v[b]);
  }
  return s;
}

/// Sums over blocks of particles. All threads find the terms, then one thread for each number merges them in their order.
// BLOCKS n.div_ceil(SUM_BLOCK as usize)
KERNEL void __launch_bounds__(SUM_THREADS)
sum_fluid(Points x, Points v, const real* __restrict__ rho, Forces forces, u32 n,
          BlockSums* __restrict__ sums /* [n.div_ceil(SUM_BLOCK as usize)] */) {
  __shared__ BlockSums terms[SUM_THREADS];
  constexpr u32 NUMBERS = sizeof(BlockSums) / sizeof(double);
  const u32 k = threadIdx.x, first = blockIdx.x * SUM_BLOCK, left = n - first;
  const u32 m = left < SUM_BLOCK ? left : SUM_BLOCK;
  double all = k < SUMMED ? 0.0 : k < SUMMED_AND_LEAST ? infinity() : -infinity();
  for (u32 done = 0; done < m; done += SUM_THREADS) {
    const u32 here = m - done < SUM_THREADS ? m - done : SUM_THREADS, i = first + done + k;
    __syncthreads();
    if (k < here) terms[k] = sums_of(x[i], v[i], rho[i], forces);
    __syncthreads();
    for (u32 j = 0; k < NUMBERS && j < here; j++) {
      const double term = reinterpret_cast<const double*>(&terms[j])[k];
      all = k < SUMMED ? exact_add(all, term) : k < SUMMED_AND_LEAST ? fmin(all, term) : fmax(all, term);
    }
  }
  if (k < NUMBERS) reinterpret_cast<double*>(&sums[blockIdx.x])[k] = all;
}
SHIM_EXPORT(sum_fluid)

}  // namespace SPH_SPACE
