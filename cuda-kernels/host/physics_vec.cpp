// The functions of `vec.cuh` over plain numbers.
#include "common/numerics/space.cuh"
#include "physics_table.h"

static Vec vec(const real* in) {
  Vec v;
  for (int k = 0; k < DIM; k++) v[k] = in[k];
  return v;
}

static void put(real* out, Vec v) {
  for (int k = 0; k < DIM; k++) out[k] = v[k];
}

// low, length and inverse of each axis, and whether any is periodic.
static Periodic periodic(const real* in) {
  Periodic p;
  for (int k = 0; k < DIM; k++) {
    p.low[k] = in[k];
    p.length[k] = in[DIM + k];
    p.inv_length[k] = in[2 * DIM + k];
  }
  p.any = in[3 * DIM] != real(0.0);
  return p;
}
constexpr size_t PERIODIC = 3 * DIM + 1;

static Domain domain(const real* in) {
  Domain d;
  for (int k = 0; k < DIM; k++) {
    d.low[k] = in[k];
    d.high[k] = in[DIM + k];
  }
  return d;
}

static Forces forces(const real* in) {
  Forces f;
  for (int k = 0; k < DIM; k++) {
    f.gravity[k] = in[k];
    f.center[k] = in[DIM + k];
  }
  f.strength = in[2 * DIM];
  return f;
}

extern "C" const PhysicsFunction* PHYSICS_ENTRY(vec)() {
  static const PhysicsFunction TABLE[] = {
      {"max_of", 2, 1, [](const real* in, real* out) { out[0] = max_of(in[0], in[1]); }},
      {"min_of", 2, 1, [](const real* in, real* out) { out[0] = min_of(in[0], in[1]); }},
      {"norm2", DIM, 1, [](const real* in, real* out) { out[0] = norm2(vec(in)); }},
      {"Periodic::nearest", PERIODIC + DIM, DIM,
       [](const real* in, real* out) { put(out, periodic(in).nearest(vec(in + PERIODIC))); }},
      {"Periodic::wrap_axis", PERIODIC + 1, 1,
       [](const real* in, real* out) { out[0] = periodic(in).wrap_axis(0, in[PERIODIC]); }},
      {"Periodic::wrap", PERIODIC + DIM, DIM,
       [](const real* in, real* out) { put(out, periodic(in).wrap(vec(in + PERIODIC))); }},
      {"Domain::holds", 3 * DIM, 1,
       [](const real* in, real* out) { out[0] = domain(in).holds(vec(in + 2 * DIM)) ? real(1.0) : real(0.0); }},
      {"Forces::acceleration", 3 * DIM + 1, DIM,
       [](const real* in, real* out) { put(out, forces(in).acceleration(vec(in + 2 * DIM + 1))); }},
      {nullptr, 0, 0, nullptr},
  };
  return TABLE;
}
