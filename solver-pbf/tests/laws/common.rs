//! Scenes and measures of the tests of this method.
#![allow(
    dead_code,
    clippy::panic,
    reason = "no test binary uses all of it; a helper that fails is a test that fails"
)]

pub use crate::solver::{measures::*, scenes::*};
pub use solver_pbf::{METHOD, simulation as make};
use sph_core::{
    Real,
    method::{report::StepReport, state::State},
    run::simulation::Simulation,
};

pub const NAME: &str = "pbf";
/// Of a run with events: velocity of the paddle, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.05", "xsph_viscosity"];
pub const KERNELS: [&str; 2] = ["cubic_spline", "poly6_spiky"];

/// Random velocities up to `speed` an axis.
pub fn shake<const D: usize>(state: &mut State<D>, seed: u64, speed: f64) {
    let mut random = Random(seed);
    for i in 0..state.fluid.len() {
        for a in 0..D {
            state.fluid.v[a][i] = (speed * random.next()) as Real;
        }
    }
}

/// Presses the fluid together around the origin: lengths times `scale`.
pub fn squeeze<const D: usize>(state: &mut State<D>, scale: f64) {
    state.fluid.x.iter_mut().flatten().for_each(|x| *x *= scale as Real);
}

/// One step of `dt`, and the displacement of every particle by id.
pub fn displacements<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> (StepReport, Vec<[f64; D]>) {
    let before = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let report = sim.solver.step(&mut sim.state, dt).unwrap_or_else(|error| panic!("{error}"));
    let after = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let displacement = |(a, b): (&[f64; D], &[f64; D])| std::array::from_fn(|k| b[k] - a[k]);
    (report, before.iter().zip(&after).map(displacement).collect())
}

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
