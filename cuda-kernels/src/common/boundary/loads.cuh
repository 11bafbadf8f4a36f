// Force and torque, and what containers are about to do to particles: the twin of `State::add_container_loads`.
#pragma once
#include "common/boundary/containers.cuh"
#include "common/numerics/reduce.cuh"

inline namespace SPH_SPACE {

/// Force [N] and torque [N m], or sums that become them.
struct Wrench {
  /// Force F, [N].
  double force[DIM];
  /// Torque τ about the center of mass of a body, or about the origin; its last entry alone in 2D, [N m].
  double torque[3];
};
struct SumWrenches {
  typedef Wrench T;
  SPH_FN static T identity() { return Wrench{}; }
  SPH_FN static T merge(T a, T b) {
    for (int k = 0; k < DIM; k++) a.force[k] += b.force[k];
    for (int k = 0; k < 3; k++) a.torque[k] += b.torque[k];
    return a;
  }
};

/// Of a force at an arm.
SPH_FN Wrench wrench_of(const double (&arm)[3], const double (&f)[3]) {
  Wrench w;
  for (int k = 0; k < DIM; k++) w.force[k] = f[k];
  w.torque[0] = arm[1] * f[2] - arm[2] * f[1];
  w.torque[1] = arm[2] * f[0] - arm[0] * f[2];
  w.torque[2] = arm[0] * f[1] - arm[1] * f[0];
  return w;
}

/// Position and velocity of a particle as containers find it.
struct Free {
  Vec x, v;
};

/// Blocks per multiprocessor of such a pass: by default the assembler aims at more in 2D and spills registers.
constexpr u32 GIVEN_BLOCKS = 1;

/// First pass of the sum of what the container `last` is about to give to particles, over their mass, and moves none: changes
/// of velocity at the places to which it brings them. A displacement changes the velocity at the end of the step by `rate`
/// [1/s] times itself. `before(i)` is the particle that the first container finds.
template <class Before>
SPH_FN void sum_given(const Containers& containers, u32 last, double rate, u32 n, Wrench* __restrict__ partial,
                      Before before) {
  Wrench mine = SumWrenches::identity();
#pragma unroll 1
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    Free now = before(u32(i)), earlier = now;
    bool moved = false;
#pragma unroll 1
    for (u32 k = 0; k <= last; k++) {
      earlier = now;
      moved = containers.list[k].collide(now.x, now.v);
    }
    if (!moved) continue;
    double x[3] = {}, dv[3] = {};
    for (int a = 0; a < DIM; a++) {
      x[a] = double(now.x[a]);
      dv[a] = double(now.v[a]) - double(earlier.v[a]) + rate * (x[a] - double(earlier.x[a]));
    }
    mine = SumWrenches::merge(mine, wrench_of(x, dv));
  }
  mine = merge_block<SumWrenches>(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}

}  // namespace SPH_SPACE
