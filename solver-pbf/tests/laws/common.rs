//! Scenes and measures of the tests of this method.
#![allow(
    dead_code,
    clippy::panic,
    reason = "no test binary uses all of it; a helper that fails is a test that fails"
)]

pub use crate::solver::{measures::*, scenes::*};
pub use solver_pbf::{METHOD, simulation as make};

pub const NAME: &str = "pbf";
/// Of a run with events: velocity of the paddle, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "xsph_viscosity"];
pub const KERNELS: [&str; 2] = ["cubic_spline", "poly6_spiky"];

/// What a block of fluid at rest needs.
pub fn of_block(_solver: &str) -> &'static str {
    ""
}

/// What walls need.
pub fn of_walls(_preset: &str) -> &'static str {
    ""
}

/// What fluid and walls of a tank need.
pub fn of_tank(_solver: &str) -> (String, &'static str) {
    (String::new(), "")
}
