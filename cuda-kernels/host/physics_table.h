// What tests call of the physics texts: a table of functions for each text and dimension, and one of layouts.
#include <stddef.h>

#define PHYSICS_JOIN2(a, b) a##b
#define PHYSICS_JOIN(a, b) PHYSICS_JOIN2(a, b)
/// The name of an entry point: `physics_wcsph_2d`.
#define PHYSICS_ENTRY(text) PHYSICS_JOIN(physics_##text, DIM_SUFFIX)

/// A function of a text over plain numbers: vectors take DIM of them, structs their fields in order.
struct PhysicsFunction {
  const char* name;
  size_t n_in, n_out;
  void (*of)(const REAL* in, REAL* out);
};

/// A field of a block, or with an empty name the whole block.
struct PhysicsField {
  const char* block;
  const char* name;
  size_t offset, size;
};
