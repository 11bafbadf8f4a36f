//! A run that goes wrong stops at once and says when, where and why; it never panics.
//!
//! What goes wrong within a phase is tested in `faults.rs`.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{dam_break, simulation},
    solver::failing::*,
};
use solver_wcsph::{
    Params,
    params::{KERNELS, Smoothing},
};
use sph_core::{
    Real,
    kernel::KernelKind,
    method::{failure::Cause, state::State},
    scene::Parameters as _,
};

fn bad_input_is_named_in<const D: usize>(spacing: f64) {
    for preset in ["validation", "graphics"] {
        for integrator in ["velocity_verlet", "symplectic_euler"] {
            let text = dam_break::<D>(preset, spacing, "", &format!("integrator = \"{integrator}\""));
            let middle = |s: &State<D>| Some(s.fluid.id[s.fluid.len() / 2]);
            bad_input_is_named::<D>(&text);
            is_named::<D>(&text, "density", middle, |s, bad| spoil_middle(&mut s.fluid.rho, bad));
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
    bad_input_is_named_by_the_hash_grid("graphics");
}

#[test]
fn a_step_size_that_is_not_finite_is_named() {
    a_step_of_nan_is_named("graphics");
}

#[test]
fn the_memory_of_the_solver_is_named() {
    let mut sim = simulation::<2>(&dam_break::<2>("validation", 0.05, "", ""));
    sim.run(10.0, 3, &mut []).expect("a healthy run");
    let id = sim.state.fluid.id[40];
    sim.solver.memory(&mut |name, memory| {
        if let ("acceleration_y", sph_core::method::solver::Memory::Field(a)) = (name, memory) {
            a[40] = Real::NAN;
        }
    });
    let error = sim.step(10.0).expect_err("it is not finite");
    assert_eq!((error.phase, error.particle), ("compute_acceleration", Some(id)), "{error}");
}

#[test]
fn steps_that_are_too_long_are_found_and_leave_a_readable_state() {
    for preset in ["validation", "graphics"] {
        let text = dam_break::<2>(preset, 0.05, "", "");
        a_failed_step_leaves_a_readable_state(&text);
        an_absurd_step_is_found(&text);
    }
}

#[test]
fn escapes_are_found_where_they_are() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        let text = dam_break::<2>("validation", 0.05, "", &format!("integrator = \"{integrator}\""));
        an_escape_is_found_where_it_is(&text, "drift");
    }
}

#[test]
fn the_floor_of_the_step_is_kept() {
    let text = dam_break::<2>("validation", 0.05, "", "sound_speed = 1e9");
    let mut sim = simulation::<2>(&text);
    let error = sim.run(10.0, 8, &mut []).expect_err("sound asks for less");
    let Cause::StepTooSmall { dt, floor, limit } = error.cause else { panic!("{error}") };
    assert!(dt < floor && floor == 1e-9 && limit == "sound", "{error}");
    assert_eq!((error.step, error.phase), (0, "max_dt"));
}

#[test]
fn errors_are_lines_or_blocks() {
    an_error_is_a_line_or_a_block("validation");
}

#[test]
fn a_smoothing_kernel_that_the_method_does_not_take_is_refused() {
    let refused =
        KernelKind::Poly6.refused(&[KernelKind::CubicSpline, KernelKind::WendlandC2, KernelKind::Spiky]);
    let expected = "solver.kernel = \"poly6\": must be cubic_spline, wendland_c2 or spiky";
    assert_eq!(refused.to_string(), expected);
    for &kernel in KernelKind::ALL {
        let expected = match KERNELS.contains(&kernel) {
            true => None,
            false => Some(kernel.refused(KERNELS).to_string()),
        };
        let checked = Params { kernel, ..Params::default() }.check().err();
        assert_eq!(checked.map(|error| error.to_string()), expected);
        assert_eq!(Smoothing::<3>::new(kernel, 0.1).err().map(|error| error.to_string()), expected);
    }
}
