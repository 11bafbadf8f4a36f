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
    method::{
        failure::{BEFORE, Cause, StepError},
        likely_cause::LikelyCause,
        state::State,
    },
    run::simulation::Simulation,
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
    let text = dam_break::<2>("graphics", 0.05, "neighbors.backend = \"hash_grid\"", "");
    let middle = |s: &State<2>| Some(s.fluid.id[s.fluid.len() / 2]);
    is_named::<2>(&text, "position", middle, |s, bad| spoil_middle(&mut s.fluid.x[0], bad));
    is_named::<2>(&text, "velocity", middle, |s, bad| spoil_middle(&mut s.fluid.v[0], bad));
}

#[test]
fn a_step_size_that_is_nan_is_named() {
    let mut sim = simulation::<2>(&dam_break::<2>("graphics", 0.05, "", ""));
    sim.fixed_dt = Some(f64::NAN);
    let error = sim.step(1.0).expect_err("it is NaN");
    assert_eq!((error.phase, error.cause), (BEFORE, Cause::NotFinite { field: "dt" }));
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

/// A particle keeps its last finite position and velocity, and neighbors catch nothing that is not finite.
#[test]
fn a_failed_step_leaves_a_readable_state() {
    for preset in ["validation", "graphics"] {
        let mut sim = simulation::<2>(&dam_break::<2>(preset, 0.05, "", ""));
        sim.run(10.0, 3, &mut []).expect("a healthy run");
        sim.fixed_dt = Some(1e30);
        let error = sim.run(1e33, 8, &mut []).expect_err("cannot go well");
        let fluid = &sim.state.fluid;
        assert!(fluid.x.iter().chain(&fluid.v).flatten().all(|x| x.is_finite()), "{error}");
        let culprit = error.diagnosis.and_then(|d| d.culprit).expect("a culprit");
        assert!(culprit.x.iter().chain(&culprit.v).all(|x| x.is_finite()), "{culprit}");
    }
}

#[test]
fn an_absurd_step_is_found() {
    for preset in ["validation", "graphics"] {
        for dt in [1e2, 1e12, 1e30] {
            let mut sim = simulation::<2>(&dam_break::<2>(preset, 0.05, "", ""));
            sim.fixed_dt = Some(dt);
            let error = sim.run(1e33, 8, &mut []).expect_err("cannot go well");
            assert!(error.step < 8 && error.particle.is_some(), "{error}");
            assert!(likely_cause(&error).name() == "step_too_large", "{error}");
        }
    }
}

fn likely_cause(error: &StepError) -> &LikelyCause {
    &error.diagnosis.as_ref().unwrap_or_else(|| panic!("{error} is not explained")).likely_cause
}

#[test]
fn an_escape_is_found_where_it_is() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        let text = dam_break::<2>("validation", 0.05, "", &format!("integrator = \"{integrator}\""));
        let mut sim: Simulation<2> = simulation(&text);
        let far = sim.state.domain.high[0];
        let id = sim.state.fluid.id[7];
        sim.state.fluid.x[0][7] = 0.999 * far;
        sim.state.fluid.v[0][7] = 1e3;
        let error = sim.run(10.0, 8, &mut []).expect_err("it left");
        assert_eq!((error.phase, error.particle, &error.cause), ("drift", Some(id), &Cause::Escaped));
        let culprit = error.diagnosis.as_ref().and_then(|d| d.culprit.clone()).expect("a culprit");
        assert!(culprit.x[0] > f64::from(far) && (culprit.speed() - 1e3).abs() < 1.0, "{error}");
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

/// Two lines that people and machines rely on: one line stays one, and the block begins with it.
#[test]
fn an_error_is_a_line_or_a_block() {
    let mut sim = simulation::<2>(&dam_break::<2>("validation", 0.05, "", ""));
    sim.fixed_dt = Some(1.0);
    let error = sim.run(10.0, 8, &mut []).expect_err("cannot go well");
    let (line, block) = (error.line(), error.to_string());
    assert_eq!(line.lines().count(), 1);
    assert!(block.lines().count() > 3 && line.starts_with(block.lines().next().unwrap_or("-")), "{block}");
    for part in ["likely cause: too large dt", "suggested: ", "particles and ", " kg/m³"] {
        assert!(block.contains(part), "{part:?} is not in\n{block}");
    }
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
