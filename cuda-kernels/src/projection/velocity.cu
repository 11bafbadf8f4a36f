// The pressure gradient of the staggered projection, and the velocities that it corrects. The twin of `velocity.rs` in
// `solver-projection/src/cpu`.
#include "common/numerics/linear.cuh"
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// New velocities, and what they have gained at most; `lost` becomes 1 where they are not finite, and they stay.
struct Gains {
  Writable v;
  /// Largest squared changes, [m²/s²].
  real* gain2;
  u32* lost;

  SPH_FN void write(u32 i, Vec gain) const {
    Vec v_i;
    for (int a = 0; a < DIM; a++) v_i[a] = v.x[a][i] + gain[a];
    gain2[i] = max_of(norm2(gain), gain2[i]);
    if (is_finite(norm2(v_i))) {
      put(v, i, v_i);
    } else {
      lost[i] = 1u;
    }
  }
};

/// `Σ_k w¹ n_ik` over the ghosts of a particle, each times the part of the pressure with which it acts.
SPH_FN Vec wall_gradient(const Constants& c, const Near& near, u32 i, Vec x_i, Vec v_i) {
  Vec outer = zero();
  visit_ghosts(c, near, i, x_i, [&](const Ghost& k, Vec x_ik, real r2) {
    const Weighed at = c.weight.at(r2);
    const real part = c.parting.held(difference(v_i, vector(k.motion)), vector(k.normal));
    add(outer, part * at.w1 * at.inv_r, x_ik);
  });
  return outer;
}

/// `Σ_j ½ a_ij w¹_ij f(p_i + p_j) n_ij`, f of what acts.
template <class F>
SPH_FN Vec mirrored_gradient(const Constants& c, const Near& near, const Packed* place, const real* p, u32 i, Vec x_i,
                             real inv_i, real p_i, F f) {
  Vec inner = zero();
  visit_pressures(c, near.fluid, place, p, i, x_i, [&](const PressurePoint& j, Vec x_ij, real r2) {
    const Weighed at = c.weight.at(r2);
    add(inner, real(0.5) * (inv_i + j.place.a[3]) * at.w1 * at.inv_r * f(p_i + j.p), x_ij);
  });
  return inner;
}

/// Dirichlet terms of voids, with `σ_i = Σ_j a_ij w¹_ij n_ij + Σ_k 2/α_i w¹_ik n_ik`, each ghost times its part of the
/// pressure. `factor` is d dt/ρ₀.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_open_voids(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion,
                      const real* __restrict__ p, real factor, u32 n, real* __restrict__ dirichlet,
                      real* __restrict__ diagonal) {
  const u32 i = thread_index();
  if (i >= n) return;
  const real push = factor * __ldg(p + i);
  if (push * STEEPEST * c.weight.inv_h <= c.parting.speed) return;
  const Packed here = load(place, i);
  const Vec x_i = vector(here);
  const real twice = real(2) * here.a[3];
  Vec sigma = mirrored_gradient(c, near, place, p, i, x_i, here.a[3], real(0), [](real) { return real(2); });
  add(sigma, twice, wall_gradient(c, near, i, x_i, vector(load(motion, i))));
  const real least = of_void(push, norm2(sigma), c.parting.speed), s_i = dirichlet[i];
  if (least > (real(1) + GROWTH) * s_i) diagonal[i] += least - s_i, dirichlet[i] = least;
}
SHIM_EXPORT(projection_open_voids)

/// `v_i −= dt/ρ₀ G⁺`, with `G⁺ = d Σ_j ½ a_ij w¹_ij max(p_i + p_j, 0) n_ji + d Σ_k ½ a_ik w¹_ik 2 max(p_i, 0) n_ki`:
/// pairs under tension are left out. Beside walls the correction `d E_i Σ_j w¹_ij (p_j − p_i) n_ji`; `tangential_gradient`, if there is one, gets `E_i/G_i Σ_j w¹_ij (p_j − p_i) n_ij`. `factor` is
/// d dt/ρ₀.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_adjoint(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion,
                   const real* __restrict__ p,
                   WallCorrections all, real factor, u32 n, Gains out,
                   Packed* __restrict__ tangential_gradient /* [n] or none */) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i);
  const Vec x_i = vector(here);
  const real inv_i = here.a[3], p_i = __ldg(p + i);
  const auto pushing = [](real both) { return max_of(real(0), both); };
  Vec gain = scaled(factor, mirrored_gradient(c, near, place, p, i, x_i, inv_i, p_i, pushing));
  if (near.walls.length(i) > 0) {
    const real twice = real(2) * inv_i * max_of(p_i, real(0));
    add(gain, factor * twice, wall_gradient(c, near, i, x_i, vector(load(motion, i))));
    if (c.wall_correction) {
      Vec rise = zero();
      visit_pressures(c, near.fluid, place, p, i, x_i, [&](const PressurePoint& j, Vec x_ij, real r2) {
        const Weighed at = c.weight.at(r2);
        add(rise, at.w1 * at.inv_r * (j.p - p_i), x_ij);
      });
      add(gain, factor, all.at(i).times(rise));
      if (tangential_gradient) tangential_gradient[i] = quad(scaled(load(all.lower, i).a[2], rise), real(0));
    }
  }
  out.write(i, gain);
}
SHIM_EXPORT(projection_adjoint)

/// `v_i −= dt/ρ₀ G⁻`, the difference gradient that is exact for linear pressure, `(Σ_j w¹ r n nᵀ)⁻¹
/// Σ_j w¹ (p_j − p_i) n_ji`. In the surface region neighbors are missing whose pressure is 0: there it is the mirrored one, of
/// either sign. `factor` is d dt/ρ₀.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_difference(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion,
                      const real* __restrict__ p,
                      const Packed* __restrict__ region, real factor, u32 n, Gains out) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i);
  const Vec x_i = vector(here);
  const real inv_i = here.a[3], p_i = __ldg(p + i);
  if (load(region, i).a[3] != real(0)) {
    Vec sum = mirrored_gradient(c, near, place, p, i, x_i, inv_i, p_i, [](real both) { return both; });
    add(sum, real(2) * inv_i * p_i, wall_gradient(c, near, i, x_i, vector(load(motion, i))));
    out.write(i, scaled(factor, sum));
    return;
  }
  real sums[DIM * (DIM + 1) / 2] = {};
  Vec right = zero();
  visit_pressures(c, near.fluid, place, p, i, x_i, [&](const PressurePoint& j, Vec x_ij, real r2) {
    const Weighed at = c.weight.at(r2);
    const real coefficient = at.w1 * at.inv_r, rise = coefficient * (p_i - j.p);
    int t = 0;
#pragma unroll
    for (int a = 0; a < DIM; a++) {
#pragma unroll
      for (int b = a; b < DIM; b++) sums[t++] += coefficient * x_ij[a] * x_ij[b];
    }
    add(right, rise, x_ij);
  });
  // Both carry 1/m² less than the gradient: r n nᵀ against n.
  const real gain = -factor * (real(1) / real(DIM));
  out.write(i, scaled(gain, Symmetric(sums).solve(right)));
}
SHIM_EXPORT(projection_difference)

/// PeriDyno's: `c₀ Σ_j w¹ ((p_j − p_i)/α_i + (p_i/α_i + p_j/α_j)) n_ij`, `p_j` in place of the difference at the
/// surface and the second only of pairs under pressure; walls take the velocity along the line to them, `Σ_k w/α_i
/// ((v_k − v_i)·n_ik) n_ik`, and also push with the mirrored pressure. Velocities are those of `motion`, `factor` is
/// d dt/ρ₀ and `part` that of each gradient.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_peridyno(Constants c, Near near, const Packed* __restrict__ place, const Packed* __restrict__ motion,
                    const real* __restrict__ p, const real* __restrict__ dirichlet, real factor, real part, u32 n,
                    Gains out) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Packed here = load(place, i);
  const Vec x_i = vector(here), v_i = vector(load(motion, i));
  const real inv_i = here.a[3], p_i = __ldg(p + i), own = dirichlet[i] == real(0) ? p_i : real(0);
  Vec inner = zero(), outer = zero();
  visit_pressures(c, near.fluid, place, p, i, x_i, [&](const PressurePoint& j, Vec x_ij, real r2) {
    const Weighed at = c.weight.at(r2);
    const real both = p_i + j.p;
    const real under_pressure = max_of(real(0), both) / max_of(max_of(both, real(0) - both), real(1e-30));
    const real pair = under_pressure * (inv_i * p_i + j.place.a[3] * j.p);
    const real acts = part * inv_i * (j.p - own) + part * pair;
    add(inner, at.w1 * at.inv_r * acts, x_ij);
  });
  const real push = factor * part, held = max_of(p_i, real(0)) + max_of(p_i, real(0));
  visit_twofold(c, near.walls, near.ghosts.samples, near.ghosts.motion, i, x_i,
                [&](const Twofold& k, Vec x_ik, real r2) {
                  const Weighed at = c.weight.at(r2);
                  const Vec approach = difference(vector(k.beside), v_i);
                  const real taken = at.w * at.inv_r * at.inv_r * dot(approach, x_ik);
                  add(outer, taken + push * held * at.w1 * at.inv_r, x_ik);
                });
  for (int a = 0; a < DIM; a++) inner[a] = factor * inner[a] + inv_i * outer[a];
  out.write(i, inner);
}
SHIM_EXPORT(projection_peridyno)

}  // namespace SPH_SPACE
