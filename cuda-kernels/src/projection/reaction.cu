// Reaction forces on dynamic bodies in the staggered projection: the opposite of what the fluid got from their samples.
// The twin of `reaction.rs` in `solver-projection/src/cpu`. Forces are added.
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// `force[b] += factor sum`.
SPH_FN void put_force(const Writable& force, u32 b, real factor, Vec sum) {
  for (int a = 0; a < DIM; a++) force.x[a][b] += factor * sum[a];
}

/// What a loop over moving pressures reads of a neighbor.
struct Pushing {
  Packed place, motion;
  real p;
  /// Whether it acts by pairs.
  bool by_pairs;
};

/// Of the pressure: `F_k = Σ_i m/ρ₀ d θ_s ½ a_ik w¹_ik 2 max(p_i, least) n_ki`, each times the
/// part of the pressure with which the sample acts. Samples with an area A get −A n times the pressure on the surface over them,
/// by the particles before them, `Σ_i c_ik (max(p_i, least) + ρ₀ g·(x_s − x_i)) / Σ_i c_ik`, `c_ik = w¹_ik max(n_ik·n, 0)`, n the normal
/// into the fluid; in reach of a free surface, where their gradient keeps momentum, particles act by pairs.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_react_pressure(Constants c, Rows rows, Walls walls, Sets sets, const Packed* __restrict__ place /* [0] */,
                      const Packed* __restrict__ motion /* [place.len()] */,
                      const real* __restrict__ p /* [place.len()] */,
                      const Packed* __restrict__ surface_region /* [0] */, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Packed sample = load(walls.samples, b), facing = load(walls.normal, b);
  const Vec v_k = vector(load(walls.motion, b)), normal = vector(facing);
  const bool has_area = facing.a[3] >= real(0);
  Vec pairs = zero();
  real sum = real(0), all = real(0);
  const auto read = [=](u32 i) {
    const bool by_pairs = !has_area || load(surface_region, i).a[3] != real(0);
    return Pushing{load(place, i), load(motion, i), __ldg(p + i), by_pairs};
  };
  visit(c, rows, b, vector(sample), read, [&](const Pushing& i, Vec x_ki, real r2) {
    const Weighed at = c.weight.at(r2);
    const real part = c.parting.held(difference(vector(i.motion), v_k), normal), pressure = max_of(c.least_pushed, i.p);
    const real before = at.w1 * at.inv_r * max_of(real(0), -dot(normal, x_ki));
    all += before;
    if (i.by_pairs) {
      add(pairs, part * i.place.a[3] * at.w1 * at.inv_r * (real(2) * pressure), x_ki);
    } else {
      real hydrostatic = real(0);
      for (int a = 0; a < DIM; a++)
        hydrostatic += c.rho_0 * c.forces.gravity[a] * (x_ki[a] + sample.a[3] * normal[a]);
      sum += before * (part * (pressure + hydrostatic));
    }
  });
  put_force(force, b, factor, pairs);
  if (has_area && all > real(0)) put_force(force, b, -facing.a[3] * (sum / all), normal);
}
SHIM_EXPORT(projection_react_pressure)

/// Of the tangential wall correction: `F_k = −Σ_i m/ρ₀ d E_i/G_i w_ik
/// t_ik t_ik·(Σ_j w¹_ij (p_j − p_i) n_ij)`, `t_ik` the part of `n_ik` along the wall.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_react_tangential(Constants c, Rows rows, Walls walls, Sets sets, const Packed* __restrict__ place /* [0] */,
                     const Packed* __restrict__ tangential_gradient /* [place.len()] */, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Vec normal = vector(load(walls.normal, b));
  Vec sum = zero();
  visit_twofold(c, rows, place, tangential_gradient, b, vector(load(walls.samples, b)), [&](const Twofold& i, Vec x_ki, real r2) {
    const Weighed at = c.weight.at(r2);
    add(sum, at.w, WallCorrection::of_ghost(scaled(at.inv_r, x_ki), normal).times(vector(i.beside)));
  });
  put_force(force, b, -factor, sum);
}
SHIM_EXPORT(projection_react_tangential)

/// Of PeriDyno's walls: `F_k = −Σ_i m/dt w/α_i ((v_k − v_i)·n_ik) n_ik`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_react_peridyno(Constants c, Rows rows, Walls walls, Sets sets, const Packed* __restrict__ place /* [0] */,
                     const Packed* __restrict__ motion /* [place.len()] */, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Vec v_k = vector(load(walls.motion, b));
  Vec sum = zero();
  visit_twofold(c, rows, place, motion, b, vector(load(walls.samples, b)), [&](const Twofold& i, Vec x_ki, real r2) {
    const Weighed at = c.weight.at(r2);
    const Vec approach = difference(v_k, vector(i.beside));
    add(sum, i.place.a[3] * at.w * at.inv_r * at.inv_r * dot(approach, x_ki), x_ki);
  });
  put_force(force, b, -factor, sum);
}
SHIM_EXPORT(projection_react_peridyno)

/// Of the implicit viscosity: `F_k = Σ_i m/dt g a_ik w² τ β (v_i − v_k)`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_react_viscous(Constants c, Rows rows, Walls walls, Sets sets, const Packed* __restrict__ place /* [0] */,
                     const Packed* __restrict__ motion /* [place.len()] */, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Ghost wall = {load(walls.samples, b), load(walls.motion, b), load(walls.normal, b)};
  const Vec v_k = vector(wall.motion);
  Vec sum = zero();
  visit_twofold(c, rows, place, motion, b, vector(wall.place), [&](const Twofold& i, Vec x_ki, real r2) {
    const real drag = i.place.a[3] * drag_of(c, wall, scaled(real(-1), x_ki), r2);
    add(sum, drag, difference(vector(i.beside), v_k));
  });
  put_force(force, b, factor, sum);
}
SHIM_EXPORT(projection_react_viscous)

/// Of the viscosity along lines of centers: `F_k = Σ_i m/dt g a_ik w² τ β n n·(v_i − v_k)`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_react_central(Constants c, Rows rows, Walls walls, Sets sets, const Packed* __restrict__ place /* [0] */,
                     const Packed* __restrict__ motion /* [place.len()] */, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const Ghost wall = {load(walls.samples, b), load(walls.motion, b), load(walls.normal, b)};
  const Vec v_k = vector(wall.motion);
  Vec sum = zero();
  visit_twofold(c, rows, place, motion, b, vector(wall.place), [&](const Twofold& i, Vec x_ki, real r2) {
    const Friction at = friction(c, wall, scaled(real(-1), x_ki), r2);
    add(sum, i.place.a[3] * at.weight * dot(at.n, difference(vector(i.beside), v_k)), at.n);
  });
  put_force(force, b, factor, sum);
}
SHIM_EXPORT(projection_react_central)

/// Of XSPH: `F_k = Σ_i m/dt c τ 2m/(ρ_i + ρ₀) W_ik (v_i − v_k)`.
KERNEL void __launch_bounds__(THREADS, LOOP_BLOCKS)
projection_react_xsph(Constants c, Rows rows, Walls walls, Sets sets, const Packed* __restrict__ place /* [0] */,
                    const Packed* __restrict__ motion /* [place.len()] */, u32 n, real factor, Writable force) {
  const u32 b = thread_index();
  if (b >= n || !sets.is_loaded(b)) return;
  const CubicSpline kernel{c.kernel};
  const Packed moving = load(walls.motion, b);
  const Vec v_k = vector(moving);
  Vec sum = zero();
  visit_twofold(c, rows, place, motion, b, vector(load(walls.samples, b)), [&](const Twofold& i, Vec, real r2) {
    const real weight = moving.a[3] * xsph(c.m, i.beside.a[3], c.rho_0, kernel.w(r2));
    add(sum, weight, difference(vector(i.beside), v_k));
  });
  put_force(force, b, factor, sum);
}
SHIM_EXPORT(projection_react_xsph)

}  // namespace SPH_SPACE
