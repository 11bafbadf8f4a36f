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

/// Commands act within the same number of steps.
const STEP: &str = "dt_max = 0.004\n";
const SECOND: &str = "dt_max = 0.004\nvelocity_update = \"second_order\"\nvorticity_confinement = 0.05\n";

#[test]
fn at_every_step_up_to_200_with_commands_and_moving_walls() {
    let all: Vec<u64> = (1..=200).collect();
    restarts::<2>(&eventful("standard", "", SECOND), &all);
}

#[test]
fn at_random_steps_later() {
    let mut random = Random(7);
    let mut late: Vec<u64> = (0..4).map(|_| 200 + (random.next().abs() * 400.0) as u64).collect();
    late.sort_unstable();
    late.dedup();
    restarts::<2>(&eventful("fluid_demo", "", SECOND), &late);
    restarts::<2>(&eventful("flex", "", STEP), &late);
}

#[test]
fn in_3d() {
    let few: Vec<u64> = (1..=100).step_by(23).collect();
    for preset in ["standard", "fluid_demo", "flex", "accurate"] {
        restarts::<3>(&dam_break::<3>(preset, 0.07, "", ""), &few);
    }
}

#[test]
fn with_lists_that_live_for_several_steps() {
    let skin = "neighbors.skin = 0.01";
    let few: Vec<u64> = (1..=60).collect();
    restarts::<2>(&eventful("standard", skin, SECOND), &few);
    restarts::<3>(&dam_break::<3>("fluid_demo", 0.07, skin, ""), &[5, 20]);
}

#[test]
fn damping_and_the_surface() {
    for solver in [
        "cohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1\nvelocity_update = \"second_order\"",
        "kernel = \"poly6_spiky\"\nrelaxation_mode = \"local\"",
    ] {
        let text = dam_break::<2>("standard", 0.03, "damping = { rate = 5.0, until = 0.1 }", solver);
        restarts::<2>(&text, &[1, 7, 20]);
    }
}

#[test]
fn a_history_repeats_the_run() {
    history_repeats_the_run(&eventful("standard", "", STEP));
}
