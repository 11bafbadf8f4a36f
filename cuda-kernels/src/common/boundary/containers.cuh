// Containers: regions that no particle may leave, as signed distances phi with gradients n. The twin of
// `sph-core/src/geometry/shape/enclosure.rs` and of `geometry/shape/region.rs`.
//
// All in f64 and unfused, in the order of the Rust source: a GPU and the processor keep a particle at the same place.
#pragma once
#include "common/boundary/facets.cuh"

inline namespace SPH_SPACE {

/// `d/|d|`; at the center, the first axis.
SPH_FN Vec64 radial(const Vec64& d) {
  const double r = norm(d);
  Vec64 n = unit(0);
  for (int k = 0; k < DIM; k++) n[k] = r > 0.0 ? d[k] / r : n[k];
  return n;
}

/// Some unit vector at right angles to a unit vector, always the same one.
SPH_FN Vec64 perpendicular(const double* axis) {
  int least = 0;
  double along = axis[0];
  for (int k = 1; k < DIM; k++) {
    if (fabs(axis[k]) < fabs(along)) least = k, along = axis[k];
  }
  Vec64 e = unit(least);
  for (int k = 0; k < DIM; k++) e[k] = exact_sub(e[k], exact_mul(along, axis[k]));
  return radial(e);
}

/// Exact distance to a box from the excess over each of N pairs of its faces.
template <int N> SPH_FN double box_phi(const double (&excess)[N]) {
  // Below every number, so that NaN is not moved.
  double largest = -1.7976931348623157e308;
  for (int k = 0; k < N; k++) largest = fmax(largest, excess[k]);
  if (largest <= 0.0) return largest;
  double sum = 0.0;
  for (int k = 0; k < N; k++) {
    const double beyond = fmax(excess[k], 0.0);
    sum = exact_add(sum, exact_mul(beyond, beyond));
  }
  return sqrt(sum);
}

/// Weights of the face normals in the gradient of `box_phi`. On a tie inside, the first face.
template <int N> SPH_FN void box_weights(const double (&excess)[N], double (&weights)[N]) {
  const double phi = box_phi(excess);
  int nearest = 0;
  double largest = excess[0];
  for (int k = 1; k < N; k++) {
    if (excess[k] > largest) nearest = k, largest = excess[k];
  }
  for (int k = 0; k < N; k++) {
    weights[k] = phi > 0.0 ? fmax(excess[k], 0.0) / phi : k == nearest ? 1.0 : 0.0;
  }
}

/// Shapes, the `shape` of `Enclosure`.
enum : int { SHAPE_BLOCK, SHAPE_BALL, SHAPE_CYLINDER, SHAPE_HALF_SPACE, SHAPE_TURNED_BLOCK, SHAPE_HULL };

/// A region that no particle may leave, and how it answers those that try.
struct Enclosure {
  /// Smallest coordinates of a block, center of a turned one, of a ball or cylinder, a point of a plane, [m].
  double point[DIM];
  /// Largest coordinates of a block, half the edges of a turned one, [m]; axis of a cylinder, or normal of a plane, of
  /// length 1.
  double other[DIM];
  /// Directions of the edges of a turned block, of length 1.
  double axes[DIM][DIM];
  /// Of a ball or cylinder, [m].
  double radius;
  /// Half the distance of the caps of a cylinder, [m].
  double half_length;
  /// Share of the normal velocity that comes back, e [-].
  double restitution;
  /// Share of the tangential velocity that a collision takes, μ_t [-].
  double friction;
  /// Depth that particles keep from the surface, r_c [m].
  double collision_radius;
  /// Addresses of `FacetBox` and `Facet` of a hull.
  u64 boxes;
  u64 facets;
  int shape;
  /// How often the outside is taken: of the shape itself, particles stay outside if it is odd.
  int outside;

  /// True when particles may be outside of the shape.
  SPH_FN bool is_turned() const { return outside % 2 != 0; }

  /// True for a block, turned or not.
  SPH_FN bool is_block() const { return shape == SHAPE_BLOCK || shape == SHAPE_TURNED_BLOCK; }

  /// Of a block: how far `x` is beyond the lower and the upper face of a pair.
  SPH_FN double below(const Vec64& x, int k) const {
    return shape == SHAPE_BLOCK ? exact_sub(point[k], x[k]) : exact_sub(-other[k], dot(minus(x, point), axes[k]));
  }
  SPH_FN double above(const Vec64& x, int k) const {
    return exact_sub(shape == SHAPE_BLOCK ? x[k] : dot(minus(x, point), axes[k]), other[k]);
  }

  /// Of a block: how far `x` is beyond the nearer face of each pair.
  SPH_FN void block_excess(const Vec64& x, double (&excess)[DIM]) const {
    for (int k = 0; k < DIM; k++) excess[k] = fmax(below(x, k), above(x, k));
  }

  /// Of a cylinder: the coordinate along its axis, and the vector from the axis to the point.
  SPH_FN double split(const Vec64& x, Vec64& across) const {
    across = minus(x, point);
    const double along = dot(across, other);
    for (int k = 0; k < DIM; k++) across[k] = exact_sub(across[k], exact_mul(along, other[k]));
    return along;
  }

  /// The facets of a hull.
  SPH_FN Hull hull() const {
    return {reinterpret_cast<const FacetBox*>(boxes), reinterpret_cast<const Facet*>(facets)};
  }

  /// Signed distance to the surface of the shape, [m]. That of facets is NaN where none is nearer than `within`.
  SPH_FN double phi_of_shape(const Vec64& x, double within) const {
    if (shape == SHAPE_HULL) return hull().phi(x, within);
    if (shape == SHAPE_BALL) return exact_sub(norm(minus(x, point)), radius);
    if (shape == SHAPE_HALF_SPACE) return dot(minus(x, point), other);
    if (shape == SHAPE_CYLINDER) {
      Vec64 across;
      const double along = split(x, across);
      const double excess[2] = {exact_sub(norm(across), radius), exact_sub(fabs(along), half_length)};
      return box_phi(excess);
    }
    double excess[DIM];
    block_excess(x, excess);
    return box_phi(excess);
  }

  /// Signed distance to the surface, negative where particles may be, [m].
  SPH_FN double phi(const Vec64& x, double within = EVERYWHERE) const {
    const double phi = phi_of_shape(x, within);
    return is_turned() ? -phi : phi;
  }

  SPH_FN Vec64 normal_of_block(const Vec64& x) const {
    double excess[DIM], weights[DIM];
    block_excess(x, excess);
    box_weights(excess, weights);
    Vec64 n;
    for (int k = 0; k < DIM; k++) {
      const double middle = exact_mul(0.5, exact_add(point[k], other[k]));
      const bool low = shape == SHAPE_BLOCK ? x[k] < middle : dot(minus(x, point), axes[k]) < 0.0;
      n[k] = low ? -weights[k] : weights[k];
    }
    return shape == SHAPE_BLOCK ? n : out_of_frame(n);
  }

  /// A direction along the axes of a turned block, in space.
  SPH_FN Vec64 out_of_frame(const Vec64& d) const {
    Vec64 n;
    for (int row = 0; row < DIM; row++) {
      n[row] = exact_mul(axes[0][row], d[0]);
      for (int k = 1; k < DIM; k++) n[row] = exact_add(n[row], exact_mul(axes[k][row], d[k]));
    }
    return n;
  }

  SPH_FN Vec64 normal_of_cylinder(const Vec64& x) const {
    Vec64 across;
    const double along = split(x, across), r = norm(across);
    const double excess[2] = {exact_sub(r, radius), exact_sub(fabs(along), half_length)};
    double weights[2];
    box_weights(excess, weights);
    Vec64 side = perpendicular(other);
    for (int k = 0; k < DIM; k++) side[k] = r > 0.0 ? across[k] / r : side[k];
    const double cap = along < 0.0 ? -weights[1] : weights[1];
    for (int k = 0; k < DIM; k++) side[k] = exact_add(exact_mul(weights[0], side[k]), exact_mul(cap, other[k]));
    return side;
  }

  /// Outward normal `∇phi`, of length 1; on an edge or a center, where there is none, one of its limits.
  SPH_FN Vec64 normal(const Vec64& x) const {
    Vec64 n;
    for (int k = 0; k < DIM; k++) n[k] = other[k];
    if (is_block()) n = normal_of_block(x);
    if (shape == SHAPE_HULL) n = hull().normal(x);
    if (shape == SHAPE_BALL) n = radial(minus(x, point));
    if (shape == SHAPE_CYLINDER) n = normal_of_cylinder(x);
    for (int k = 0; k < DIM; k++) n[k] = is_turned() ? -n[k] : n[k];
    return n;
  }

  /// How many faces there are: those of a block or a cylinder, or the whole surface as one.
  SPH_FN int n_faces() const {
    if (outside) return 1;
    return is_block() ? 2 * DIM : shape == SHAPE_CYLINDER ? 3 : 1;
  }

  /// How far `x` is beyond a face, negative inside, [m]. The twin of `Region::face_distances`, one face a call.
  SPH_CALL double face_distance(int face, Vec64 x, double within = EVERYWHERE) const {
    if (n_faces() == 1) return phi(x, within);
    if (shape == SHAPE_CYLINDER) {
      Vec64 across;
      const double along = split(x, across);
      if (face == 0) return exact_sub(norm(across), radius);
      return exact_sub(face == 1 ? -along : along, half_length);
    }
    double over = 0.0;
    for (int k = 0; k < DIM; k++) {
      if (face / 2 == k) over = face % 2 ? above(x, k) : below(x, k);
    }
    return over;
  }

  /// Outward normal of a face, [-].
  SPH_CALL Vec64 face_normal(int face, Vec64 x) const {
    if (n_faces() == 1) return normal(x);
    Vec64 n;
    if (is_block()) {
      for (int k = 0; k < DIM; k++) n[k] = face / 2 != k ? 0.0 : face % 2 ? 1.0 : -1.0;
      return shape == SHAPE_BLOCK ? n : out_of_frame(n);
    }
    if (face == 0) {
      split(x, n);
      return norm(n) > 0.0 ? radial(n) : perpendicular(other);
    }
    for (int k = 0; k < DIM; k++) n[k] = face == 1 ? -other[k] : other[k];
    return n;
  }

  /// Turns a velocity back from a surface of normal `n`: where `v_n = v·n > 0`, `v ← v − (1 + e) v_n n − μ_t v_t`.
  SPH_FN void turn_back(const Vec64& n, Vec64& v) const {
    const double v_n = dot(v, n.a);
    if (!(v_n > 0.0)) return;
    for (int k = 0; k < DIM; k++) {
      const double v_t = exact_sub(v[k], exact_mul(v_n, n[k]));
      const double back = exact_mul(exact_mul(-exact_add(1.0, restitution), v_n), n[k]);
      v[k] = exact_add(v[k], exact_sub(back, exact_mul(friction, v_t)));
    }
  }

  /// Moves a point to the depth r_c if it is nearer to the surface, `x ← x − (phi + r_c) n` at most DIM + 1 times,
  /// since near an edge of a block one move can leave another face violated. Calls `moved(n)` for each. Returns whether
  /// there was one.
  template <class F> SPH_FN bool clamp(Vec64& x, F moved) const {
    double scale = collision_radius;
    for (int k = 0; k < DIM; k++) scale = fmax(scale, fabs(x[k]));
    // 4 ε.
    const double nothing = exact_mul(4.0 * 2.220446049250313e-16, scale);
#pragma unroll 1
    for (int turn = 0; turn <= DIM; turn++) {
      const double excess = exact_add(phi(x), collision_radius);
      if (excess <= nothing) return turn > 0;
      const Vec64 n = normal(x);
      for (int k = 0; k < DIM; k++) x[k] = exact_sub(x[k], exact_mul(excess, n[k]));
      moved(n);
    }
    return true;
  }

  /// Keeps a particle at the depth r_c, and turns its velocity back. Returns whether it was moved.
  SPH_FN bool collide(Vec& x, Vec& v) const {
    Vec64 place, velocity;
    for (int k = 0; k < DIM; k++) place[k] = double(x[k]), velocity[k] = double(v[k]);
    if (!clamp(place, [&](const Vec64& n) { turn_back(n, velocity); })) return false;
    for (int k = 0; k < DIM; k++) x[k] = real(place[k]), v[k] = real(velocity[k]);
    return true;
  }

  /// The same of a position alone.
  SPH_FN bool keep(Vec& x) const {
    Vec64 place;
    for (int k = 0; k < DIM; k++) place[k] = double(x[k]);
    if (!clamp(place, [](const Vec64&) {})) return false;
    for (int k = 0; k < DIM; k++) x[k] = real(place[k]);
    return true;
  }
};

/// The containers of a run, one after another.
// FROM &'a crate::common::boundary::containers::Containers<D>
struct Containers {
  /// Shape [n].
  const Enclosure* list;
  u32 n;

  /// Keeps a particle inside of all. Returns whether one has moved it.
  SPH_FN bool collide(Vec& x, Vec& v) const {
    bool moved = false;
    for (u32 k = 0; k < n; k++) moved |= list[k].collide(x, v);
    return moved;
  }

  /// The same of a position alone.
  SPH_FN bool keep(Vec& x) const {
    bool moved = false;
    for (u32 k = 0; k < n; k++) moved |= list[k].keep(x);
    return moved;
  }
};

}  // namespace SPH_SPACE
