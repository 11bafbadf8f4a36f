//! A run that goes wrong stops at once and says when, where and why; it never panics.
//!
//! What goes wrong within a phase is tested in `faults.rs`.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{dam_break, simulation},
    solver::failing::*,
};
use solver_pbf::{
    Params,
    params::{KERNELS, Smoothing},
};
use sph_core::{Real, kernel::KernelKind, scene::Parameters as _};

fn bad_input_is_named_in<const D: usize>(spacing: f64) {
    for preset in ["standard", "fluid_demo"] {
        for update in ["first_order", "second_order"] {
            let solver = format!("velocity_update = \"{update}\"");
            bad_input_is_named::<D>(&dam_break::<D>(preset, spacing, "", &solver));
        }
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
fn the_memory_of_the_solver_is_named() {
    let second = "velocity_update = \"second_order\"";
    let mut sim = simulation::<2>(&dam_break::<2>("standard", 0.05, "", second));
    sim.run(10.0, 3, &mut []).expect("a healthy run");
    let id = sim.state.fluid.id[40];
    sim.solver.memory(&mut |name, memory| {
        if let ("velocity_change_y", sph_core::method::solver::Memory::Field(change)) = (name, memory) {
            change[40] = Real::NAN;
        }
    });
    let error = sim.step(10.0).expect_err("it is not finite");
    assert_eq!((error.phase, error.particle), ("predict_positions", Some(id)), "{error}");
}

#[test]
fn steps_that_are_too_long_are_found_and_leave_a_readable_state() {
    for preset in ["standard", "fluid_demo"] {
        let text = dam_break::<2>(preset, 0.05, "", "");
        a_failed_step_leaves_a_readable_state(&text);
        an_absurd_step_is_found(&text);
    }
}

#[test]
fn escapes_are_found_where_they_are() {
    for update in ["first_order", "second_order"] {
        let text = dam_break::<2>("standard", 0.05, "", &format!("velocity_update = \"{update}\""));
        an_escape_is_found_where_it_is(&text, "predict_positions");
    }
}

/// A run whose corrections are over-relaxed names that as the cause.
/// Nothing overlaps, and no wall is thin: the corrections are too large.
#[test]
fn an_over_relaxed_iteration_is_named() {
    let text = dam_break::<2>("standard", 0.02, "", "relaxation_factor = 2.0");
    let error = simulation::<2>(&text).run(10.0, 200, &mut []).expect_err("it diverges");
    assert_eq!(likely_cause(&error).name(), "unstable", "{error}");
}

#[test]
fn errors_are_lines_or_blocks() {
    an_error_is_a_line_or_a_block("standard");
}

#[test]
fn a_smoothing_kernel_that_the_method_does_not_take_is_refused() {
    for &kernel in KernelKind::ALL {
        let expected = match KERNELS.contains(&kernel) {
            true => None,
            false => Some(format!("solver.kernel = \"{kernel}\": must be cubic_spline or poly6_spiky")),
        };
        let checked = Params { kernel, ..Params::default() }.check().err();
        assert_eq!(checked.map(|error| error.to_string()), expected);
        assert_eq!(Smoothing::<3>::new(kernel, 0.1).err().map(|error| error.to_string()), expected);
    }
}
