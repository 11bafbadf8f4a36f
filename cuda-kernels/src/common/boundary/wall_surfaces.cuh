// Nominal surfaces of walls and bodies, where they are now and how they move. The twin of `WallSurface::near` and
// `Pose` in `sph-core/src/fluid/wall_surface.rs`, of an obstacle or a body of `sph-core/src/rigid`.
#pragma once
#include "common/boundary/containers.cuh"

inline namespace SPH_SPACE {

/// Faces that a surface may have.
constexpr int MOST_FACES = 6;

/// Pose of a rigid set: `x = A x_ref + b`.
struct Pose {
  /// Columns of the rotation A.
  double columns[DIM][DIM];
  /// Translation b, [m].
  double shift[DIM];

  /// The direction `d` in the reference configuration: `A^T d`.
  SPH_FN Vec64 inverse_rotate(const Vec64& d) const {
    Vec64 n;
    for (int k = 0; k < DIM; k++) n[k] = dot(d, columns[k]);
    return n;
  }

  /// The point of the reference configuration that is now at `x`: `A^T (x - b)`.
  SPH_FN Vec64 inverse_transform(const Vec64& x) const { return inverse_rotate(minus(x, shift)); }

  /// The reference direction `n` in the current pose: `A n`.
  SPH_FN Vec64 rotate(const Vec64& n) const {
    Vec64 d;
    for (int row = 0; row < DIM; row++) {
      d[row] = exact_mul(columns[0][row], n[0]);
      for (int k = 1; k < DIM; k++) d[row] = exact_add(d[row], exact_mul(columns[k][row], n[k]));
    }
    return d;
  }
};

/// Areas of the samples of the first layer of a closed surface. The twin of `Areas` in `sph-core/src/fluid/areas.rs`.
struct Areas {
  /// Samples that are deeper behind the surface stand for no area, [m].
  double deepest;
  /// Mean, [m^(D-1)]; negative where the surface is not closed.
  double mean;
  /// Where points of the surface count from, [m].
  double center[3];
  /// Coefficients of the normal n and of n x^T, x on the surface.
  double terms[12];

  /// The area of a sample at `x`, so deep behind the surface, [m], with the normal there, all in the reference frame.
  SPH_FN double at(const Vec64& x, double depth, const Vec64& n) const {
    if (mean >= 0.0 && depth > deepest) return 0.0;
    double on[DIM], products[12] = {}, sum = 0.0;
    for (int a = 0; a < DIM; a++) on[a] = exact_add(exact_add(x[a], exact_mul(depth, n[a])), -center[a]);
    for (int a = 0; a < DIM; a++) {
      products[a] = n[a];
      for (int b = 0; b < DIM; b++) products[3 + 3 * a + b] = exact_mul(n[a], on[b]);
    }
    for (int k = 0; k < 12; k++) sum = exact_add(sum, exact_mul(terms[k], products[k]));
    return exact_mul(mean, exact_add(1.0, sum));
  }
};

/// A wall surface, where it is and how it moves.
struct Surface {
  /// The shape as it was drawn, of a body in its own frame.
  Enclosure region;
  /// Depth of the first and of the last layer behind the surface, [m].
  double first_layer, last_layer;
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
  /// Not 0 for no-slip.
  int no_slip;
  /// 0 when it is where it was drawn.
  int posed;
  /// A bit for each face without wall.
  u32 open;

  SPH_FN bool is_open(int face) const { return open >> face & 1u; }

  /// The parts of the surface that a point of the reference configuration is nearer to than `reach`, [m], or behind, as
  /// deep as the layers: `touch` gets the face, the signed distance, negative behind it, [m], and the normal into the
  /// fluid in the reference configuration.
  template <class F> SPH_FN void near(const Vec64& x, double reach, F touch) const {
    if (outside) {
      near_outside(x, reach, touch);
    } else {
      near_inside(x, reach, touch);
    }
  }

  /// Where the distance from facets is needed: as far as a particle is near, and somewhat more, so that roundings decide
  /// nothing, [m].
  SPH_FN double far_enough(double reach) const { return 1.01 * fmax(reach, last_layer); }

  template <class F> SPH_FN void near_inside(const Vec64& x, double reach, F touch) const {
    const int n = region.n_faces();
    const double within = far_enough(reach);
    // Behind all layers of one face the others go on as planes alone: nothing is there.
#pragma unroll 1
    for (int face = 0; face < n; face++) {
      if (region.face_distance(face, x, within) > (is_open(face) ? 0.0 : last_layer)) return;
    }
#pragma unroll 1
    for (int face = 0; face < n; face++) {
      const double d = -region.face_distance(face, x, within);
      if (is_open(face) || !(d < reach)) continue;
      Vec64 normal = region.face_normal(face, x);
      for (int k = 0; k < DIM; k++) normal[k] = -normal[k];
      touch(face, d, normal);
    }
  }

  template <class F> SPH_FN void near_outside(const Vec64& x, double reach, F touch) const {
    const double within = far_enough(reach), d = region.phi(x, within);
    if (!(d < reach && d >= -last_layer)) return;
    const int n = region.n_faces();
    int nearest = 0;
    double largest = region.face_distance(0, x, within);
#pragma unroll 1
    for (int face = 1; face < n; face++) {
      const double over = region.face_distance(face, x);
      if (over > largest) nearest = face, largest = over;
    }
    if (!is_open(nearest)) touch(nearest, d, region.normal(x));
  }

  /// Velocity at an arm from `point`: `V + ω × r`, [m/s].
  SPH_FN Vec64 velocity_at(const Vec64& arm) const {
    double r[3] = {};
    for (int k = 0; k < DIM; k++) r[k] = arm[k];
    Vec64 v;
    for (int k = 0; k < DIM; k++) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      v[k] = velocity[k] + (angular[i] * r[j] - angular[j] * r[i]);
    }
    return v;
  }

  /// The parts of the surface that are near `x` as it is now: `touch` gets the face, the distance, the normal into the fluid, and the
  /// velocity of the surface there without that of its faces. Twin of `Placement::near`.
  template <class F> SPH_FN void near_now(const Periodic& periodic, const Vec64& x, double reach, F touch) const {
    Vec64 here = x;
    if (periodic.any) {
      for (int k = 0; k < DIM; k++) here[k] = double(periodic.wrap_axis(k, real(x[k])));
    }
    const Vec64 drawn = posed ? pose.inverse_transform(here) : here;
    near(drawn, reach, [&](int face, double d, Vec64 n) {
      if (posed) n = pose.rotate(n);
      touch(face, d, n, velocity_at(minus(here, point)));
    });
  }
};

}  // namespace SPH_SPACE
