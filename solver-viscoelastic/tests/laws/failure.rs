//! A run that goes wrong stops at once and says when, where and why; it never panics.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{MODES, dam_break},
    solver::failing::*,
};

fn bad_input_is_named_in<const D: usize>(spacing: f64) {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\nspring_stiffness = 100.0\nviscosity_linear = 5.0");
        bad_input_is_named::<D>(&dam_break::<D>("standard", spacing, "", &solver));
    }
}

#[test]
fn bad_input_is_named_2d() {
    bad_input_is_named_in::<2>(0.05);
}

#[test]
fn bad_input_is_named_3d() {
    bad_input_is_named_in::<3>(0.1);
}

#[test]
fn bad_input_is_named_by_the_hash_grid_far_from_the_origin() {
    bad_input_is_named_by_the_hash_grid("standard");
}

#[test]
fn a_step_size_that_is_not_finite_is_named() {
    a_step_of_nan_is_named("standard");
}

#[test]
fn steps_that_are_too_long_and_escapes_are_found() {
    for mode in MODES {
        let text = dam_break::<2>("standard", 0.05, "", &format!("relax_mode = \"{mode}\""));
        a_failed_step_leaves_a_readable_state(&text);
        an_absurd_step_is_found(&text);
        an_escape_is_found_where_it_is(&text, "update_velocities");
    }
}

#[test]
fn errors_are_lines_or_blocks() {
    an_error_is_a_line_or_a_block("standard");
}
