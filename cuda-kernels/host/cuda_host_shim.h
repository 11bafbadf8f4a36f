// Runs CUDA C++ kernels on the processor, for tests. Included before all (-include) when a host compiler builds a
// .cu file as C++17; NVRTC never sees it.
//
// Kernels keep to this subset: no textures, cooperative groups, inline PTX or tensor cores; full warps in warp
// operations; KERNEL before and SHIM_EXPORT(name) after each kernel. Static __shared__ memory keeps what an earlier
// block left there. What it cannot show: speed, effects of the memory model between blocks, and faults that only
// appear when the threads of a warp really run at once.
#pragma once
#include <cmath>
#include <cstdio>
#include <new>
#include <type_traits>
#include <utility>
#include "fibers.h"

#define CUDA_HOST_SHIM 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static thread_local
#define DYN_SHARED(T, name) T* const name = reinterpret_cast<T*>(shim::blk().dyn)

// ---------------------------------------------------------------- vector types
#define SHIM_VEC(T, N)                                                            \
  struct alignas(2 * sizeof(T)) N##2 { T x, y; };                                 \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) N##4 { T x, y, z, w; }; \
  inline N##2 make_##N##2(T x, T y) { return {x, y}; }                            \
  inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SHIM_VEC(float, float) SHIM_VEC(double, double) SHIM_VEC(int, int) SHIM_VEC(unsigned, uint)
#undef SHIM_VEC
constexpr int warpSize = 32;

#define threadIdx (shim::blk().t[shim::blk().cur].tid)
#define blockIdx (shim::blk().idx)
#define blockDim (shim::blk().block)
#define gridDim (shim::blk().grid)

// ------------------------------------------------------- barriers and warps
inline void __syncthreads() { shim::block_barrier(); }
inline int __syncthreads_count(int p) { return shim::count(p); }
inline int __syncthreads_or(int p) { return shim::count(p) > 0; }
inline int __syncthreads_and(int p) { return shim::count(!p) == 0; }
// A thread stands alone here: on a GPU others of its warp may do so, too.
inline unsigned __activemask() { return 1u << shim::lane(); }
inline void __syncwarp(unsigned m = ~0u) { shim::warp_barrier(m); }
inline unsigned __ballot_sync(unsigned m, int p) { return shim::ballot(m, p); }
inline int __any_sync(unsigned m, int p) { return shim::ballot(m, p) != 0; }
inline int __all_sync(unsigned m, int p) { return shim::ballot(m, p) == m; }
template <class T> inline T __shfl_sync(unsigned m, T v, int s, int w = 32) {
  unsigned l = shim::lane(); return shim::exchange(m, v, (l & ~(w - 1u)) | ((unsigned)s & (w - 1u))); }
template <class T> inline T __shfl_xor_sync(unsigned m, T v, int x, int w = 32) {
  unsigned l = shim::lane(), s = l ^ (unsigned)x;
  return shim::exchange(m, v, (s & ~(w - 1u)) <= (l & ~(w - 1u)) ? s : l); }
template <class T> inline T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32) {
  unsigned l = shim::lane(); return shim::exchange(m, v, (l & (w - 1u)) + d < (unsigned)w ? l + d : l); }
template <class T> inline T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32) {
  unsigned l = shim::lane(); return shim::exchange(m, v, (l & (w - 1u)) >= d ? l - d : l); }

// -------------------------------------------------------------------- atomics
template <class T> using shim_id = typename std::common_type<T>::type;  // blocks deduction
template <class T, class F> inline T shim_rmw(T* p, F f) {
  T o, n;
  __atomic_load(p, &o, __ATOMIC_RELAXED);
  do { n = f(o); } while (!__atomic_compare_exchange(p, &o, &n, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return o;
}
template <class T> inline T atomicAdd(T* p, shim_id<T> v) { return shim_rmw(p, [=](T o) { return T(o + v); }); }
template <class T> inline T atomicMin(T* p, shim_id<T> v) { return shim_rmw(p, [=](T o) { return o < v ? o : v; }); }
template <class T> inline T atomicMax(T* p, shim_id<T> v) { return shim_rmw(p, [=](T o) { return o > v ? o : v; }); }
template <class T> inline T atomicOr(T* p, shim_id<T> v) { return shim_rmw(p, [=](T o) { return T(o | v); }); }
template <class T> inline T atomicCAS(T* p, shim_id<T> c, shim_id<T> v) {
  __atomic_compare_exchange(p, &c, &v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); return c; }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// ----------------------------------------------------------------- intrinsics
// The build fuses nothing (-ffp-contract=off), so plain operators are those that round once.
template <class T> inline T __ldg(const T* p) { return *p; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline double __longlong_as_double(long long i) { double x; std::memcpy(&x, &i, 8); return x; }
template <class T> inline T min(T a, T b) { return b < a ? b : a; }
template <class T> inline T max(T a, T b) { return a < b ? b : a; }

// ------------------------------------------------------------------- launching
namespace shim {
template <class... A, size_t... I>
inline void call(void (*k)(A...), void** a, std::index_sequence<I...>) {
  k(*static_cast<std::remove_reference_t<A>*>(a[I])...);
}
template <class... A> inline void call(void (*k)(A...), void** a) { call(k, a, std::index_sequence_for<A...>{}); }

// A launcher whose arguments are not those of its kernel would read foreign memory: number and sizes must agree.
template <class... A>
inline bool sizes_agree(void (*)(A...), const size_t* sizes, size_t n, char* err, size_t errlen) {
  const size_t want[] = {sizeof(A)..., 0};
  if (n != sizeof...(A)) {
    std::snprintf(err, errlen, "%zu arguments, the kernel takes %zu", n, sizeof...(A));
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    if (sizes[i] == want[i]) continue;
    std::snprintf(err, errlen, "argument %zu has %zu bytes, the kernel takes %zu", i, sizes[i], want[i]);
    return false;
  }
  return true;
}
}  // namespace shim

#define SHIM_JOIN2(a, b, c) a##b##c
#define SHIM_JOIN(a, b, c) SHIM_JOIN2(a, b, c)
// `shim_<kernel>_2d` or `_3d`: the arguments as cuLaunchKernel takes them, and their sizes.
#define SHIM_EXPORT(k)                                                                                    \
  extern "C" int SHIM_JOIN(shim_, k, DIM_SUFFIX)(const unsigned* g, const unsigned* b, unsigned dyn,      \
                                                 void** args, const size_t* sizes, size_t n_args,         \
                                                 uint64_t first, uint64_t last, uint64_t seed, char* err, \
                                                 size_t n) {                                              \
    if (!shim::sizes_agree(k, sizes, n_args, err, n)) return 1;                                           \
    return shim::launch([](void** a) { shim::call(k, a); }, dim3(g[0], g[1], g[2]),                       \
                        dim3(b[0], b[1], b[2]), dyn, args, first, last, seed, err, n);                    \
  }
