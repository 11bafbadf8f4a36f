//! A method with its steps on a GPU, which is the processor.

use super::common::METHOD;
use cuda_kernels::device::emulator::Emulator;
use sph_core::{
    error::Error, method::stopwatch::Clock, numerics::lane::Isa, run::simulation::Simulation, scene::Scene,
};
use std::sync::Arc;

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
