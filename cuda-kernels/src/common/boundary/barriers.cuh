// Barriers: nominal surfaces of walls and bodies, where they are now and how they move. The twin of `Barrier::near` and
// `Pose` in `sph-core/src/fluid/barrier.rs`, of an obstacle or a body of `sph-core/src/rigid`.
#pragma once
#include "common/boundary/containers.cuh"

inline namespace SPH_SPACE {

/// Faces that a surface may have.
constexpr int MOST_FACES = 6;

/// Where a rigid set is: `x = A x_drawn + b`.
struct Pose {
  /// Columns of the rotation A.
  double columns[DIM][DIM];
  /// Translation b, [m].
  double shift[DIM];

  /// The direction that is now `d`, as it was drawn: `A^T d`.
  SPH_FN Place turned_back(const Place& d) const {
    Place n;
    for (int k = 0; k < DIM; k++) n[k] = dot(d, columns[k]);
    return n;
  }

  /// The point of the drawing that is now at `x`: `A^T (x - b)`.
  SPH_FN Place drawn(const Place& x) const { return turned_back(minus(x, shift)); }

  /// The direction that was drawn as `n`: `A n`.
  SPH_FN Place turned(const Place& n) const {
    Place d;
    for (int row = 0; row < DIM; row++) {
      d[row] = exact_mul(columns[0][row], n[0]);
      for (int k = 1; k < DIM; k++) d[row] = exact_add(d[row], exact_mul(columns[k][row], n[k]));
    }
    return d;
  }
};

/// A barrier, where it is and how it moves.
struct Surface {
  /// The shape as it was drawn, of a body in its own frame.
  Enclosure region;
  /// Depth of the last layer behind the surface, [m].
  double last_layer;
  /// Velocities that its faces have beside its motion, [m/s].
  double drag[MOST_FACES][DIM];
  Pose pose;
  /// A point of it; of a body the center of mass, [m].
  double point[DIM];
  /// Velocity there, [m/s].
  double velocity[DIM];
  /// Angular velocity, [rad/s].
  double angular[3];
  /// Not 0 when the fluid is outside of the shape.
  int outside;
  /// Not 0 when the fluid sticks to it.
  int no_slip;
  /// 0 when it is where it was drawn.
  int posed;
  /// A bit for each face without wall.
  u32 open;

  SPH_FN bool is_open(int face) const { return open >> face & 1u; }

  /// The parts of the surface that a point of the drawing is nearer to than `reach`, [m], or behind, as deep as the
  /// layers: `touch` gets the face, the signed distance, negative behind it, [m], and the normal into the fluid as it
  /// was drawn.
  template <class F> SPH_FN void near(const Place& x, double reach, F touch) const {
    if (outside) {
      near_outside(x, reach, touch);
    } else {
      near_inside(x, reach, touch);
    }
  }

  template <class F> SPH_FN void near_inside(const Place& x, double reach, F touch) const {
    const int n = region.n_faces();
    // Behind all layers of one face the others go on as planes alone: nothing is there.
#pragma unroll 1
    for (int face = 0; face < n; face++) {
      if (region.over_face(face, x) > (is_open(face) ? 0.0 : last_layer)) return;
    }
#pragma unroll 1
    for (int face = 0; face < n; face++) {
      const double d = -region.over_face(face, x);
      if (is_open(face) || !(d < reach)) continue;
      Place normal = region.face_normal(face, x);
      for (int k = 0; k < DIM; k++) normal[k] = -normal[k];
      touch(face, d, normal);
    }
  }

  template <class F> SPH_FN void near_outside(const Place& x, double reach, F touch) const {
    const double d = region.phi(x);
    if (!(d < reach && d >= -last_layer)) return;
    const int n = region.n_faces();
    int nearest = 0;
    double largest = region.over_face(0, x);
#pragma unroll 1
    for (int face = 1; face < n; face++) {
      const double over = region.over_face(face, x);
      if (over > largest) nearest = face, largest = over;
    }
    if (!is_open(nearest)) touch(nearest, d, region.normal(x));
  }

  /// Velocity at an arm from `point`: `V + ω × r`, [m/s].
  SPH_FN Place velocity_at(const Place& arm) const {
    double r[3] = {};
    for (int k = 0; k < DIM; k++) r[k] = arm[k];
    Place v;
    for (int k = 0; k < DIM; k++) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      v[k] = velocity[k] + (angular[i] * r[j] - angular[j] * r[i]);
    }
    return v;
  }
};

}  // namespace SPH_SPACE
