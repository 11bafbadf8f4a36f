// Contacts of particles with walls and containers: the twin of `contacts` in `solver-viscoelastic/src/cpu/contact.rs`.
// One thread a particle, in f64.
#include "viscoelastic/contact.cuh"

inline namespace SPH_SPACE {
using namespace visco;

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

/// Blocks per multiprocessor: four leave 128 registers, with fewer of which the assembler spills.
constexpr u32 CONTACT_BLOCKS = 4;

/// Walls in their order, then containers, which are impenetrable.
KERNEL void __launch_bounds__(THREADS, CONTACT_BLOCKS)
visco_contacts(Constants c, Contact contact, double anti_stick, const Surface* __restrict__ walls /* [n_walls] */,
               u32 n_walls, Containers containers, u32 n, Stream fluid) {
  const u32 i = thread_index();
  if (i >= n) return;
  Particle p = fluid.take(i, contact.dt);
#pragma unroll 1
  for (u32 k = 0; k < n_walls; k++) resolve_wall(walls[k], contact, c.domain.periodic, p);
#pragma unroll 1
  for (u32 k = 0; k < containers.n; k++) resolve_container(containers.list[k], contact, anti_stick, p);
  fluid.put(i, p, contact.dt);
}
SHIM_EXPORT(visco_contacts)

}  // namespace SPH_SPACE
