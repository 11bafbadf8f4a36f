//! A run continued from a checkpoint has the bits of a run that never stopped: a checkpoint is all there is.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
use crate::{
    common::{ALL, PRESETS, dam_break},
    solver::restarting::*,
    voids::flat,
};

#[test]
fn at_every_step_up_to_200_with_commands_and_moving_walls() {
    let all: Vec<u64> = (1..=200).collect();
    restarts::<2>(&eventful("consistent", "", ""), &all);
}

#[test]
fn with_everything_and_in_space() {
    let few: Vec<u64> = (1..=60).step_by(19).collect();
    restarts::<2>(&eventful("consistent", "neighbors.skin = 0.01", ALL), &few);
    restarts::<2>(&flat::<2>(0.02, 0.8, 0.8), &few);
    for preset in PRESETS {
        restarts::<3>(&dam_break::<3>(preset, 0.07, "", ""), &few);
    }
}

#[test]
fn a_history_repeats_the_run() {
    history_repeats_the_run(&eventful("consistent", "", ""));
}
