// What every kernel of the core stands on: the marker of kernels, packed records, arithmetic of equal bits.
//
// `DIM` (2 or 3) and `REAL` (float or double) are set by the command line of the compiler.
#pragma once
#include "common/numerics/space.cuh"

#ifdef CUDA_HOST_SHIM
// A local name: one program holds the kernels of both dimensions, and reaches them through SHIM_EXPORT.
#define KERNEL static
#else
#define KERNEL extern "C" __global__
#define SHIM_EXPORT(name)
#endif

inline namespace SPH_SPACE {

typedef unsigned int u32;
typedef unsigned long long u64;

/// No particle.
constexpr u32 NONE = 0xffffffffu;

/// Particles a block, in kernels of one thread a particle. Four warps leave the scheduler room at every count of
/// registers up to 128.
constexpr u32 THREADS = 128;

/// The particle of this thread.
SPH_FN u32 thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Coordinates of particles, one array an axis, shape [DIM][n].
struct Points {
  const real* x[DIM];

  /// The point `i`.
  SPH_FN Vec operator[](u32 i) const {
    Vec p;
    for (int a = 0; a < DIM; a++) p[a] = x[a][i];
    return p;
  }
};

/// Coordinates that a kernel writes, one array an axis, shape [DIM][n].
struct Writable {
  real* x[DIM];
};

/// A record of one particle: position in the first DIM slots. One load a particle in f32, two in f64.
struct __align__(16) Packed {
  real a[4];
};

SPH_FN void load_quad(const float* from, float* to) {
  const float4 v = __ldg(reinterpret_cast<const float4*>(from));
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

SPH_FN void load_quad(const double* from, double* to) {
  const double2 v = __ldg(reinterpret_cast<const double2*>(from));
  const double2 w = __ldg(reinterpret_cast<const double2*>(from) + 1);
  to[0] = v.x, to[1] = v.y, to[2] = w.x, to[3] = w.y;
}

/// Reads a record that no thread of this kernel writes, in as few loads as its width allows.
SPH_FN Packed load(const Packed* records, u32 i) {
  Packed record;
  load_quad(records[i].a, record.a);
  return record;
}

/// The first D numbers of a record.
SPH_FN Vec vector(const Packed& record) {
  Vec v;
  for (int a = 0; a < DIM; a++) v[a] = record.a[a];
  return v;
}

SPH_FN Vec zero() {
  Vec v;
  for (int a = 0; a < DIM; a++) v[a] = real(0);
  return v;
}

/// `sum ← sum + f a`.
SPH_FN void add(Vec& sum, real f, Vec a) {
  for (int k = 0; k < DIM; k++) sum[k] = sum[k] + f * a[k];
}

SPH_FN Vec difference(Vec a, Vec b) {
  for (int k = 0; k < DIM; k++) a[k] = a[k] - b[k];
  return a;
}

/// True for numbers; the difference of an infinite or undefined one to itself is undefined.
SPH_FN bool is_finite(real a) { return a - a == real(0); }

// Sums and products that the compiler must not fuse: the set of neighbors is then decided by the same bits as on the
// processor, whatever the options of the module.
SPH_FN float exact_mul(float a, float b) { return __fmul_rn(a, b); }
SPH_FN float exact_add(float a, float b) { return __fadd_rn(a, b); }
SPH_FN float exact_sub(float a, float b) { return __fsub_rn(a, b); }
SPH_FN double exact_mul(double a, double b) { return __dmul_rn(a, b); }
SPH_FN double exact_add(double a, double b) { return __dadd_rn(a, b); }
SPH_FN double exact_sub(double a, double b) { return __dsub_rn(a, b); }

/// `|d|²` in the order of the axes, unfused.
SPH_FN real exact_norm2(Vec d) {
  real sum = exact_mul(d[0], d[0]);
  for (int a = 1; a < DIM; a++) sum = exact_add(sum, exact_mul(d[a], d[a]));
  return sum;
}

/// Rigid sets of samples: what `sets` says of each, and which set a sample is of.
struct Sets {
  /// Flags of each set. Those of no set are read of no sample.
  const u32* flags /* [n.min(1)] */;
  /// The set of each sample.
  const unsigned short* body;

  /// True where the fluid sticks. Twin of `NO_SLIP` in walls.rs.
  SPH_FN bool is_no_slip(u32 b) const { return flags[body[b]] & 1u; }

  /// True for samples of dynamic bodies. Twin of `RIGID` in walls.rs.
  SPH_FN bool is_rigid(u32 b) const { return flags[body[b]] & 2u; }

  /// True for samples the force on which is needed in this step. Twin of `LOADED` in walls.rs.
  SPH_FN bool is_loaded(u32 b) const { return flags[body[b]] & 4u; }
};

}  // namespace SPH_SPACE
