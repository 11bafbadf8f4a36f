//! A run continued from a checkpoint has the bits of a run that never stopped: a checkpoint is all there is.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
use crate::{
    common::{MODES, dam_break},
    solver::restarting::*,
};

/// Commands act within the same number of steps.
const ALL: &str = "dt_max = 0.004\nstiffness = 315.0\nspring_stiffness = 200.0\nviscosity_linear = 5.0\nplasticity = 5.0\n\
     stick_stiffness = 300.0";

#[test]
fn at_every_step_up_to_200_with_commands_and_moving_walls() {
    let all: Vec<u64> = (1..=200).collect();
    restarts::<2>(&eventful("standard", "", ALL), &all);
}

#[test]
fn in_every_mode_and_in_space() {
    let few: Vec<u64> = (1..=60).step_by(19).collect();
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{ALL}");
        restarts::<2>(&eventful("standard", "neighbors.skin = 0.01", &solver), &few);
        restarts::<3>(&dam_break::<3>("standard", 0.07, "", &solver), &few);
    }
}

#[test]
fn a_history_repeats_the_run() {
    history_repeats_the_run(&eventful("standard", "", ALL));
}
