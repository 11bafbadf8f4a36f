//! A run that goes wrong stops at once and says when, where and why; it never panics.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{ALL, PRESETS, dam_break, simulation},
    solver::failing::*,
};
use sph_core::{
    method::{
        failure::{BEFORE, Cause},
        state::State,
    },
    run::simulation::Simulation,
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
    let text = dam_break::<2>("consistent", 0.05, "neighbors.backend = \"hash_grid\"", "");
    let middle = |s: &State<2>| Some(s.fluid.id[s.fluid.len() / 2]);
    is_named::<2>(&text, "position", middle, |s, bad| spoil_middle(&mut s.fluid.x[0], bad));
    is_named::<2>(&text, "velocity", middle, |s, bad| spoil_middle(&mut s.fluid.v[0], bad));
}

/// A particle keeps its last finite position and velocity, and neighbors catch nothing that is not finite.
#[test]
fn a_failed_step_leaves_a_readable_state() {
    for preset in PRESETS {
        let mut sim = simulation::<2>(&dam_break::<2>(preset, 0.05, "", ""));
        sim.run(10.0, 3, &mut []).expect("a healthy run");
        sim.fixed_dt = Some(1e30);
        let error = sim.run(1e33, 8, &mut []).expect_err("cannot go well");
        let fluid = &sim.state.fluid;
        assert!(fluid.x.iter().chain(&fluid.v).flatten().all(|x| x.is_finite()), "{error}");
    }
}

#[test]
fn an_escape_is_found_where_it_is() {
    let mut sim: Simulation<2> = simulation(&dam_break::<2>("consistent", 0.05, "", ""));
    let far = sim.state.domain.high[0];
    let id = sim.state.fluid.id[7];
    sim.state.fluid.x[0][7] = 0.9999 * far;
    sim.state.fluid.v[0][7] = 1e3;
    let error = sim.run(10.0, 40, &mut []).expect_err("it left");
    assert_eq!((error.phase, error.particle, &error.cause), ("update_positions", Some(id), &Cause::Escaped));
}

#[test]
fn a_step_size_that_is_no_number_is_named() {
    let mut sim = simulation::<2>(&dam_break::<2>("consistent", 0.05, "", ""));
    sim.fixed_dt = Some(f64::NAN);
    let error = sim.step(1.0).expect_err("it is no number");
    assert_eq!((error.phase, error.cause), (BEFORE, Cause::NotFinite { field: "dt" }));
}
