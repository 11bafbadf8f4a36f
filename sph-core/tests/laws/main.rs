//! What the core promises, in one binary: each takes long to compile.

mod areas;
mod boundary;
mod common;
mod dam;
mod fields;
mod frame;
mod kernels;
mod lanes;
mod lattice;
mod neighbors;
mod operators;
mod overlap;
mod parallel;
mod partition;
mod penetration;
mod plan;
mod rigid;
mod sampling;
mod scene;
mod setup;
mod solids;
mod strategies;
mod surface;

/// What knows nothing of `Real`, and is not compiled twice.
#[cfg(not(feature = "f64"))]
#[path = "."]
mod of_any_precision {
    mod errors;
    mod forms;
    mod formula;
    mod heightfield;
    mod hull;
    mod jitter;
    mod layers;
    mod mesh;
    mod motion;
    mod pieces;
    mod ranges;
    mod rotation;
    mod run_settings;
    mod scene_errors;
    mod wall_surface;
}
