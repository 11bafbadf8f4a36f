// Containers keep particles inside.
#include "common/boundary/containers.cuh"

inline namespace SPH_SPACE {

/// Blocks that a multiprocessor shall hold, which leaves 128 registers: not told so, the assembler aims at more blocks
/// and spills.
constexpr u32 CONTAINER_BLOCKS = 4;

SPH_FN Vec at(const Writable& from, u32 i) {
  Vec v;
  for (int a = 0; a < DIM; a++) v[a] = from.x[a][i];
  return v;
}

SPH_FN void put(const Writable& to, u32 i, Vec v) {
  for (int a = 0; a < DIM; a++) to.x[a][i] = v[a];
}

/// Keeps every particle inside of all containers, and turns its velocity back.
KERNEL void __launch_bounds__(THREADS, CONTAINER_BLOCKS) contain(Containers containers, u32 n, Writable x, Writable v) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec x_i = at(x, i), v_i = at(v, i);
  if (!containers.collide(x_i, v_i)) return;
  put(x, i, x_i), put(v, i, v_i);
}
SHIM_EXPORT(contain)

/// Keeps every position inside of all containers.
KERNEL void __launch_bounds__(THREADS, CONTAINER_BLOCKS) keep_inside(Containers containers, u32 n, Writable x) {
  const u32 i = thread_index();
  if (i >= n) return;
  Vec x_i = at(x, i);
  if (containers.keep(x_i)) put(x, i, x_i);
}
SHIM_EXPORT(keep_inside)

}  // namespace SPH_SPACE
