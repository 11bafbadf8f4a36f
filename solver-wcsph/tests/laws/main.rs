//! What the method promises, in one binary: each takes long to compile.
//! What counts allocations or measures memory stands beside it, alone in its process.

mod bodies;
mod checkpoint;
mod commands;
mod common;
mod derived;
mod determinism;
mod failure;
mod faults;
mod invariants;
mod physics;
mod ranks;
mod recovery;
mod restart;
mod shapes;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
mod steps;
mod unstable;
mod viscosity;
mod walls;
