// The functions of `wcsph.cuh` over plain numbers.
#include "wcsph/formula.cuh"
#include "physics_table.h"

using namespace wcsph;

static Eos eos(const real* in) { return {int(in[0]), in[1]}; }

static Vec vec(const real* in) {
  Vec v;
  for (int k = 0; k < DIM; k++) v[k] = in[k];
  return v;
}

static Pair pair(const real* in) {
  const real* n = in + 2 * DIM;
  return {vec(in), vec(in + DIM), n[0], n[1], n[2], n[3]};
}
constexpr size_t PAIR = 2 * DIM + 4;

// A pair, the softening, then the coefficients of the model.
template <class V>
static void factors(V model, const real* in, real* out) {
  const Factors f = model.factors(pair(in), in[PAIR]);
  out[0] = f.along_x;
  out[1] = f.along_v;
}
constexpr size_t MODEL = PAIR + 1;

// In two parts, since the table holds `real`.
static void put(real* out, double value) {
  out[0] = real(value);
  out[1] = real(value - double(out[0]));
}

extern "C" const PhysicsFunction* PHYSICS_ENTRY(wcsph)() {
  static const PhysicsFunction TABLE[] = {
      {"pressure", 4, 1, [](const real* in, real* out) { out[0] = pressure(eos(in), in[2], in[3]); }},
      {"tensile_cutoff", 3, 1, [](const real* in, real* out) { out[0] = tensile_cutoff(in[0], in[1], in[2]); }},
      {"seventh_root", 1, 2, [](const real* in, real* out) { put(out, seventh_root(in[0])); }},
      {"density_of_pressure", 4, 1,
       [](const real* in, real* out) { out[0] = density_of_pressure(eos(in), in[2], in[3]); }},
      {"internal_energy", 4, 2, [](const real* in, real* out) { put(out, internal_energy(eos(in), in[2], in[3])); }},
      {"pressure_force", 4, 1,
       [](const real* in, real* out) { out[0] = pressure_force(in[0], in[1], in[2], in[3]); }},
      {"continuity", 3, 1, [](const real* in, real* out) { out[0] = continuity(in[0], in[1], in[2]); }},
      {"density_diffusion", 3, 1, [](const real* in, real* out) { out[0] = density_diffusion(in[0], in[1], in[2]); }},
      {"dot", 2 * DIM, 1, [](const real* in, real* out) { out[0] = dot(vec(in), vec(in + DIM)); }},
      {"Monaghan::factors", MODEL + 1, 2, [](const real* in, real* out) { factors(Monaghan{in[MODEL]}, in, out); }},
      {"Morris::factors", MODEL + 1, 2, [](const real* in, real* out) { factors(Morris{in[MODEL]}, in, out); }},
      {"Solenoidal::factors", MODEL + 1, 2,
       [](const real* in, real* out) { factors(Solenoidal{in[MODEL]}, in, out); }},
      {"shifting", 3, 1, [](const real* in, real* out) { out[0] = shifting(in[0], in[1], in[2]); }},
      {"Contact::factor", 3, 1, [](const real* in, real* out) { out[0] = Contact{in[0], in[1]}.factor(in[2]); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
