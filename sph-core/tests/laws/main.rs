//! What the core promises, in one binary: each takes long to compile. What knows nothing of `Real` is not compiled twice.

mod areas;
mod boundary;
mod common;
mod dam;
#[cfg(not(feature = "f64"))]
mod errors;
#[cfg(not(feature = "f64"))]
mod fields;
#[cfg(not(feature = "f64"))]
mod forms;
#[cfg(not(feature = "f64"))]
mod formula;
mod frame;
#[cfg(not(feature = "f64"))]
mod heightfield;
#[cfg(not(feature = "f64"))]
mod hull;
#[cfg(not(feature = "f64"))]
mod jitter;
mod kernels;
mod lanes;
mod lattice;
#[cfg(not(feature = "f64"))]
mod layers;
#[cfg(not(feature = "f64"))]
mod mesh;
#[cfg(not(feature = "f64"))]
mod motion;
mod neighbors;
mod operators;
mod overlap;
mod parallel;
mod partition;
mod penetration;
#[cfg(all(feature = "rigid", not(feature = "f64")))]
mod pieces;
mod plan;
#[cfg(not(feature = "f64"))]
mod ranges;
#[cfg(not(feature = "f64"))]
mod rigid;
#[cfg(not(feature = "f64"))]
mod rotation;
#[cfg(not(feature = "f64"))]
mod run_settings;
mod sampling;
mod scene;
#[cfg(not(feature = "f64"))]
mod scene_errors;
mod setup;
mod solids;
mod strategies;
mod surface;
#[cfg(not(feature = "f64"))]
mod wall_surface;
