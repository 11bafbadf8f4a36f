//! What the method promises, in one binary: each takes long to compile.
//! What counts allocations or measures memory stands beside it, alone in its process.

mod bodies;
mod common;
mod constraint;
mod determinism;
mod failure;
mod faults;
mod physics;
mod ranks;
mod restart;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
mod steps;
mod velocities;
mod vorticity;
mod walls;
