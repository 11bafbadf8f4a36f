// Kernels that are wrong on purpose: they prove that the shim finds such faults.
#include "common/numerics/base.cuh"

inline namespace SPH_SPACE {

/// Half of the warp waits where the other half never comes.
KERNEL void broken_barrier(real* out) {
  u32 s = threadIdx.x;
  if (threadIdx.x < 16) {
    s += __shfl_down_sync(NONE, s, 8);
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = real(s);
}
SHIM_EXPORT(broken_barrier)

/// A barrier is missing between write and read.
KERNEL void broken_race(real* out) {
  __shared__ real s[64];
  s[threadIdx.x] = real((blockIdx.x + 1) * threadIdx.x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
SHIM_EXPORT(broken_race)

/// `i <= n` writes one past the end.
KERNEL void broken_bounds(real* out, u32 n) {
  const u32 i = thread_index();
  if (i <= n) out[i] = real(1);
}
SHIM_EXPORT(broken_bounds)

/// Signed overflow.
KERNEL void broken_arithmetic(int* out) {
  out[threadIdx.x] = 2147483647;
  out[threadIdx.x] += int(threadIdx.x);
}
SHIM_EXPORT(broken_arithmetic)

}  // namespace SPH_SPACE
