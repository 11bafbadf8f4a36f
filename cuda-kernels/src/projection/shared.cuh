// What the kernels of the staggered projection share. Rows of neighbors are listed once a step.
//
// A record of a particle is one or more quads, each in an array of its own, so that a loop reads what it needs:
// `place` [x y z 1/α], `motion` [v*, 1 beside a wall], later [v ρ], `moments` [Σ w n | Σ w], `sums` [Σ_j a w² | the
// same with ghosts | D v* | Σ_j of wall corrections], `upper` [E_xx E_xy E_xz E_yy] and `lower`
// [E_yz E_zz E/G ·]; of walls `samples` [x y z depth], `motion` [v τ], `normal` [n A]. Pressures and the vectors of
// the linear equation are numbers in arrays of their own, and entries of the matrix stand where rows have their
// neighbors.
#pragma once
#include "common/boundary/containers.cuh"
#include "projection/formula.cuh"
#include "common/search/rows.cuh"

inline namespace SPH_SPACE {
namespace projection {

/// Wall samples as loops over neighbors read them.
struct Walls {
  const Packed *samples, *motion, *normal;
};

/// Neighbors of the fluid.
struct Near {
  Rows fluid, walls;
  Walls ghosts /* [0] */;
};

/// What a loop reads of a wall sample.
struct Ghost {
  Packed place, motion, normal;
};

/// What a loop over pressures reads of a neighbor.
struct PressurePoint {
  Packed place;
  real p;
};

/// The tangential wall correction.
struct WallCorrections {
  Packed *upper /* [n if c.wall_correction != 0] */, *lower /* [n if c.wall_correction != 0] */;

  SPH_FN WallCorrection at(u32 i) const {
    const Packed first = load(upper, i), second = load(lower, i);
    return {{first.a[0], first.a[1], first.a[2], first.a[3], second.a[0], second.a[1]}};
  }
};

/// The first DIM numbers of a quad, and a last one.
SPH_FN Packed quad(Vec x, real last) {
  Packed record = {};
  for (int a = 0; a < DIM; a++) record.a[a] = x[a];
  record.a[3] = last;
  return record;
}

SPH_FN Vec scaled(real f, Vec x) {
  for (int a = 0; a < DIM; a++) x[a] = f * x[a];
  return x;
}

/// `r/A_ii`; isolated particles keep a pressure of 0.
SPH_FN real divided(real r, real diagonal) { return diagonal > real(0) ? r / diagonal : real(0); }

SPH_FN Vec vector_at(const Writable& from, u32 i) {
  Vec v;
  for (int a = 0; a < DIM; a++) v[a] = from.x[a][i];
  return v;
}

SPH_FN void put(const Writable& to, u32 i, Vec v) {
  for (int a = 0; a < DIM; a++) to.x[a][i] = v[a];
}

/// `visit` of wall samples, with all that is known of them.
template <class F> SPH_FN void visit_ghosts(const Constants& c, const Near& near, u32 i, Vec x_i, F f) {
  const Walls& walls = near.ghosts;
  visit(c, near.walls, i, x_i,
        [=](u32 k) { return Ghost{load(walls.samples, k), load(walls.motion, k), load(walls.normal, k)}; }, f);
}

/// `visit` of neighbors under pressure.
template <class F>
SPH_FN void visit_pressures(const Constants& c, const Rows& rows, const Packed* place, const real* p, u32 i, Vec x_i,
                          F f) {
  visit(c, rows, i, x_i, [=](u32 j) { return PressurePoint{load(place, j), __ldg(p + j)}; }, f);
}

/// `(d_i + d_k)/d_i` with the distances of a particle and of a wall sample from the surface of the wall.
SPH_FN real mirror(const Constants& c, const Ghost& k, Vec x_ik) {
  real before = -k.place.a[3];
  for (int a = 0; a < DIM; a++) before = before + k.normal.a[a] * x_ik[a];
  return mirrored(before, k.place.a[3], c.before);
}

/// Weight of a wall sample in the viscous Laplacian over `1/α_i`: `2 w² τ (d_i + d_k)/d_i`.
SPH_FN real drag_of(const Constants& c, const Ghost& k, Vec x_ik, real r2) {
  return real(2) * c.weight.at(r2).w2 * k.motion.a[3] * mirror(c, k, x_ik);
}

/// Normal and weight of a wall sample in the viscosity along lines of centers, over `1/α_i`: `n_ik` and
/// `2 w² τ (d_i + d_k)/d_i`.
struct Friction {
  Vec n;
  real weight;
};
SPH_FN Friction friction(const Constants& c, const Ghost& k, Vec x_ik, real r2) {
  const CentralWeights at = c.weight.central(r2);
  return {scaled(at.inv_r, x_ik), real(2) * at.w2 * k.motion.a[3] * mirror(c, k, x_ik)};
}

}  // namespace projection
}  // namespace SPH_SPACE
