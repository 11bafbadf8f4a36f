//! What the tests of all methods ask of this one.

pub use super::emulated::{make, with_order};
pub use solver_pbf::METHOD;

pub const NAME: &str = "pbf";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "xsph_viscosity"];

/// What a block needs beside its solver.
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
