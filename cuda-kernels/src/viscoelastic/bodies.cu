// Contacts of particles with dynamic bodies, and loads of contacts on walls and containers: the twin of `BodyContact` and `Holders`
// in `solver-viscoelastic/src/cpu/contact.rs` and of `ContactSystem` in `src/contact.rs` there. One body after the other, in f64.
//
// The first pass assembles the contact system of a body. The host solves it for the velocity after all impulses, with
// which the second pass applies them and sums the wrench.
#include "viscoelastic/contact.cuh"
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {
namespace visco {

/// Sums of N numbers.
template <int N> struct Sums {
  double a[N];
};

/// Force and torque, or their impulses.
// FIELDS double a[6]
typedef Sums<6> Wrench;
/// Upper triangle of the matrix `Σ m Gᵀ Π G`, row by row, then the momentum `Σ m Gᵀ (Π v̄ − s n)`.
// FIELDS double matrix[21], momentum[6]
typedef Sums<27> ContactSystem;

/// Sums over the threads of a block, in a fixed order.
template <int N> SPH_FN void sum_block(Sums<N> mine, Sums<N>* __restrict__ result) {
  __shared__ double of_warp[REDUCE_THREADS / 32][N];
#pragma unroll
  for (int k = 0; k < N; k++) {
#pragma unroll
    for (u32 half = 16; half > 0; half /= 2) mine.a[k] += __shfl_down_sync(0xffffffffu, mine.a[k], half);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][k] = mine.a[k];
  }
  __syncthreads();
  if (threadIdx.x >= N) return;
  double sum = 0.0;
  for (u32 warp = 0; warp < REDUCE_THREADS / 32; warp++) sum += of_warp[warp][threadIdx.x];
  result->a[threadIdx.x] = sum;
}

/// The partial sums of the blocks over n items, by one block.
template <int N> SPH_FN void sum_partials(const Sums<N>* __restrict__ partial, u32 n, Sums<N>* __restrict__ result) {
  Sums<N> mine = {};
  const u32 blocks = reduce_blocks(n);
  for (u32 i = threadIdx.x; i < blocks; i += REDUCE_THREADS) {
#pragma unroll
    for (int k = 0; k < N; k++) mine.a[k] += partial[i].a[k];
  }
  sum_block(mine, result);
}

/// Force and torque of a force at an arm.
SPH_FN Wrench wrench(const Vec64& force, const Vec64& arm) {
  double f[3] = {}, r[3] = {};
  for (int k = 0; k < DIM; k++) f[k] = force[k], r[k] = arm[k];
  Wrench w;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    w.a[k] = f[k], w.a[3 + k] = r[i] * f[j] - r[j] * f[i];
  }
  return w;
}

/// Adds a particle of mass `m` with velocity `v` along a direction.
SPH_FN void add_along(ContactSystem& system, const Vec64& direction, const Vec64& arm, double m, double v) {
  const Wrench g = wrench(direction, arm);
#pragma unroll
  for (int a = 0; a < 6; a++) {
    system.a[21 + a] += m * v * g.a[a];
#pragma unroll
    for (int b = a; b < 6; b++) system.a[a * (11 - a) / 2 + b] += m * g.a[a] * g.a[b];
  }
}

/// Contact point of a particle on a body.
struct ContactPoint {
  /// Distance to the surface, [m].
  double d;
  /// Normal into the fluid.
  Vec64 n;
  /// Arm from the center of mass before the step, [m].
  Vec64 arm;
};

/// Contact with a body.
struct BodyContact {
  /// Its surface in the advanced pose, and its velocity; `point` is its center of mass before the step.
  Surface surface;
  /// Radius of the bounding ball around its center of mass, [m].
  double reach;
  /// Mass of a particle, [kg].
  double m;

  /// The contact point of a particle on the advanced body. Returns whether it is near.
  SPH_FN bool find(const Periodic& periodic, const Contact& contact, const Particle& p, ContactPoint& point) const {
    const Vec64 to = separation(periodic, p.x, surface.pose.shift);
    const double reached = reach + contact.reach();
    double speeds = p.v[0];
    for (int k = 1; k < DIM; k++) speeds += p.v[k];
    // Zero for finite numbers only.
    if (dot(to, to.a) > reached * reached || !(0.0 * speeds == 0.0)) return false;
    bool found = false;
    surface.near(surface.pose.inverse_rotate(to), contact.reach(), [&](int, double d, const Vec64& n) {
      point.d = d, point.n = n, found = true;
    });
    if (!found) return false;
    point.n = surface.pose.rotate(point.n);
    point.arm = separation(periodic, p.x_prev, surface.point);
    return true;
  }

  /// `a − b`, to the nearest image.
  SPH_FN static Vec64 separation(const Periodic& periodic, const Vec64& a, const double* b) {
    Vec64 separation = minus(a, b);
    if (!periodic.any) return separation;
    Vec far;
    for (int k = 0; k < DIM; k++) far[k] = real(separation[k]);
    const Vec near = periodic.nearest(far);
    for (int k = 0; k < DIM; k++) separation[k] += double(near[k] - far[k]);
    return separation;
  }

  /// Velocity relative to the body, stickiness included, [m/s].
  SPH_FN Vec64 relative(const ContactPoint& point, const Particle& p, double pull) const {
    Vec64 v = surface.velocity_at(point.arm);
    for (int k = 0; k < DIM; k++) v[k] = p.v[k] + pull * point.n[k] - v[k];
    return v;
  }

  /// Adds a particle to the contact system.
  SPH_FN void add(ContactSystem& system, const Contact& contact, const ContactPoint& point, const Particle& p) const {
    const double pull = contact.stickiness(point.d);
    const Vec64 v = relative(point, p, pull);
    const double v_n = dot(v, point.n.a);
    double normal, tangential;
    contact.parts(point.d, v_n, surface.no_slip != 0, normal, tangential);
    add_along(system, point.n, point.arm, m * (normal - tangential), v_n);
    for (int k = 0; k < DIM; k++) add_along(system, unit(k), point.arm, m * tangential, v[k]);
    const Wrench g = wrench(point.n, point.arm);
    for (int a = 0; a < 6; a++) system.a[21 + a] -= m * pull * g.a[a];
  }

  /// Change of velocity of a particle by the body, [m/s].
  SPH_FN Vec64 impulse(const Contact& contact, const ContactPoint& point, const Particle& p) const {
    const double pull = contact.stickiness(point.d);
    Vec64 dv = contact.impulse(point.d, relative(point, p, pull), point.n, surface.no_slip != 0);
    for (int k = 0; k < DIM; k++) dv[k] = pull * point.n[k] + dv[k];
    return dv;
  }
};

}  // namespace visco

using namespace visco;

// `__grid_constant__`: a body is handed on by address, for which each thread would copy it otherwise.

/// Blocks per multiprocessor of what meets surfaces: by default the assembler aims at two in 2D and spills registers.
constexpr u32 ASSEMBLE_BLOCKS = 1;

/// First pass: the contact system of a body, summed over each block.
// THEN visco_merge_contact_system
KERNEL void __launch_bounds__(REDUCE_THREADS, ASSEMBLE_BLOCKS)
visco_assemble_contact_system(Constants c, Contact contact, const __grid_constant__ BodyContact body, u32 n,
                              Stream fluid, ContactSystem* __restrict__ partial) {
  ContactSystem mine = {};
#pragma unroll 1
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    const Particle p = fluid.take(u32(i), contact.dt);
    ContactPoint point;
    if (body.find(c.domain.periodic, contact, p, point)) body.add(mine, contact, point, p);
  }
  sum_block(mine, partial + blockIdx.x);
}
SHIM_EXPORT(visco_assemble_contact_system)

KERNEL void __launch_bounds__(REDUCE_THREADS)
visco_merge_contact_system(const ContactSystem* __restrict__ partial, u32 n, ContactSystem* __restrict__ result) {
  sum_partials(partial, n, result);
}
SHIM_EXPORT(visco_merge_contact_system)

/// Second pass: applies the impulses of a body with its velocity after them, and sums momentum and angular momentum of
/// the particles over each block.
// THEN visco_merge_wrench
KERNEL void __launch_bounds__(REDUCE_THREADS, ASSEMBLE_BLOCKS)
visco_apply_body_impulses(Constants c, Contact contact, const __grid_constant__ BodyContact body, u32 n,
                          Stream fluid, Wrench* __restrict__ partial) {
  Wrench mine = {};
#pragma unroll 1
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    Particle p = fluid.take(u32(i), contact.dt);
    ContactPoint point;
    if (!body.find(c.domain.periodic, contact, p, point)) continue;
    const Vec64 dv = body.impulse(contact, point, p);
    p.apply_impulse(dv, contact.dt);
    fluid.put(u32(i), p, contact.dt);
    const Wrench g = wrench(dv, point.arm);
    for (int a = 0; a < 6; a++) mine.a[a] += body.m * g.a[a];
  }
  sum_block(mine, partial + blockIdx.x);
}
SHIM_EXPORT(visco_apply_body_impulses)

/// Sums momentum and angular momentum that particles are about to get from the wall or, behind the walls, the container `last`,
/// over each block, and moves none. Twin of `Holders::add_to`.
// THEN visco_merge_wrench
KERNEL void __launch_bounds__(REDUCE_THREADS, ASSEMBLE_BLOCKS)
visco_sum_contact_impulses(Constants c, Contact contact, double anti_stick,
                           const Surface* __restrict__ walls /* [n_walls] */, u32 n_walls, Containers containers,
                           u32 last, double m, u32 n, Stream fluid, Wrench* __restrict__ partial) {
  Wrench mine = {};
#pragma unroll 1
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    Particle p = fluid.take(u32(i), contact.dt);
    Vec64 before = p.v;
#pragma unroll 1
    for (u32 k = 0; k <= last; k++) {
      before = p.v;
      if (k < n_walls) {
        resolve_wall(walls[k], contact, c.domain.periodic, p);
      } else {
        resolve_container(containers.list[k - n_walls], contact, anti_stick, p);
      }
    }
    const Wrench g = wrench(minus(p.v, before.a), p.x_prev);
    for (int a = 0; a < 6; a++) mine.a[a] += m * g.a[a];
  }
  sum_block(mine, partial + blockIdx.x);
}
SHIM_EXPORT(visco_sum_contact_impulses)

KERNEL void __launch_bounds__(REDUCE_THREADS)
visco_merge_wrench(const Wrench* __restrict__ partial, u32 n, Wrench* __restrict__ result) {
  sum_partials(partial, n, result);
}
SHIM_EXPORT(visco_merge_wrench)

}  // namespace SPH_SPACE
