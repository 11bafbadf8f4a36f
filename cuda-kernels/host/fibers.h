// The threads of one CUDA block as the kernels see them; `fibers.cpp` runs them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct uint3 { unsigned x, y, z; };

namespace shim {
enum State : uint8_t { READY, AT_BLOCK, AT_WARP, DONE };
struct Fiber;
struct Thread { uint3 tid{}; State state = READY; uint8_t phase = 0; unsigned wmask = 0; Fiber* fiber = nullptr; };
struct Warp { uint64_t slot[32]; };

struct Block {
  dim3 grid, block; uint3 idx{};
  unsigned cur = 0;  // the thread that runs
  unsigned char* dyn = nullptr;
  Thread* t = nullptr; Warp* w = nullptr;
  const char* fault = nullptr;
};
// The block that this thread of the system runs.
extern __thread Block* current;
__attribute__((always_inline)) inline Block& blk() { return *current; }

// Lets the others run until the running thread is ready again.
void wait_as(State s);
void block_barrier();
void warp_barrier(unsigned mask);
unsigned ballot(unsigned mask, int p);
// How many threads of the block have p.
int count(int p);

// Runs blocks first..last. seed 0: threads and blocks in order; 1: in reverse; else: threads shuffled. Results of a
// kernel without races do not depend on it.
int launch(void (*fn)(void**), dim3 g, dim3 bl, unsigned dyn, void** args, uint64_t first, uint64_t last,
           uint64_t seed, char* err, size_t errlen);

inline Warp& warp() { Block& b = blk(); return b.w[b.cur / 32]; }
inline unsigned lane() { return blk().cur & 31; }
template <class T> inline T exchange(unsigned mask, T v, unsigned src) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "shuffle type");
  Warp& w = warp();
  std::memcpy(&w.slot[lane()], &v, sizeof(T));
  warp_barrier(mask);
  if (!(mask >> src & 1)) { blk().fault = "a shuffle reads a lane outside its mask"; wait_as(AT_WARP); }
  T r;
  std::memcpy(&r, &w.slot[src], sizeof(T));
  warp_barrier(mask);
  return r;
}
}  // namespace shim
