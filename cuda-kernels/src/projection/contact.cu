// Contact of particles with walls, in f64. The twin of `contact.rs` in `solver-projection/src/cpu`.
#include "common/boundary/loads.cuh"
#include "common/boundary/wall_surfaces.cuh"
#include "projection/shared.cuh"

inline namespace SPH_SPACE {
using namespace projection;

/// In a corner a wall may turn a particle towards another one, so often at most.
constexpr int MOST_TURNS = 4;

/// Changes the velocity of a particle so that it does not pass a wall. `given` gets each change. Faces are met where the particle
/// is, as planes, and once more where it would end.
template <class Given>
SPH_FN void stop_at(const Contact& contact, const Surface& wall, const Periodic& periodic, const Vec64& x, Vec64& v, Given given) {
  const double passed = Contact::behind(wall.outside != 0, wall.first_layer), least = contact.least;
  const auto limit = [&](double gap, double u_n, Vec64 n) {
    const double change = contact.stopped(gap, u_n);
    if (!(change > 0.0)) return;
    for (int a = 0; a < DIM; a++) n[a] = change * n[a], v[a] += n[a];
    given(n);
  };
  const Vec64 moves = wall.velocity_at(minus(x, wall.point));
  Vec64 from;
  for (int a = 0; a < DIM; a++) from[a] = x[a] + contact.dt * moves[a];
  bool behind = false;
  wall.near_now(periodic, from, least + contact.dt * norm(minus(v, moves.a)), [&](int, double gap, const Vec64& n, const Vec64& moves) {
    behind |= gap <= passed;
    const double u_n = dot(minus(v, moves.a), n.a);
    if (gap > passed) limit(gap + contact.dt * u_n, u_n, n);
  });
  if (behind) return;
  Vec64 end;
  for (int a = 0; a < DIM; a++) end[a] = x[a] + contact.dt * v[a];
  wall.near_now(periodic, end, least, [&](int, double gap, const Vec64& n, const Vec64& moves) {
    limit(gap, dot(minus(v, moves.a), n.a), n);
  });
}

/// The same for all walls; `given` gets the place of the wall besides.
template <class Given>
SPH_FN void stop(const Contact& contact, const Surface* walls, u32 n, const Periodic& periodic, const Vec64& x, Vec64& v, Given given) {
  bool changed = true;
#pragma unroll 1
  for (int turn = 0; turn < MOST_TURNS && changed; turn++) {
    const Vec64 before = v;
#pragma unroll 1
    for (u32 k = 0; k < n; k++) stop_at(contact, walls[k], periodic, x, v, [&](const Vec64& change) { given(k, change); });
    changed = false;
    for (int a = 0; a < DIM; a++) changed |= v[a] != before[a];
  }
}

/// Blocks per multiprocessor: two leave 255 registers, with 128 of which the assembler spills.
constexpr u32 STOP_BLOCKS = 2;

/// Whether a sample is so near that a particle might reach its surface in the step: `r_ik² ≤ (d_k + |v_i| dt + least)² + pitch²`.
SPH_FN bool is_close(const Constants& c, const Contact& contact, const Near& near, u32 i, Vec x_i, Vec v_i) {
  const real ahead = real(contact.dt) * sqrt(norm2(v_i)) + real(contact.least);
  bool close = false;
  visit_ghosts(c, near, i, x_i, [&](const Ghost& k, Vec, real r2) {
    const real reach = k.place.a[3] + ahead;
    close |= r2 < reach * reach + contact.pitch2;
  });
  return close;
}

/// Stops particles at walls. Where forces on walls are due, `before` gets [v | 1 if it was another one].
KERNEL void __launch_bounds__(THREADS, STOP_BLOCKS)
projection_stop_at_walls(Constants c, Contact contact, Near near, const Surface* __restrict__ walls /* [n_walls] */,
                         u32 n_walls, const Packed* __restrict__ place, u32 n, Writable v,
                         Packed* __restrict__ before /* [n] or none */) {
  const u32 i = thread_index();
  if (i >= n) return;
  const Vec x_i = vector(load(place, i)), v_i = vector_at(v, i);
  bool touched = false;
  if (is_close(c, contact, near, i, x_i, v_i)) {
    Vec64 x, now;
    for (int a = 0; a < DIM; a++) x[a] = double(x_i[a]), now[a] = double(v_i[a]);
    stop(contact, walls, n_walls, c.domain.periodic, x, now, [&](u32, const Vec64&) { touched = true; });
    if (touched) {
      for (int a = 0; a < DIM; a++) v.x[a][i] = real(now[a]);
    }
  }
  if (before) before[i] = quad(v_i, touched ? real(1) : real(0));
}
SHIM_EXPORT(projection_stop_at_walls)

/// Sums what the wall `which` has given to particles over their mass, about the origin.
// THEN merge_given
KERNEL void __launch_bounds__(REDUCE_THREADS, GIVEN_BLOCKS)
projection_given_by_wall(Constants c, Contact contact, const Surface* __restrict__ walls /* [n_walls] */,
                            u32 n_walls, u32 which, const Packed* __restrict__ place,
                            const Packed* __restrict__ before, u32 n, Wrench* __restrict__ partial) {
  Wrench mine = SumWrenches::identity();
#pragma unroll 1
  for (u64 i = thread_index(); i < n; i += u64(reduce_blocks(n)) * REDUCE_THREADS) {
    const Packed earlier = load(before, u32(i));
    if (earlier.a[3] == real(0)) continue;
    const Packed here = load(place, u32(i));
    Vec64 x, v;
    for (int a = 0; a < DIM; a++) x[a] = double(here.a[a]), v[a] = double(earlier.a[a]);
    stop(contact, walls, n_walls, c.domain.periodic, x, v, [&](u32 k, const Vec64& change) {
      if (k != which) return;
      double arm[3] = {}, dv[3] = {};
      for (int a = 0; a < DIM; a++) arm[a] = x[a], dv[a] = change[a];
      mine = SumWrenches::merge(mine, wrench_of(arm, dv));
    });
  }
  mine = merge_block<SumWrenches>(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}
SHIM_EXPORT(projection_given_by_wall)

}  // namespace SPH_SPACE
