//! The method with its steps on a card, which is the processor.

use cuda_kernels::emulator::Emulator;
use solver_pbf::gpu;
use sph_core::{
    Real, error::Error, lane::Isa, sampling::Jitter, scene::Scene, simulation::Simulation, solver::Clock,
};
use std::sync::Arc;

pub const NAME: &str = "pbf";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "xsph_viscosity"];

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

/// A start in disorder, with something to rub and to turn: nothing of an option is then zero.
pub fn stirred<const D: usize>(mut sim: Simulation<D>) -> Simulation<D> {
    let state = &mut sim.state;
    let amplitude = 0.05 * f64::from(state.rest.spacing);
    let mut points: Vec<[f64; D]> =
        (0..state.fluid.len()).map(|i| state.fluid.position(i).map(f64::from)).collect();
    Jitter { amplitude, seed: 3 }.apply(&mut points);
    for (i, x) in points.iter().enumerate() {
        let x = state.domain.periodic.wrap(x.map(|x| x as Real));
        for a in 0..D {
            state.fluid.x[a][i] = x[a];
            state.fluid.v[a][i] += 0.5 * (9.0 * x[(a + 1) % D]).sin();
        }
    }
    sim
}

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
