//! Shared core of the particle-fluid solvers.
#![warn(missing_docs)]
// `f64::from(x)` and `x as Real` convert with one width of `Real` and do nothing with the other.
#![cfg_attr(
    feature = "f64",
    allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the width of `Real` is a feature")
)]

/// The number type of all fields: `f32`, or `f64` with the feature `f64`.
#[cfg(not(feature = "f64"))]
pub type Real = f32;
/// The number type of all fields: `f32`, or `f64` with the feature `f64`.
#[cfg(feature = "f64")]
pub type Real = f64;

// The macro `parameters!` names this crate in the same way here and in the solvers.
extern crate self as sph_core;

pub mod barrier;
pub mod boundary;
pub mod checkpoint;
pub mod diagnosis;
pub mod error;
pub mod interaction;
pub mod kernel;
pub mod lane;
pub mod lattice;
pub mod leak;
pub mod linear;
pub mod motion;
pub mod neighbors;
pub mod operators;
pub mod parallel;
pub mod parameters;
pub mod particles;
pub mod phases;
pub mod plan;
pub mod recovery;
pub mod rigid;
pub mod sampling;
pub mod scales;
pub mod scene;
pub mod setup;
pub mod shape;
pub mod simulation;
pub mod snapshot;
pub mod solver;
pub mod state;
#[cfg(any(test, feature = "proptest"))]
pub mod strategies;
pub mod surface;
