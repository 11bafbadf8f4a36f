// SMOOTHING CubicSpline Poly6Spiky
//
// Velocities in Position Based Fluids: from positions, then vorticity confinement, XSPH and the forces of the surface.
// The twin of `velocity.rs`, and of the loops over velocities in `pack.rs` and `surface.rs`, in `solver-pbf/src/cpu`.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// `v = (v* + (x*_corrected − x*_predicted) per_displacement) damping`: equals `(x^{n+1} − x^n)/Δt` without the
/// cancellation in the difference of two positions. Where that is not finite `v*` stays, and `lost` becomes 1; it does so
/// where the density is not finite, too. Corrections are added to the predicted displacement and change of velocity.
/// `gain2` gets squared changes.
KERNEL void __launch_bounds__(THREADS)
pbf_velocities(const Packed* __restrict__ x_star, Points x, const real* __restrict__ rho, u32 n,
               real per_displacement, real damping, Writable v, Past past /* [n] or none */, real* __restrict__ gain2,
               u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed record = load(x_star, i);
  Vec correction, change, v_i;
  for (int d = 0; d < DIM; d++) {
    correction[d] = record.a[d] - x.x[d][i];
    change[d] = correction[d] * per_displacement;
    v_i[d] = (v.x[d][i] + change[d]) * damping;
  }
  const bool good = is_finite(norm2(v_i));
  gain2[i] = max_of(gain2[i], norm2(change));
  if (!(good & is_finite(rho[i]))) lost[i] = 1u;
  for (int d = 0; d < DIM; d++) {
    if (good) v.x[d][i] = v_i[d];
    if (past.displacement.x[d]) {
      past.displacement.x[d][i] += correction[d];
      past.velocity_change.x[d][i] += change[d];
    }
  }
}
SHIM_EXPORT(pbf_velocities)

/// Records [v ρ]. `lost` becomes 1 where a number of them or a position is not finite.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_velocities(const Packed* __restrict__ x_star, Points v, const real* __restrict__ rho, u32 n,
                    Packed* __restrict__ v_rho, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed x_i = load(x_star, i);
  Packed moving = {};
  for (int d = 0; d < DIM; d++) moving.a[d] = v.x[d][i];
  moving.a[3] = rho[i];
  bool finite = true;
  for (int k = 0; k < 4; k++) finite = finite & is_finite(x_i.a[k]) & is_finite(moving.a[k]);
  if (!finite) lost[i] = 1u;
  v_rho[i] = moving;
}
SHIM_EXPORT(pbf_pack_velocities)

/// Records [x y z ρ], for the forces of the surface.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_densities(const Packed* __restrict__ x_star, const real* __restrict__ rho, u32 n,
                   Packed* __restrict__ x_rho) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed record = load(x_star, i);
  record.a[3] = rho[i];
  x_rho[i] = record;
}
SHIM_EXPORT(pbf_pack_densities)

// ------------------------------------------------------------------------------------------------------ velocity.rs

/// XSPH (Macklin & Müller 2013, eq. 17): `v_i += c Σ_j w_ij (v_j − v_i)`. Reads the records and writes `v`, so that no
/// particle sees a new velocity.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_xsph(Constants c, Rows fluid, const Packed* __restrict__ x_star, const Packed* __restrict__ v_rho, u32 n,
         Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed moving = load(v_rho, i);
  const Vec v_i = vector(moving);
  const real rho_i = moving.a[3];
  Vec inner = zero();
  visit_twofold(c, fluid, x_star, v_rho, i, vector(load(x_star, i)), [&](const Twofold& j, Vec, real r2) {
    const real weight = xsph(c.m, rho_i, j.beside.a[3], kernel.w(r2));
    add(inner, weight, difference(vector(j.beside), v_i));
  });
  for (int a = 0; a < DIM; a++) v.x[a][i] = v_i[a] + c.xsph * inner[a];
}
SHIM_EXPORT(pbf_xsph)

/// Vorticity (Macklin & Müller 2013, eq. 15, with volumes): `ω_i = Σ_j V_j ∇W_ij × (v_j − v_i)`, into `x_volume`
/// [x y z V] and `vorticity` [ω |ω|]; `squares` gets |ω|².
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_vorticity(Constants c, Rows fluid, const Packed* __restrict__ x_star, const Packed* __restrict__ v_rho, u32 n,
              Packed* __restrict__ x_volume, Packed* __restrict__ vorticity, real* __restrict__ squares) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  Packed record = load(x_star, i);
  const Packed moving = load(v_rho, i);
  const Vec v_i = vector(moving);
  Vec3 omega = {};
  visit_twofold(c, fluid, x_star, v_rho, i, vector(record), [&](const Twofold& j, Vec x_ij, real r2) {
    const real f = c.m / j.beside.a[3] * kernel.grad_factor(r2);
    for (int a = 0; a < DIM; a++) x_ij[a] = f * x_ij[a];
    const Vec3 turn = cross(in_space(x_ij), in_space(difference(vector(j.beside), v_i)));
    for (int a = 0; a < 3; a++) omega[a] += turn[a];
  });
  const real size2 = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2];
  record.a[3] = c.m / moving.a[3];
  x_volume[i] = record, vorticity[i] = Packed{{omega[0], omega[1], omega[2], sqrt(size2)}}, squares[i] = size2;
}
SHIM_EXPORT(pbf_vorticity)

/// Vorticity confinement (Fedkiw, Stam & Jensen 2001; Macklin & Müller 2013, eq. 16): `v_i += Δt ε_vc N_i × ω_i`,
/// `N = η/|η|`, `η_i = Σ_j V_j (|ω_j| − |ω_i|) ∇W_ij`; `strength` is Δt ε_vc, `squares` the sum of all |ω|².
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_confine(Constants c, Rows fluid, const Packed* __restrict__ x_volume,
            const Packed* __restrict__ vorticity, const double* __restrict__ squares /* [1] */, real strength, u32 n, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed turning = load(vorticity, i);
  const real size_i = turning.a[3];
  Vec eta = zero();
  visit_twofold(c, fluid, x_volume, vorticity, i, vector(load(x_volume, i)), [&](const Twofold& j, Vec x_ij, real r2) {
    add(eta, j.place.a[3] * (j.beside.a[3] - size_i) * kernel.grad_factor(r2), x_ij);
  });
  // Gradients below a part of the mean vorticity have no direction.
  const real mean = real(sqrt(*squares / double(n))), least = real(1e-6) * mean / kernel.support_radius();
  const real size = sqrt(norm2(eta));
  if (!(size > least)) return;
  for (int a = 0; a < DIM; a++) eta[a] = eta[a] / size;
  const Vec3 push = cross(in_space(eta), Vec3{{turning.a[0], turning.a[1], turning.a[2]}});
  for (int a = 0; a < DIM; a++) v.x[a][i] += strength * push[a];
}
SHIM_EXPORT(pbf_confine)

// ------------------------------------------------------------------------------------------------------- surface.rs

/// `v ← v + dt a` with the forces of the surface. Where that is not finite `v` stays, and `lost` becomes 1.
KERNEL void __launch_bounds__(THREADS)
pbf_accelerate(Points a, u32 n, real dt, Writable v, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  for (int d = 0; d < DIM; d++) {
    const real changed = v.x[d][i] + dt * a.x[d][i];
    if (is_finite(changed)) {
      v.x[d][i] = changed;
    } else {
      lost[i] = 1u;
    }
  }
}
SHIM_EXPORT(pbf_accelerate)

}  // namespace SPH_SPACE
