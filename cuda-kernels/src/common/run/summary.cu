// What a step is judged by, in one pass: density errors, speeds, and the first particle that went wrong.
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {

/// Where the last sorts have counted the points outside of the box of cells.
// RAW
struct Outside {
  const u32 *of_fluid, *of_walls;
};

struct Summary {
  /// `Σ_i max(ρ_i/ρ₀ − 1, 0)`, [-].
  double excess;
  /// `max_i (ρ_i/ρ₀ − 1)`, -∞ of nothing, [-].
  double largest;
  /// Largest squared speed, [m²/s²].
  double v2;
  /// Largest squared acceleration, [m²/s⁴].
  double a2;
  /// First particle whose density, velocity or acceleration is not finite, or `NONE`.
  u64 bad;
  /// First particle that has left the domain, or whose position would not be finite, or the same.
  u64 lost;
  /// Particles and wall samples that the last sorts found outside of the box of cells; 0 without a particle.
  u64 outside;
};

struct Summarize {
  typedef Summary T;
  SPH_FN static T identity() { return {0.0, -infinity(), 0.0, 0.0, NONE, NONE, 0}; }
  SPH_FN static T merge(T a, T b) {
    return {a.excess + b.excess,         fmax(a.largest, b.largest),    fmax(a.v2, b.v2),
            fmax(a.a2, b.a2),            a.bad < b.bad ? a.bad : b.bad, a.lost < b.lost ? a.lost : b.lost,
            a.outside + b.outside};
  }
};

/// `v2` and `a2` are squares of speeds and accelerations; `lost` is not 0 for particles that have left the domain;
/// `of_fluid` and `of_walls` are the counts of what is outside of the box of cells.
// THEN merge_summaries
KERNEL void __launch_bounds__(REDUCE_THREADS)
summarize(const real* __restrict__ rho, real rho_0, const real* __restrict__ v2, const real* __restrict__ a2,
          const u32* __restrict__ lost, Outside cells, u32 n,
          Summary* __restrict__ partial) {
  reduce_terms<Summarize>(n, partial, [=](u32 i) -> Summary {
    const real error = rho[i] / rho_0 - real(1), v = v2[i], a = a2[i], all = error + (v + a);
    // Of an infinite or undefined number, the difference to itself is undefined.
    const u64 bad = all - all == real(0) ? NONE : i;
    const u64 outside = i == 0 ? u64(*cells.of_fluid) + *cells.of_walls : 0;
    return {double(max_of(error, real(0))), double(error), double(v), double(a), bad, lost[i] ? i : NONE, outside};
  });
}
SHIM_EXPORT(summarize)

KERNEL void __launch_bounds__(REDUCE_THREADS)
merge_summaries(const Summary* __restrict__ partial, u32 n, Summary* __restrict__ result) {
  reduce_partials<Summarize>(partial, n, result);
}
SHIM_EXPORT(merge_summaries)

}  // namespace SPH_SPACE
