//! What the method promises, in one binary: each takes long to compile.
#![allow(clippy::duplicate_mod, reason = "shared scenes run on the CPU, and in `gpu` on the emulator")]

mod aggregation;
mod bodies;
mod cg;
mod closed;
mod common;
mod contact;
mod determinism;
mod failure;
mod faults;
mod gpu;
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
