//! The method with its steps on a GPU, which is the processor.

use cuda_kernels::device::emulator::Emulator;
pub use solver_viscoelastic::METHOD;
use sph_core::{
    error::Error, method::stopwatch::Clock, numerics::lane::Isa, run::simulation::Simulation, scene::Scene,
};
use std::sync::Arc;

pub const NAME: &str = "viscoelastic";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "viscosity_linear"];
pub const MODES: [&str; 2] = ["colored", "jacobi"];

/// With shuffled threads: no order of theirs may matter.
pub fn make<const D: usize>(scene: &Scene, _: Isa, clock: Box<dyn Clock>) -> Result<Simulation<D>, Error> {
    with_order(scene, 7, clock)
}

pub fn with_order<const D: usize>(
    scene: &Scene,
    order: u64,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    METHOD.simulation_on(scene, Arc::new(Emulator::in_order(order)), clock)
}

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
