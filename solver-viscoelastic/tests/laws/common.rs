//! What is this method's own in the scenes of the tests, and how it is measured.
#![allow(
    dead_code,
    clippy::panic,
    reason = "no test binary uses all of it; a helper that fails is a test that fails"
)]

pub use crate::solver::{measures::*, scenes::*};
pub use solver_viscoelastic::{METHOD, simulation as make};
use sph_core::{Real, run::simulation::Simulation};

pub const NAME: &str = "viscoelastic";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "viscosity_linear"];
pub const MODES: [&str; 3] = ["sequential", "colored", "jacobi"];

/// A free scene of the given particles, in m, with the given lines of the solver.
pub fn particles<const D: usize>(x: &[[f64; D]], solver: &str) -> Simulation<D> {
    let mut sim = Block::free(2, solver).build::<D>();
    let m = x.len();
    sim.state.fluid = Default::default();
    for (id, x) in x.iter().enumerate() {
        sim.state.fluid.push(id as u64, x.map(|x| x as Real), [0.0; D], sim.state.rest.rho_0);
    }
    sim.state.next_id = m as u64;
    sim.solver.fluid_changed();
    sim
}

/// What a block of fluid without gravity needs.
pub fn of_block(solver: &str) -> &'static str {
    if solver.lines().any(|line| line.starts_with("stiffness =")) { "" } else { "stiffness = 20.0" }
}

/// What walls need.
pub fn of_walls(_preset: &str) -> &'static str {
    ""
}

/// A line among those of the solver after which tank and bodies slip.
pub const SLIPPERY: &str = "# slippery";

/// What fluid and walls of a tank need.
pub fn of_tank(solver: &str) -> (String, &'static str) {
    (String::new(), if solver.contains(SLIPPERY) { "slip = \"free_slip\"" } else { "" })
}
