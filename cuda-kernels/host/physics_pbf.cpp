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

extern "C" const PhysicsFunction* PHYSICS_ENTRY(pbf)() {
  static const PhysicsFunction TABLE[] = {
      {"constraint", 3, 1, [](const real* in, real* out) { out[0] = constraint(in[0], in[1], in[2] != real(0.0)); }},
      {"lambda", 4, 1, [](const real* in, real* out) { out[0] = lambda(in[0], in[1], in[2], in[3]); }},
      {"Scorr::s", 3, 1, [](const real* in, real* out) { out[0] = Scorr{in[0], in[1]}.s(in[2]); }},
      {"Bdf2::change", 5, 1,
       [](const real* in, real* out) { out[0] = Bdf2{in[0], in[1], in[2]}.change(in[3], in[4]); }},
      {"xsph", 4, 1, [](const real* in, real* out) { out[0] = xsph(in[0], in[1], in[2], in[3]); }},
      {"cross", 6, 3, [](const real* in, real* out) { put(out, cross(vec3(in), vec3(in + 3))); }},
      {"in_space", DIM, 3, [](const real* in, real* out) { put(out, in_space(vec(in))); }},
      {"is_nonzero", 1, 1, [](const real* in, real* out) { out[0] = is_nonzero(in[0]); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
