//! What the tests of all methods ask of this one.

pub use super::emulated::{make, with_order};
pub use solver_viscoelastic::METHOD;

pub const NAME: &str = "viscoelastic";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "viscosity_linear"];
pub const MODES: [&str; 2] = ["colored", "jacobi"];

/// The lines of the solver in a mode.
pub fn in_mode(mode: &str, solver: &str) -> String {
    format!("relax_mode = \"{mode}\"\n{solver}")
}

/// What a block of fluid without gravity needs.
pub fn of_block(_solver: &str) -> &'static str {
    "stiffness = 20.0"
}

/// What walls need.
pub fn of_walls(_preset: &str) -> &'static str {
    ""
}

/// What fluid and walls of a tank need.
pub fn of_tank(_solver: &str) -> (String, &'static str) {
    (String::new(), "")
}
