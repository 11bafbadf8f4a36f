//! What the method promises, in one binary: each takes long to compile.

mod bodies;
mod cg;
mod common;
mod determinism;
mod failure;
mod faults;
mod levels;
mod matrix;
mod physics;
mod restart;
mod shear;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
mod steps;
mod walls;
