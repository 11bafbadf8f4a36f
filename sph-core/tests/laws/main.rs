//! What the core promises, in one binary: each takes long to compile.

mod boundary;
mod common;
mod dam;
mod errors;
mod forms;
mod formula;
mod frame;
mod hull;
mod jitter;
mod kernels;
mod lanes;
mod lattice;
mod layers;
mod mesh;
mod motion;
mod neighbors;
mod operators;
mod overlap;
mod parallel;
mod penetration;
#[cfg(feature = "rigid")]
mod pieces;
mod plan;
mod ranges;
mod rigid;
mod rotation;
mod run_settings;
mod sampling;
mod scene;
mod scene_errors;
mod setup;
mod solids;
mod strategies;
mod surface;
mod wall_surface;
