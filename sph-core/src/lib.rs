//! Shared core of the particle-fluid solvers.
#![warn(missing_docs)]

/// The number type of all fields: `f32`, or `f64` with the feature `f64`.
#[cfg(not(feature = "f64"))]
pub type Real = f32;
/// The number type of all fields: `f32`, or `f64` with the feature `f64`.
#[cfg(feature = "f64")]
pub type Real = f64;

pub mod kernel;
pub mod lane;
pub mod lattice;
