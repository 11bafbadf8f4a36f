// SMOOTHING CubicSpline WendlandC2 Poly6Spiky
//
// Velocities in Position Based Fluids: from positions, then vorticity confinement, XSPH and the forces of the surface.
// The twin of `velocity.rs`, and of the loops over velocities in `pack.rs` and `surface.rs`, in `solver-pbf/src/cpu`.
#include "pbf/shared.cuh"

inline namespace SPH_SPACE {
using namespace pbf;

// ---------------------------------------------------------------------------------------------------------- pack.rs

/// `v = (v* + (x − x*) per_way) damping`: the change of velocity by corrections, without the digits that the difference
/// of two places loses. Where that is not finite `v*` stays, and `lost` becomes 1; it does so where the density is not
/// finite, too. Corrections are added to the predicted way and change of velocity. `gain2` gets squared changes.
KERNEL void __launch_bounds__(THREADS)
pbf_velocities(const Packed* __restrict__ place, Points x, const real* __restrict__ rho, u32 n, real per_way,
               real damping, Writable v, Past past /* [n] or none */, real* __restrict__ gain2,
               u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed record = load(place, i);
  Vec correction, gain, v_i;
  for (int d = 0; d < DIM; d++) {
    correction[d] = record.a[d] - x.x[d][i];
    gain[d] = correction[d] * per_way;
    v_i[d] = (v.x[d][i] + gain[d]) * damping;
  }
  const bool good = is_finite(norm2(v_i));
  gain2[i] = max_of(gain2[i], norm2(gain));
  if (!(good & is_finite(rho[i]))) lost[i] = 1u;
  for (int d = 0; d < DIM; d++) {
    if (good) v.x[d][i] = v_i[d];
    if (past.way.x[d]) {
      past.way.x[d][i] += correction[d];
      past.gain.x[d][i] += gain[d];
    }
  }
}
SHIM_EXPORT(pbf_velocities)

/// Records `at` [x y z m] and `motion` [v ρ]. `lost` becomes 1 where a number of them is not finite.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_velocities(Constants c, const Packed* __restrict__ place,
                    const real* __restrict__ mu /* [n if c.unequal != 0] */, Points v, const real* __restrict__ rho,
                    u32 n, Packed* __restrict__ at, Packed* __restrict__ motion, u32* __restrict__ lost) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed record = load(place, i), moving = {};
  record.a[3] = c.unequal ? c.m * mu[i] : c.m;
  for (int d = 0; d < DIM; d++) moving.a[d] = v.x[d][i];
  moving.a[3] = rho[i];
  bool finite = true;
  for (int k = 0; k < 4; k++) finite = finite & is_finite(record.a[k]) & is_finite(moving.a[k]);
  if (!finite) lost[i] = 1u;
  at[i] = record, motion[i] = moving;
}
SHIM_EXPORT(pbf_pack_velocities)

/// Records [x y z ρ], for the forces of the surface.
KERNEL void __launch_bounds__(THREADS)
pbf_pack_densities(const Packed* __restrict__ place, const real* __restrict__ rho, u32 n, Packed* __restrict__ to) {
  const u32 i = thread_index();
  if (i >= n) return;
  Packed record = load(place, i);
  record.a[3] = rho[i];
  to[i] = record;
}
SHIM_EXPORT(pbf_pack_densities)

// ------------------------------------------------------------------------------------------------------ velocity.rs

/// XSPH (Macklin & Müller 2013, eq. 17): `v_i += c Σ_j w_ij (v_j − v_i)`, and towards walls
/// `v_i −= c_b Σ_b psi_b/ρ_i W_ib (v_i − v_b)`. Reads the records and writes `v`, so that no one sees a new velocity.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_xsph(Constants c, Rows fluid, Rows walls /* [n if c.wall_xsph > 0.0] */, const Packed* __restrict__ at,
         const Packed* __restrict__ motion, const Packed* __restrict__ samples /* [0] */,
         const Packed* __restrict__ wall_motion /* [0] */, u32 n, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed moving = load(motion, i);
  const Vec x_i = vector(load(at, i)), v_i = vector(moving);
  const real rho_i = moving.a[3];
  Vec inner = zero(), outer = zero();
  visit_twofold(c, fluid, at, motion, i, x_i, [&](const Twofold& j, Vec, real r2) {
    const real weight = xsph(c.symmetric != 0, j.place.a[3], rho_i, j.beside.a[3], kernel.w(r2));
    add(inner, weight, difference(vector(j.beside), v_i));
  });
  if (c.wall_xsph > real(0)) {
    visit_twofold(c, walls, samples, wall_motion, i, x_i, [&](const Twofold& b, Vec, real r2) {
      const real weight = wall_xsph(b.beside.a[3] * b.place.a[3], rho_i, kernel.w(r2));
      add(outer, weight, difference(vector(b.beside), v_i));
    });
  }
  for (int a = 0; a < DIM; a++) v.x[a][i] = v_i[a] + (c.xsph * inner[a] + c.wall_xsph * outer[a]);
}
SHIM_EXPORT(pbf_xsph)

/// Vorticity (Macklin & Müller 2013, eq. 15, with volumes): `ω_i = Σ_j V_j ∇W_ij × (v_j − v_i)`, into `whirl` [x y z V]
/// and `spin` [ω |ω|]; `squares` gets |ω|².
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_vorticity(Constants c, Rows fluid, const Packed* __restrict__ at, const Packed* __restrict__ motion, u32 n,
              Packed* __restrict__ whirl, Packed* __restrict__ spin, real* __restrict__ squares) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  Packed record = load(at, i);
  const Packed moving = load(motion, i);
  const Vec v_i = vector(moving);
  Vec3 omega = {};
  visit_twofold(c, fluid, at, motion, i, vector(record), [&](const Twofold& j, Vec x_ij, real r2) {
    const real f = j.place.a[3] / j.beside.a[3] * kernel.grad_factor(r2);
    for (int a = 0; a < DIM; a++) x_ij[a] = f * x_ij[a];
    const Vec3 turn = cross(in_space(x_ij), in_space(difference(vector(j.beside), v_i)));
    for (int a = 0; a < 3; a++) omega[a] += turn[a];
  });
  const real size2 = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2];
  record.a[3] = record.a[3] / moving.a[3];
  whirl[i] = record, spin[i] = Packed{{omega[0], omega[1], omega[2], sqrt(size2)}}, squares[i] = size2;
}
SHIM_EXPORT(pbf_vorticity)

/// Vorticity confinement (Fedkiw, Stam & Jensen 2001; Macklin & Müller 2013, eq. 16): `v_i += Δt ε_vc N_i × ω_i`,
/// `N = η/|η|`, `η_i = Σ_j V_j (|ω_j| − |ω_i|) ∇W_ij`; `strength` is Δt ε_vc, `squares` the sum of all |ω|².
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
pbf_confine(Constants c, Rows fluid, const Packed* __restrict__ whirl, const Packed* __restrict__ spin,
            const double* __restrict__ squares /* [1] */, real strength, u32 n, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Kernel kernel{c.kernel};
  const Packed turning = load(spin, i);
  const real size_i = turning.a[3];
  Vec eta = zero();
  visit_twofold(c, fluid, whirl, spin, i, vector(load(whirl, i)), [&](const Twofold& j, Vec x_ij, real r2) {
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
