// Contacts of particles with walls and containers: the twin of the last loop of `contacts` in `solver-viscoelastic/src/cpu/contact.rs`.
// One thread a particle, in f64.
#include "viscoelastic/contact.cuh"

inline namespace SPH_SPACE {
using namespace visco;

/// Blocks per multiprocessor: three leave 168 registers, with fewer of which the assembler spills.
constexpr u32 CONTACT_BLOCKS = 3;

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
