// Sums, maxima, first indices and boxes of fields: one kernel a question, one a kind of partial result.
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {

/// `Σ_i x_i`.
// THEN merge_sums
KERNEL void __launch_bounds__(REDUCE_THREADS)
sum_reals(const real* __restrict__ x, u32 n, double* __restrict__ partial) {
  reduce_terms<Sum>(n, partial, [=](u32 i) { return double(x[i]); });
}
SHIM_EXPORT(sum_reals)

/// `Σ_i x_i y_i`, each product in f64.
// THEN merge_sums
KERNEL void __launch_bounds__(REDUCE_THREADS)
sum_products(const real* __restrict__ x, const real* __restrict__ y, u32 n, double* __restrict__ partial) {
  reduce_terms<Sum>(n, partial, [=](u32 i) { return double(x[i]) * double(y[i]); });
}
SHIM_EXPORT(sum_products)

/// `max_i x_i`.
// THEN merge_maxima
KERNEL void __launch_bounds__(REDUCE_THREADS)
max_reals(const real* __restrict__ x, u32 n, double* __restrict__ partial) {
  reduce_terms<Max>(n, partial, [=](u32 i) { return double(x[i]); });
}
SHIM_EXPORT(max_reals)

/// `max_i |v_i|²`, as of the processor's unfused norm.
// THEN merge_maxima
KERNEL void __launch_bounds__(REDUCE_THREADS) max_norms2(Points v, u32 n, double* __restrict__ partial) {
  reduce_terms<Max>(n, partial, [=](u32 i) { return double(exact_norm2(v[i])); });
}
SHIM_EXPORT(max_norms2)

/// `Σ_i max(ρ_i/ρ₀ − 1, 0)` and `max_i ρ_i/ρ₀ − 1`. The sum is NaN where a density is NaN, or what follows from
/// it (`of_rho`, nowhere if there is nothing).
// THEN merge_errors
KERNEL void __launch_bounds__(REDUCE_THREADS)
density_errors(const real* __restrict__ rho, const real* __restrict__ of_rho /* [n] or none */, real rho_0, u32 n,
               DensityErrors* __restrict__ partial) {
  reduce_terms<Farthest>(n, partial, [=](u32 i) {
    const real error = rho[i] / rho_0 - real(1), all = of_rho ? rho[i] + of_rho[i] : rho[i];
    // 0 if finite, NaN otherwise.
    const real nothing = all - all;
    return DensityErrors{double(max_of(error, real(0)) + nothing), double(error)};
  });
}
SHIM_EXPORT(density_errors)

/// `max_i x_i` and the first i of it. NaN is never it.
// THEN merge_peaks
KERNEL void __launch_bounds__(REDUCE_THREADS)
max_place(const real* __restrict__ x, u32 n, Peak* __restrict__ partial) {
  reduce_terms<MaxIndex>(n, partial, [=](u32 i) { return Peak{double(x[i]), i}; });
}
SHIM_EXPORT(max_place)

/// The largest count: whether rows were wide enough.
// THEN merge_counts
KERNEL void __launch_bounds__(REDUCE_THREADS)
max_counts(const u32* __restrict__ x, u32 n, u32* __restrict__ partial) {
  reduce_terms<MaxCount>(n, partial, [=](u32 i) { return x[i]; });
}
SHIM_EXPORT(max_counts)

/// The box of all points. NaN does not widen it.
// THEN merge_bounds
KERNEL void __launch_bounds__(REDUCE_THREADS) enclose_points(Points x, u32 n, Bounds* __restrict__ partial) {
  reduce_terms<Enclose>(n, partial, [=](u32 i) {
    Bounds b;
    for (int a = 0; a < DIM; a++) b.low[a] = b.high[a] = double(x.x[a][i]);
    return b;
  });
}
SHIM_EXPORT(enclose_points)

/// The first particle outside of the domain, or at a position or velocity that is not finite.
/// Two blocks a multiprocessor leave it 128 registers: not told so, the assembler spills.
// THEN merge_places
KERNEL void __launch_bounds__(REDUCE_THREADS, 2)
first_lost(Points x, Points v, Domain domain, u32 n, u32* __restrict__ partial) {
  reduce_terms<First>(n, partial, [=](u32 i) {
    bool good = domain.holds(x[i]);
    // Of an infinite or undefined number, the difference to itself is undefined.
    for (int a = 0; a < DIM; a++) good = good & (v.x[a][i] - v.x[a][i] == real(0));
    return good ? NONE : i;
  });
}
SHIM_EXPORT(first_lost)

/// The first value that is not finite.
// THEN merge_places
KERNEL void __launch_bounds__(REDUCE_THREADS)
first_not_finite(const real* __restrict__ x, u32 n, u32* __restrict__ partial) {
  reduce_terms<First>(n, partial, [=](u32 i) { return x[i] - x[i] == real(0) ? NONE : i; });
}
SHIM_EXPORT(first_not_finite)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_sums(const double* __restrict__ partial, u32 n, double* __restrict__ result) {
  reduce_partials<Sum>(partial, n, result);
}
SHIM_EXPORT(merge_sums)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_maxima(const double* __restrict__ partial, u32 n, double* __restrict__ result) {
  reduce_partials<Max>(partial, n, result);
}
SHIM_EXPORT(merge_maxima)

/// Of nothing, both numbers are 0.
KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_errors(const DensityErrors* __restrict__ partial, u32 n, DensityErrors* __restrict__ result) {
  reduce_partials<Farthest>(partial, n, result);
  if (threadIdx.x > 0) return;
  *result = n == 0 ? DensityErrors{0.0, 0.0} : DensityErrors{result->mean / double(n), result->largest};
}
SHIM_EXPORT(merge_errors)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_peaks(const Peak* __restrict__ partial, u32 n, Peak* __restrict__ result) {
  reduce_partials<MaxIndex>(partial, n, result);
}
SHIM_EXPORT(merge_peaks)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_counts(const u32* __restrict__ partial, u32 n, u32* __restrict__ result) {
  reduce_partials<MaxCount>(partial, n, result);
}
SHIM_EXPORT(merge_counts)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_places(const u32* __restrict__ partial, u32 n, u32* __restrict__ result) {
  reduce_partials<First>(partial, n, result);
}
SHIM_EXPORT(merge_places)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_bounds(const Bounds* __restrict__ partial, u32 n, Bounds* __restrict__ result) {
  reduce_partials<Enclose>(partial, n, result);
}
SHIM_EXPORT(merge_bounds)

}  // namespace SPH_SPACE
