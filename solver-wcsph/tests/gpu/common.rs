//! The method with its steps on a card, which is the processor.

use cuda_kernels::emulator::Emulator;
use solver_wcsph::gpu;
use sph_core::{error::Error, lane::Isa, scene::Scene, simulation::Simulation, solver::Clock};
use std::sync::Arc;

pub use crate::solver::{measures::*, scenes::*};

pub const NAME: &str = "wcsph";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.3", "artificial_viscosity_alpha"];

/// With shuffled threads: no order of theirs may matter.
pub fn make<const D: usize>(scene: &Scene, _: Isa, clock: Box<dyn Clock>) -> Result<Simulation<D>, Error> {
    with_order(scene, 7, clock)
}

pub fn with_order<const D: usize>(
    scene: &Scene,
    order: u64,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    gpu::simulation(scene, Arc::new(Emulator { order }), clock)
}
