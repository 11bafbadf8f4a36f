// The functions of `projection.cuh` over plain numbers.
#include "projection/formula.cuh"
#include "physics_table.h"

using namespace projection;

static Vec vec(const real* in) {
  Vec v;
  for (int k = 0; k < DIM; k++) v[k] = in[k];
  return v;
}

static void put(real* out, Vec v) {
  for (int k = 0; k < DIM; k++) out[k] = v[k];
}

static void put(real* out, Weighed w) { out[0] = w.inv_r, out[1] = w.w, out[2] = w.w1, out[3] = w.w2; }

static void put(real* out, CentralWeights w) { out[0] = w.inv_r, out[1] = w.w, out[2] = w.w2; }

static void put(real* out, WallCorrection g) {
  for (int k = 0; k < 6; k++) out[k] = g.e[k];
}

static Weight weight(const real* in) { return {int(in[0]), in[1], in[2]}; }

static WallCorrection along(const real* in) { return {{in[0], in[1], in[2], in[3], in[4], in[5]}}; }

extern "C" const PhysicsFunction* PHYSICS_ENTRY(projection)() {
  static const PhysicsFunction TABLE[] = {
      {"Weight::at", 4, 4, [](const real* in, real* out) { put(out, weight(in).at(in[3])); }},
      {"Weight::of", 4, 1, [](const real* in, real* out) { out[0] = weight(in).of(in[3]); }},
      {"Weight::central", 4, 3, [](const real* in, real* out) { put(out, weight(in).central(in[3])); }},
      {"against_wall", 2 * DIM + 2, DIM,
       [](const real* in, real* out) {
         put(out, against_wall(vec(in), vec(in + DIM), in[2 * DIM], in[2 * DIM + 1]));
       }},
      {"Parting::held", 2 * DIM + 2, 1,
       [](const real* in, real* out) {
         out[0] = Parting{in[2 * DIM], in[2 * DIM + 1]}.held(vec(in), vec(in + DIM));
       }},
      {"Contact::behind", 2, 1,
       [](const real* in, real* out) { out[0] = real(Contact::behind(in[0] != real(0.0), double(in[1]))); }},
      {"Contact::stopped", 4, 1,
       [](const real* in, real* out) {
         out[0] = real(Contact{double(in[0]), double(in[1]), real(0.0)}.stopped(double(in[2]), double(in[3])));
       }},
      {"WallCorrection::of_ghost", 2 * DIM, 6,
       [](const real* in, real* out) { put(out, WallCorrection::of_ghost(vec(in), vec(in + DIM))); }},
      {"WallCorrection::times", 6 + DIM, DIM, [](const real* in, real* out) { put(out, along(in).times(vec(in + 6))); }},
      {"correction_scale", 8, 1, [](const real* in, real* out) { out[0] = correction_scale(along(in), in[6], in[7]); }},
      {"of_void", 3, 1, [](const real* in, real* out) { out[0] = of_void(in[0], in[1], in[2]); }},
      {"FreeSurface::counted", 3, 1,
       [](const real* in, real* out) {
         out[0] = FreeSurface{in[0], real(0.0), real(0.0), real(0.0), real(0.0), 0}.counted(in[1], in[2]);
       }},
      {"FreeSurface::holds", 10, 1,
       [](const real* in, real* out) {
         const FreeSurface surface{in[0], in[1], in[2], in[3], in[4], in[5] != real(0.0)};
         out[0] = surface.holds(in[6], in[7], in[8], in[9] != real(0.0)) ? real(1.0) : real(0.0);
       }},
      {"FreeSurface::missing", 6, 1,
       [](const real* in, real* out) {
         out[0] = FreeSurface{in[0], real(0.0), real(0.0), in[1], in[2], 0}.missing(in[3], in[4], in[5] != real(0.0));
       }},
      {"density_error", 2, 1, [](const real* in, real* out) { out[0] = density_error(in[0], in[1] != real(0.0)); }},
      {"dot", 2 * DIM, 1, [](const real* in, real* out) { out[0] = dot(vec(in), vec(in + DIM)); }},
      {"xsph", 4, 1, [](const real* in, real* out) { out[0] = xsph(in[0], in[1], in[2], in[3]); }},
      {"mirrored", 3, 1, [](const real* in, real* out) { out[0] = mirrored(in[0], in[1], in[2]); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
