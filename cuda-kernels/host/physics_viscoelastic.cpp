// The functions of `viscoelastic.cuh` over plain numbers.
#include "viscoelastic/formula.cuh"
#include "physics_table.h"

using namespace visco;

static void put(real* out, Pair pair) { out[0] = pair.far, out[1] = pair.near; }

static Stiffness stiffness(const real* in) { return {in[0], in[1], in[2], in[3]}; }

static Flow flow(const real* in) { return {in[0], in[1]}; }

extern "C" const PhysicsFunction* PHYSICS_ENTRY(viscoelastic)() {
  static const PhysicsFunction TABLE[] = {
      {"closeness", 2, 1, [](const real* in, real* out) { out[0] = closeness(in[0], in[1]); }},
      {"inverse", 1, 1, [](const real* in, real* out) { out[0] = inverse(in[0]); }},
      {"density_terms", 1, 2, [](const real* in, real* out) { put(out, density_terms(in[0])); }},
      {"Stiffness::pressures", 6, 2,
       [](const real* in, real* out) { put(out, stiffness(in).pressures({in[4], in[5]})); }},
      {"Stiffness::on_wall", 6, 2, [](const real* in, real* out) { put(out, stiffness(in).on_wall({in[4], in[5]})); }},
      {"pair_acceleration", 3, 1, [](const real* in, real* out) { out[0] = pair_acceleration({in[0], in[1]}, in[2]); }},
      {"limited", 2, 1, [](const real* in, real* out) { out[0] = limited(in[0], in[1]); }},
      {"Viscosity::impulse", 5, 1,
       [](const real* in, real* out) { out[0] = Viscosity{in[0], in[1], in[2]}.impulse(in[3], in[4]); }},
      {"Spring::displacement", 4, 1,
       [](const real* in, real* out) { out[0] = Spring{in[0], in[1]}.displacement(in[2], in[3]); }},
      {"Flow::rest", 4, 1, [](const real* in, real* out) { out[0] = flow(in).rest(in[2], in[3]); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
