//! A run that goes wrong stops at once and says when, where and why; it never panics.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{ALL, PRESETS, dam_break},
    solver::failing::*,
};

fn bad_input_is_named_in<const D: usize>(spacing: f64) {
    for preset in PRESETS {
        bad_input_is_named::<D>(&dam_break::<D>(preset, spacing, "", ""));
    }
    bad_input_is_named::<D>(&dam_break::<D>("consistent", spacing, "", ALL));
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
    bad_input_is_named_by_the_hash_grid("consistent");
}

#[test]
fn a_step_size_that_is_not_finite_is_named() {
    a_step_of_nan_is_named("consistent");
}

#[test]
fn steps_that_are_too_long_leave_a_readable_state() {
    for preset in PRESETS {
        a_failed_step_leaves_a_readable_state(&dam_break::<2>(preset, 0.05, "", ""));
    }
}

#[test]
fn escapes_are_found_where_they_are() {
    an_escape_is_found_where_it_is(&dam_break::<2>("consistent", 0.05, "", ""), "update_positions");
}

#[test]
fn errors_are_lines_or_blocks() {
    an_error_is_a_line_or_a_block("consistent");
}
