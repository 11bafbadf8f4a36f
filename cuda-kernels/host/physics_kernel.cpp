// The functions of `kernel.cuh` over plain numbers: the constants of a kernel, then r².
#include "common/numerics/kernel.cuh"
#include "physics_table.h"

constexpr size_t CONSTANTS = 8;

template <class K>
static K kernel(const real* in) {
  return K{KernelConstants{{in[0], in[1]}, in[2], in[3], in[4], in[5], in[6], int(in[7])}};
}

#define INTERPOLATION(K)                                                                            \
  {#K "::w", CONSTANTS + 1, 1,                                                                      \
   [](const real* in, real* out) { out[0] = kernel<K>(in).w(in[CONSTANTS]); }},                     \
      {#K "::grad_factor", CONSTANTS + 1, 1,                                                        \
       [](const real* in, real* out) { out[0] = kernel<K>(in).grad_factor(in[CONSTANTS]); }},       \
      {#K "::support_radius", CONSTANTS, 1,                                                         \
       [](const real* in, real* out) { out[0] = kernel<K>(in).support_radius(); }},                 \
      {#K "::w_0", CONSTANTS, 1, [](const real* in, real* out) { out[0] = kernel<K>(in).w_0(); }},

static Cohesion cohesion(const real* in) { return {{in[0], in[1]}, in[2]}; }
static Adhesion adhesion(const real* in) { return {{in[0], in[1]}, in[2], in[3]}; }

extern "C" const PhysicsFunction* PHYSICS_ENTRY(kernel)() {
  static const PhysicsFunction TABLE[] = {
      SPH_KERNELS(INTERPOLATION)
      INTERPOLATION(AnyKernel)
      {"ViscosityLaplacian::laplacian", 4, 1,
       [](const real* in, real* out) { out[0] = ViscosityLaplacian{{in[0], in[1]}, in[2]}.laplacian(in[3]); }},
      {"Cohesion::c", 4, 1, [](const real* in, real* out) { out[0] = cohesion(in).c(in[3]); }},
      {"Cohesion::c_over_r", 4, 1, [](const real* in, real* out) { out[0] = cohesion(in).c_over_r(in[3]); }},
      {"Adhesion::a", 5, 1, [](const real* in, real* out) { out[0] = adhesion(in).a(in[4]); }},
      {"Adhesion::a_over_r", 5, 1, [](const real* in, real* out) { out[0] = adhesion(in).a_over_r(in[4]); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
