//! What is this method's own in the scenes of the tests, and how it is measured.
#![allow(
    dead_code,
    clippy::panic,
    reason = "no test binary uses all of it; a helper that fails is a test that fails"
)]

use crate::solver::bodies::DEPTH;
pub use crate::solver::{measures::*, scenes::*};
use solver_wcsph::params;
pub use solver_wcsph::{METHOD, simulation as make};
use sph_core::{
    Real,
    method::{solver::Memory, state::State},
    run::simulation::Simulation,
};

pub const NAME: &str = "wcsph";
/// Of a run with events: how fast the paddle leaves, in m/s, and a parameter that is set.
pub const EVENTS: [&str; 2] = ["-0.3", "artificial_viscosity_alpha"];
pub const KERNELS: [&str; params::KERNELS.len()] = {
    let mut names = [""; params::KERNELS.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = params::KERNELS[k].name();
        k += 1;
    }
    names
};
pub const VISCOSITIES: [&str; 3] = ["monaghan", "morris", "solenoidal"];

/// Random velocities up to `speed` an axis, and densities between `low` and `high` rest densities.
pub fn shake<const D: usize>(state: &mut State<D>, seed: u64, speed: f64, low: f64, high: f64) {
    let mut random = Random(seed);
    for i in 0..state.fluid.len() {
        for a in 0..D {
            state.fluid.v[a][i] = (speed * random.next()) as Real;
        }
        let part = 0.5 * (random.next() + 1.0);
        state.fluid.rho[i] = state.rest.rho_0 * (low + part * (high - low)) as Real;
    }
}

/// A step that moves nothing, seen by the numbers it leaves in the solver's memory.
pub const TINY: f64 = 1e-30;

/// What the solver computes for the state as it is: accelerations and drift corrections, by id.
pub struct Probe<const D: usize> {
    pub a: Vec<[f64; D]>,
    pub w: Vec<[f64; D]>,
}

pub fn probe<const D: usize>(sim: &mut Simulation<D>) -> Probe<D> {
    let mut state = sim.state.clone();
    sim.solver.memory(&mut |name, memory| {
        if let ("started", Memory::Number(started)) = (name, memory) {
            *started = 0.0;
        }
    });
    sim.solver.step(&mut state, TINY).unwrap_or_else(|error| panic!("{error}"));
    let mut fields: [[Vec<Real>; D]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| Vec::new()));
    sim.solver.memory(&mut |name, memory| {
        let Memory::Field(field) = memory else { return };
        let axis = name.bytes().last().map_or(0, |axis| usize::from(axis - b'x'));
        fields[usize::from(name.starts_with("drift"))][axis].clone_from(field);
    });
    let [a, w] = fields;
    let w = if w[0].is_empty() { Vec::new() } else { vectors(&state.fluid.id, &w) };
    Probe { a: vectors(&state.fluid.id, &a), w }
}

pub fn acceleration<const D: usize>(sim: &mut Simulation<D>) -> Vec<[f64; D]> {
    probe(sim).a
}

/// `dt dρ/dt` over one long step by id: symplectic Euler advances the density before anything moves.
pub fn density_change<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> Vec<f64> {
    let mut state = sim.state.clone();
    let before = by_id(&state.fluid.id, &state.fluid.rho);
    // Whether the long step then throws particles out of the domain does not matter here.
    let _ = sim.solver.step(&mut state, dt);
    let after = by_id(&state.fluid.id, &state.fluid.rho);
    before.iter().zip(after).map(|(before, after)| after - before).collect()
}

/// What a block of fluid at rest needs.
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
    (format!("pressure.hydrostatic.surface = {DEPTH:?}"), offset)
}
