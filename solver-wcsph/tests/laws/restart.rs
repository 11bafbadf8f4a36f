//! A run continued from a checkpoint has the bits of a run that never stopped: a checkpoint is all there is.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{Random, dam_break},
    solver::restarting::*,
};

#[test]
fn at_every_step_up_to_200_with_commands_and_moving_walls() {
    let all: Vec<u64> = (1..=200).collect();
    restarts::<2>(&eventful("validation", "", ""), &all);
}

#[test]
fn at_random_steps_later() {
    let mut random = Random(7);
    let late: Vec<u64> = (0..4).map(|_| 200 + (random.next().abs() * 400.0) as u64).collect();
    let mut late = late;
    late.sort_unstable();
    late.dedup();
    restarts::<2>(&eventful("graphics", "", ""), &late);
    restarts::<2>(&eventful("validation", "", ""), &late);
}

#[test]
fn in_3d() {
    let few: Vec<u64> = (1..=200).step_by(23).collect();
    for preset in ["validation", "graphics"] {
        restarts::<3>(&dam_break::<3>(preset, 0.07, "", ""), &few);
    }
}

#[test]
fn with_lists_that_live_for_several_steps() {
    let skin = "neighbors.skin = 0.01";
    let few: Vec<u64> = (1..=60).collect();
    restarts::<2>(&eventful("validation", skin, ""), &few);
    restarts::<3>(&dam_break::<3>("graphics", 0.07, skin, ""), &[5, 20]);
}

#[test]
fn both_integrators_with_both_densities() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        for density in ["continuity", "summation\"\ndelta_sph = 0.0#"] {
            let solver = format!("integrator = \"{integrator}\"\ndensity = \"{density}\"\n");
            restarts::<2>(&dam_break::<2>("validation", 0.03, "", &solver), &[1, 2, 7, 20]);
        }
    }
}

#[test]
fn steps_limited_by_acceleration() {
    for preset in ["validation", "graphics"] {
        restarts::<2>(&dam_break::<2>(preset, 0.03, "", "cfl_force = 0.005"), &[1, 7, 20]);
    }
}

#[test]
fn drift_corrections_and_surface_terms() {
    for solver in [
        "regularization = \"shifting\"",
        "regularization = \"shifting\"\nintegrator = \"symplectic_euler\"",
        "delta_sph = 0.0\ncohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1",
    ] {
        let text = dam_break::<2>("validation", 0.03, "damping = { rate = 5.0, until = 0.01 }", solver);
        restarts::<2>(&text, &[1, 7, 20]);
    }
}

#[test]
fn a_history_repeats_the_run() {
    history_repeats_the_run(&eventful("validation", "", ""));
}
