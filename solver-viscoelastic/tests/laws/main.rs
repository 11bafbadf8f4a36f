//! What the method promises, in one binary: each takes long to compile.

mod bodies;
mod colors;
mod common;
mod contact;
mod demo;
mod determinism;
mod failure;
mod faults;
mod pairs;
mod physics;
mod ranks;
mod restart;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
mod springs;
mod steps;
