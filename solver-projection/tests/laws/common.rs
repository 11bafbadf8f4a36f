//! What is this method's own in the scenes of the tests, and how it is measured.
#![allow(
    dead_code,
    clippy::panic,
    reason = "no test binary uses all of it; a helper that fails is a test that fails"
)]

pub use crate::solver::{measures::*, scenes::*};
use solver_projection::step::Phases;
pub use solver_projection::{METHOD, simulation as make};
use sph_core::{method::report::StepReport, run::simulation::Simulation};

pub const NAME: &str = "projection";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.3", "xsph_viscosity"];
pub const PRESETS: [&str; 2] = ["consistent", "peridyno_compat"];
/// Everything that is not on by itself.
pub const ALL: &str = "dynamic_viscosity = 1.0\nparticle_shifting = 0.5";

/// How well momentum is kept, over the sizes of its terms: to roundings, and with the Laplacian as viscosity as well as its
/// iteration is solved.
pub fn kept(solver: &str, roundings: f64) -> f64 {
    let solved: f64 = if solver.contains("morris") { 2e-5 } else { 0.0 };
    solved.max(roundings * EPSILON)
}

/// The phases up to the matrix with its diagonal, from the search of neighbors on.
pub fn assemble(phases: &mut dyn Phases) {
    let done = phases
        .find_neighbors()
        .and_then(|()| phases.compute_alpha())
        .and_then(|()| phases.assemble_matrix())
        .and_then(|()| phases.detect_free_surface());
    done.unwrap_or_else(|error| panic!("{error:?}"));
}

/// One step of `dt`.
pub fn step<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> StepReport {
    let report = sim.solver.step(&mut sim.state, dt).unwrap_or_else(|error| panic!("{error}"));
    sim.state.step += 1;
    report
}

/// One step of `dt`, and the change of velocity of every particle by id.
pub fn gains<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> Vec<[f64; D]> {
    let before = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    step(sim, dt);
    let after = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    before.iter().zip(&after).map(|(a, b)| std::array::from_fn(|k| b[k] - a[k])).collect()
}

/// Pressures by id, `[Pa]`.
pub fn pressures<const D: usize>(sim: &Simulation<D>) -> Vec<f64> {
    by_id(&sim.state.fluid.id, sim.solver.field("pressure").unwrap_or(&[]))
}

/// What a block of fluid without gravity needs.
pub fn of_block(_solver: &str) -> &'static str {
    ""
}

/// What walls need.
pub fn of_walls(_preset: &str) -> &'static str {
    "layers = 3"
}

/// What fluid and walls of a tank need.
pub fn of_tank(_solver: &str) -> (String, &'static str) {
    (String::new(), "slip = \"free_slip\"")
}
