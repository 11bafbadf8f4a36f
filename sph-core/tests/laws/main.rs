//! What the core promises, in one binary: each takes long to compile.

mod barrier;
mod boundary;
mod common;
mod dam;
mod kernels;
mod lanes;
mod lattice;
mod leak;
mod neighbors;
mod operators;
mod rigid;
mod sampling;
mod scene;
mod scene_errors;
mod setup;
mod surface;
