// The functions of `pbf.cuh` over plain numbers.
#include "pbf/formula.cuh"
#include "physics_table.h"

using namespace pbf;

static Vec vec(const real* in) {
  Vec v;
  for (int k = 0; k < DIM; k++) v[k] = in[k];
  return v;
}

static Vec3 vec3(const real* in) { return {{in[0], in[1], in[2]}}; }

static void put(real* out, Vec3 v) {
  for (int k = 0; k < 3; k++) out[k] = v[k];
}

static void put(real* out, Vec v) {
  for (int k = 0; k < DIM; k++) out[k] = v[k];
}

// Three pieces of 22 bits, since a float holds no more than 24.
static unsigned long long id(const real* in) {
  typedef unsigned long long u64;
  return u64(in[0]) | u64(in[1]) << 22 | u64(in[2]) << 44;
}

extern "C" const PhysicsFunction* PHYSICS_ENTRY(pbf)() {
  static const PhysicsFunction TABLE[] = {
      {"constraint", 3, 1, [](const real* in, real* out) { out[0] = constraint(in[0], in[1], in[2] != real(0.0)); }},
      {"lambda", 4, 1, [](const real* in, real* out) { out[0] = lambda(in[0], in[1], in[2], in[3]); }},
      {"Weights::of_gradient", 2, 1,
       [](const real* in, real* out) { out[0] = Weights{in[0] != real(0.0)}.of_gradient(in[1]); }},
      {"Weights::of_own", 2, 1,
       [](const real* in, real* out) { out[0] = Weights{in[0] != real(0.0)}.of_own(in[1]); }},
      {"pair_correction", 5, 1,
       [](const real* in, real* out) { out[0] = pair_correction(in[0], in[1], in[2], in[3], in[4]); }},
      {"Scorr::s", 4, 1,
       [](const real* in, real* out) { out[0] = Scorr{in[0], in[1], unsigned(in[2])}.s(in[3]); }},
      {"Bdf2::change", 5, 1,
       [](const real* in, real* out) { out[0] = Bdf2{in[0], in[1], in[2]}.change(in[3], in[4]); }},
      {"xsph", 5, 1,
       [](const real* in, real* out) { out[0] = xsph(in[0] != real(0.0), in[1], in[2], in[3], in[4]); }},
      {"wall_xsph", 3, 1, [](const real* in, real* out) { out[0] = wall_xsph(in[0], in[1], in[2]); }},
      {"cross", 6, 3, [](const real* in, real* out) { put(out, cross(vec3(in), vec3(in + 3))); }},
      {"in_space", DIM, 3, [](const real* in, real* out) { put(out, in_space(vec(in))); }},
      {"is_nonzero", 1, 1, [](const real* in, real* out) { out[0] = is_nonzero(in[0]); }},
      {"surface_pull", 3 * DIM, DIM,
       [](const real* in, real* out) { put(out, surface_pull(vec(in), vec(in + DIM), vec(in + 2 * DIM))); }},
      {"deviation", 3, 1, [](const real* in, real* out) { out[0] = deviation(id(in)); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
