//! What the method promises, in one binary: each takes long to compile.
#![allow(clippy::duplicate_mod, reason = "shared scenes run on the CPU, and in `gpu` on the emulator")]

mod bodies;
mod colors;
mod common;
mod contact;
mod demo;
mod determinism;
mod failure;
mod faults;
mod gpu;
mod pairs;
mod physics;
mod restart;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
mod springs;
mod steps;
