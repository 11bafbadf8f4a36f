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

// The layers, from the ground to the top: each imports those above it in this list. `tests/laws/layers.rs` reads the
// imports.
pub mod numerics;

pub mod keys;

pub mod kernel;

pub mod geometry;

pub mod neighbors;

pub mod fluid;

pub mod rigid;

pub mod method;

pub mod scene;

pub mod watch;

pub mod run;

pub use keys::error;
