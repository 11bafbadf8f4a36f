// Viscosity impulses between approaching neighbors (Clavet et al. 2005, algorithm 5). The twin of `viscosity.rs` in
// `solver-viscoelastic/src/cpu`. Here `position` is the position before the prediction.
#include "viscoelastic/shared.cuh"

inline namespace SPH_SPACE {
using namespace visco;

/// Velocities as records [v ·].
KERNEL void __launch_bounds__(THREADS) visco_pack_velocities(Points v, u32 n, Packed* __restrict__ velocity) {
  const u32 i = thread_index();
  if (i < n) velocity[i] = record(v[i], real(0));
}
SHIM_EXPORT(visco_pack_velocities)

/// The impulse of a pair over its distance, [1/s].
SPH_FN real impulse_over_r(const Constants& c, Vec v_i, Vec v_j, Vec x_ij, real r2) {
  const real r = sqrt(r2), over_r = inverse(r);
  real u = real(0);
  for (int a = 0; a < DIM; a++) u = u - (v_i[a] - v_j[a]) * (x_ij[a] * over_r);
  return c.viscosity.impulse(u, closeness(r, c.inv_h)) * over_r;
}

/// Writes a velocity where it is finite; elsewhere the old one stays, for the diagnosis.
SPH_FN void put_finite(Vec from, u32 i, const Writable& v) {
  bool finite = true;
  for (int a = 0; a < DIM; a++) finite = finite & is_finite(from[a]);
  if (!finite) return;
  for (int a = 0; a < DIM; a++) v.x[a][i] = from[a];
}

/// Jacobi: all impulses from the same velocities, `v_i += ½ Σ_j I x_ij/r`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
visco_impulses(Constants c, Rows rows, const Packed* __restrict__ position, const Packed* __restrict__ velocity, u32 n,
               Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(position, i)), v_i = vector(load(velocity, i));
  Vec sum = zero();
  visit_twofold(c, rows, position, velocity, i, x_i, [&](const Twofold& j, Vec x_ij, real r2) {
    add(sum, impulse_over_r(c, v_i, vector(j.beside), x_ij, r2), x_ij);
  });
  for (int a = 0; a < DIM; a++) sum[a] = v_i[a] + real(0.5) * sum[a];
  put_finite(sum, i, v);
}
SHIM_EXPORT(visco_impulses)

/// Gauss-Seidel: each pair uses the velocities that the last one has left, `v_i += ½ I x_ij/r`, `v_j −= ½ I x_ij/r`.
/// One thread a cell, since the pairs of a particle depend on one another.
// ITEMS color.n_cells()
KERNEL void __launch_bounds__(CELL_THREADS)
visco_sweep_impulses(Constants c, Color color, Rows rows, const Packed* __restrict__ position, Packed* velocity) {
  color.for_each_in_cell(thread_index(), [&](u32 i) {
    Packed own = velocity[i];
    const Vec x_i = vector(load(position, i));
    const u32 n = rows.length(i);
    const u32* const row = rows.rows + rows.first(i);
    for (u32 k = 0; k < n; k++) {
      const u32 j = __ldg(row + u64(k) * 32);
      // Each pair once.
      if (j <= i) continue;
      Packed other = velocity[j];
      const Vec x_ij = between(c, x_i, vector(load(position, j)));
      const real half = real(0.5) * impulse_over_r(c, vector(own), vector(other), x_ij, norm2(x_ij));
      shift(own, half, x_ij), shift(other, -half, x_ij);
      velocity[j] = other;
    }
    velocity[i] = own;
  });
}
SHIM_EXPORT(visco_sweep_impulses)

/// The velocities of records, where they are finite.
KERNEL void __launch_bounds__(THREADS) visco_unpack_velocities(const Packed* __restrict__ velocity, u32 n, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  put_finite(vector(load(velocity, i)), i, v);
}
SHIM_EXPORT(visco_unpack_velocities)

}  // namespace SPH_SPACE
