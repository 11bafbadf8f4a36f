//! A run that goes wrong stops at once and says when, where and why; it never panics.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{MODES, dam_break, simulation},
    solver::failing::*,
};
use sph_core::{
    method::{
        failure::{BEFORE, Cause, StepError},
        likely_cause::LikelyCause,
        state::State,
    },
    run::simulation::Simulation,
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
    let text = dam_break::<2>("standard", 0.05, "neighbors.backend = \"hash_grid\"", "");
    let middle = |s: &State<2>| Some(s.fluid.id[s.fluid.len() / 2]);
    is_named::<2>(&text, "position", middle, |s, bad| spoil_middle(&mut s.fluid.x[0], bad));
    is_named::<2>(&text, "velocity", middle, |s, bad| spoil_middle(&mut s.fluid.v[0], bad));
}

#[test]
fn a_step_size_that_is_nan_is_named() {
    let mut sim = simulation::<2>(&dam_break::<2>("standard", 0.05, "", ""));
    sim.fixed_dt = Some(f64::NAN);
    let error = sim.step(1.0).expect_err("it is NaN");
    assert_eq!((error.phase, error.cause), (BEFORE, Cause::NotFinite { field: "dt" }));
}

/// A particle keeps its last finite position and velocity, and neighbors catch nothing that is not finite.
#[test]
fn a_failed_step_leaves_a_readable_state() {
    for mode in MODES {
        let mut sim =
            simulation::<2>(&dam_break::<2>("standard", 0.05, "", &format!("relax_mode = \"{mode}\"")));
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
    for mode in MODES {
        for dt in [1e2, 1e12, 1e30] {
            let mut sim =
                simulation::<2>(&dam_break::<2>("standard", 0.05, "", &format!("relax_mode = \"{mode}\"")));
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
    for mode in MODES {
        let text = dam_break::<2>("standard", 0.05, "", &format!("relax_mode = \"{mode}\""));
        let mut sim: Simulation<2> = simulation(&text);
        let far = sim.state.domain.high[0];
        let id = sim.state.fluid.id[7];
        sim.state.fluid.x[0][7] = 0.999 * far;
        sim.state.fluid.v[0][7] = 1e3;
        let error = sim.run(10.0, 8, &mut []).expect_err("it left");
        assert_eq!(
            (error.phase, error.particle, &error.cause),
            ("update_velocities", Some(id), &Cause::Escaped)
        );
        let culprit = error.diagnosis.as_ref().and_then(|d| d.culprit.clone()).expect("a culprit");
        assert!(culprit.x[0] > f64::from(far) && (culprit.speed() - 1e3).abs() < 1.0, "{error}");
    }
}

/// Two lines that people and machines rely on: one line stays one, and the block begins with it.
#[test]
fn an_error_is_a_line_or_a_block() {
    let mut sim = simulation::<2>(&dam_break::<2>("standard", 0.05, "", ""));
    sim.fixed_dt = Some(1.0);
    let error = sim.run(10.0, 8, &mut []).expect_err("cannot go well");
    let (line, block) = (error.line(), error.to_string());
    assert_eq!(line.lines().count(), 1);
    assert!(block.lines().count() > 3 && line.starts_with(block.lines().next().unwrap_or("-")), "{block}");
    for part in ["likely cause: too large dt", "suggested: ", "particles and ", " kg/m³"] {
        assert!(block.contains(part), "{part:?} is not in\n{block}");
    }
}
