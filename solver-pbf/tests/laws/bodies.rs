//! Dynamic bodies: what they and the fluid give to each other, and where they come to rest.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::{self, EPSILON, simulation},
    solver::bodies::*,
};
use sph_core::{method::stopwatch::NoClock, numerics::lane::Isa, scene::Command};

/// Parameters that decide what bodies get from the fluid.
const EXCHANGES: [&str; 4] = [
    "",
    "relaxation_factor = 0.5\nsubsteps = 1",
    "adhesion = 5.0",
    "kernel = \"poly6_spiky\"\nadhesion = 5.0\ncohesion = 0.0",
];

fn conserves<const D: usize>(steps: u64) {
    for solver in EXCHANGES {
        let table = format!("dt_max = 0.01\n{solver}");
        let [change, _] = change::<D>(&collision::<D>(&table), steps, |_| 1.0);
        println!("{D}D {solver:?}: {:.1} roundings", change / EPSILON);
        // Positions of half a meter are rounded by up to EPSILON/8 in each of four iterations of 5 ms: each adds up to
        // 25 EPSILON to a velocity. Over 96 particles or more and all iterations this comes to 60 EPSILON, rms.
        assert!(change < 200.0 * EPSILON, "{D}D {solver:?}: {change:e}");
    }
}

#[test]
fn momentum_of_fluid_and_bodies_is_conserved() {
    conserves::<2>(60);
    conserves::<3>(40);
}

#[test]
fn a_raft_of_half_the_density_settles_half_submerged() {
    for solver in ["preset = \"standard\"", "preset = \"accurate\"", "preset = \"fluid_demo\""] {
        let (share, tilt) = settled::<2>(0.016, solver);
        assert!((share - 0.5).abs() < 0.05, "{solver}: {share}");
        assert!(tilt.abs() < 0.05, "{solver}: it has turned by {tilt}");
    }
}

#[test]
fn in_3d_it_floats_too() {
    let (share, _) = settled::<3>(0.04, "");
    // It is four spacings high: half of one is an eighth of its height.
    assert!((share - 0.5).abs() < 0.125, "{share}");
}

#[test]
fn a_heavy_box_sinks_to_the_floor_and_stays() {
    // What gravity adds in a substep of 1/120 s is 0.08 m/s.
    sinks_to_the_floor_and_stays("", 0.08);
}

const TABLES: [&str; 2] = ["", "preset = \"fluid_demo\"\nadhesion = 1.0"];

#[test]
fn the_number_of_threads_changes_no_bit() {
    TABLES.iter().for_each(|solver| threads_change_no_bit(solver, [120, 40]));
}

#[test]
fn a_restart_changes_no_bit() {
    let commands = "[[command]]\nstep = 20\nmove_wall = { wall = \"paddle\", motion.translation = { velocity = [0.5, -1.0] } }\n";
    for solver in TABLES {
        restarts::<2>(&(busy::<2>(solver, "") + commands + PULL), &[1, 7, 60, 200]);
        restarts::<3>(&busy::<3>(solver, ""), &[1, 30]);
    }
}

/// A fast body asks for short steps before it meets the fluid.
#[test]
fn the_step_knows_the_speed_of_bodies() {
    let dt = |speed: f64| {
        let text = busy::<2>("dt_min = 0.0", "")
            .replace("velocity = [0.8, -2.0]", &format!("velocity = [0.0, {speed:?}]"));
        let mut sim = simulation::<2>(&text);
        let state = sim.state.clone();
        sim.solver.max_dt(&state).expect("a healthy run")
    };
    // The speed limit binds: 0.4 spacings in each of two substeps.
    let fast = dt(-500.0);
    assert!((fast - 2.0 * 0.4 * 0.02 / 500.0).abs() < 1e-6 * fast, "{fast}");
    assert!(dt(-0.1) > 10.0 * fast);
}

/// Its history would apply impulses again that bodies got once.
#[test]
fn the_second_order_is_refused_at_load_and_later() {
    let text = busy::<2>("velocity_update = \"second_order\"", "");
    let error = solver_pbf::simulation::<2>(&common::scene(&text), Isa::best(), Box::new(NoClock));
    let error = error.err().expect("refused").to_string();
    assert!(error.contains("velocity_update") && error.contains("bodies"), "{error}");
    let mut sim = simulation::<2>(&busy::<2>("", ""));
    let set = "set = { key = \"solver.velocity_update\", value = \"second_order\" }";
    assert!(sim.command(&toml::from_str::<Command>(set).unwrap()).is_err());
}

#[test]
fn a_pointer_takes_a_body_along() {
    a_pointer_takes_a_box_along::<2>("");
    a_pointer_takes_a_box_along::<3>("");
}
