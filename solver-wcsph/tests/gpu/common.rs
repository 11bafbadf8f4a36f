//! What the tests of all methods ask of this one.

pub use super::emulated::{make, with_order};
pub use solver_wcsph::METHOD;

pub const NAME: &str = "wcsph";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.3", "artificial_viscosity_alpha"];

/// What a block needs beside its solver.
pub fn of_block(solver: &str) -> &'static str {
    if solver.contains("sound_speed") { "" } else { "sound_speed = 10.0" }
}

/// What walls need.
pub fn of_walls(preset: &str) -> &'static str {
    if preset == "graphics" { "layers = 2" } else { "layers = 3" }
}

/// What fluid and walls of a tank need. Pseudo-masses at half a spacing push resting fluid off.
pub fn of_tank(solver: &str) -> (String, &'static str) {
    let offset = if solver.contains("graphics") { "offset = 0.7" } else { "offset = 0.5" };
    (format!("pressure.hydrostatic.surface = {:?}", super::solver::bodies::DEPTH), offset)
}
