// Contact of particles with walls and bodies (Clavet et al. 2005, §6), in f64: the twin of
// `solver-viscoelastic/src/contact.rs` and of `Particle` in `src/cpu/contact.rs` there.
//
// `d` is the distance of the center of a particle to the nominal surface, negative behind it, and `n` the normal into
// the fluid.
#pragma once
#include "common/boundary/wall_surfaces.cuh"
#include "viscoelastic/shared.cuh"

inline namespace SPH_SPACE {
namespace visco {

/// Ranges and strengths of contact.
struct Contact {
  /// Distance below which a particle belongs to the first layer, [m].
  double layer;
  /// The step, [s].
  double dt;
  /// Stickiness `dt k_stick`, [1/s].
  double stick;
  /// Distance at which stickiness ends, [m].
  double stick_distance;

  /// Distance at which the first contact begins, [m].
  SPH_FN double reach() const { return stick > 0.0 ? fmax(layer, stick_distance) : layer; }

  /// Change of velocity along the normal by stickiness: `−dt k_stick d (1 − d/d_stick)` for `0 < d < d_stick`,
  /// [m/s].
  SPH_FN double stickiness(double d) const {
    const bool within = d > 0.0 && d < stick_distance;
    return within ? -stick * d * (1.0 - d / stick_distance) : 0.0;
  }

  /// The fractions of the relative velocity that a particle loses, [-]: of the normal component behind the surface
  /// where `v_n < 0`, of the tangential one in the first layer of a no-slip surface.
  SPH_FN void parts(double d, double v_n, bool no_slip, double& normal, double& tangential) const {
    normal = d <= 0.0 && v_n < 0.0 ? 1.0 : 0.0;
    tangential = no_slip && d < layer ? 1.0 : 0.0;
  }

  /// The impulse over the mass of a particle with the velocity `v` relative to the surface, [m/s].
  SPH_FN Vec64 impulse(double d, const Vec64& v, const Vec64& n, bool no_slip) const {
    const double v_n = dot(v, n.a);
    double normal, tangential;
    parts(d, v_n, no_slip, normal, tangential);
    Vec64 dv;
    for (int k = 0; k < DIM; k++) dv[k] = -tangential * v[k] - (normal - tangential) * v_n * n[k];
    return dv;
  }
};

/// A particle in contact: its position, and its velocity after the step.
struct Particle {
  /// Position, [m].
  Vec64 x;
  /// Velocity `v* + (x − x*)/dt`, [m/s].
  Vec64 v;
  /// Position before the step, `x* − dt v*`, [m].
  Vec64 x_prev;
  /// True when a contact has acted.
  bool touched;

  /// A change of velocity over the whole step. A zero one keeps the bits.
  SPH_FN void apply_impulse(const Vec64& dv, double dt) {
    bool zero = true;
    for (int k = 0; k < DIM; k++) zero = zero & (dv[k] == 0.0);
    if (zero) return;
    for (int k = 0; k < DIM; k++) v[k] += dv[k], x[k] += dt * dv[k];
    touched = true;
  }
};

/// The fluid in the contact loops.
struct Stream {
  /// [x y z ·], shape [n].
  Packed* position;
  /// Predicted positions x*, [m].
  Points predicted;
  /// v*, [m/s].
  Writable v;

  SPH_FN Particle take(u32 i, double dt) const {
    const Packed at = position[i];
    Particle p;
    for (int a = 0; a < DIM; a++) {
      const real x = at.a[a], x_p = predicted.x[a][i], v_p = v.x[a][i];
      p.x[a] = double(x);
      p.v[a] = double(v_p + (x - x_p) / real(dt));
      p.x_prev[a] = double(x_p) - dt * double(v_p);
    }
    p.touched = false;
    return p;
  }

  /// Writes a particle back if a contact has acted. Where its velocity is not finite the old values stay, for the
  /// diagnosis.
  SPH_FN void put(u32 i, const Particle& p, double dt) const {
    Vec x, v_new;
    bool moved = p.touched;
    for (int a = 0; a < DIM; a++) {
      x[a] = real(p.x[a]);
      // The step ends with v = v* + (x − x*)/dt: v* is shifted so that this is the new velocity.
      v_new[a] = real(p.v[a]) - (x[a] - predicted.x[a][i]) / real(dt);
      moved = moved & is_finite(v_new[a]);
    }
    if (!moved) return;
    for (int a = 0; a < DIM; a++) position[i].a[a] = x[a], v.x[a][i] = v_new[a];
  }
};

SPH_FN void apply_stickiness(const Contact& contact, double d, Vec64 n, Particle& p) {
  const double pull = contact.stickiness(d);
  for (int k = 0; k < DIM; k++) n[k] = pull * n[k];
  p.apply_impulse(n, contact.dt);
}

/// Applies stickiness and the impulse of a wall.
SPH_FN void resolve_wall(const Surface& wall, const Contact& contact, const Periodic& periodic, Particle& p) {
  const Vec64 x = p.x;
  wall.near_now(periodic, x, contact.reach(), [&](int face, double d, const Vec64& n, Vec64 v) {
    apply_stickiness(contact, d, n, p);
    for (int k = 0; k < DIM; k++) v[k] = p.v[k] - v[k] - wall.drag[face][k];
    p.apply_impulse(contact.impulse(d, v, n, wall.no_slip != 0), contact.dt);
  });
}

/// Stickiness of the faces of a container.
SPH_FN void stick_to_faces(const Enclosure& container, const Contact& contact, Particle& p) {
  // All faces use the position before the first.
  const Vec64 x = p.x;
  const int n_faces = container.n_faces();
#pragma unroll 1
  for (int face = 0; face < n_faces; face++) {
    Vec64 n = container.face_normal(face, x);
    for (int k = 0; k < DIM; k++) n[k] = -n[k];
    apply_stickiness(contact, -container.face_distance(face, x), n, p);
  }
}

/// Applies stickiness and the impulse of a container: a particle outside is projected to the surface, its normal
/// velocity vanishes or is reversed by the restitution, and friction reduces the tangential one. It leaves the
/// surface with at least the speed `anti_stick`.
SPH_FN void resolve_container(const Enclosure& container, const Contact& contact, double anti_stick, Particle& p) {
  if (contact.stick > 0.0) stick_to_faces(container, contact, p);
  Vec64& v = p.v;
  p.touched |= container.clamp(p.x, [&](const Vec64& n) {
    const double v_n = dot(v, n.a);
    const double approach = fmax(v_n, 0.0);
    const double leaves = -fmax(container.restitution * approach, anti_stick);
    for (int k = 0; k < DIM; k++) {
      const double v_t = v[k] - v_n * n[k];
      const double friction = approach > 0.0 ? container.friction * v_t : 0.0;
      v[k] += (fmin(v_n, leaves) - v_n) * n[k] - friction;
    }
  });
}

}  // namespace visco
}  // namespace SPH_SPACE
