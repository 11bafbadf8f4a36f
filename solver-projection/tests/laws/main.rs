//! What the method promises, in one binary: each takes long to compile.

mod aggregation;
mod bodies;
mod cg;
mod closed;
mod common;
mod contact;
mod corners;
mod determinism;
mod failure;
mod faults;
mod matrix;
mod physics;
mod ranks;
mod restart;
mod shear;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
mod steps;
mod tension;
mod viscosity;
mod voids;
mod walls;
