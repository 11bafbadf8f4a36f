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
    common::{EPSILON, simulation},
    solver::bodies::*,
};
use sph_core::{method::failure::Cause, run::snapshot::Snapshot, scene::Command};

const VALIDATION: &str = "preset = \"validation\"";
const GRAPHICS: &str = "preset = \"graphics\"";
const PRESETS: [&str; 2] = [VALIDATION, GRAPHICS];

fn conserves<const D: usize>(steps: u64) {
    for preset in ["validation", "graphics"] {
        for solver in ["", "cohesion = 1.0\nadhesion = 5.0\nwall_contact = 0.5"] {
            let table = format!("preset = \"{preset}\"\nsound_speed = 20.0\n{solver}");
            let [p, l] = change::<D>(&collision::<D>(&table), steps, |_| 1.0);
            println!("{D}D {preset} {solver:?}: {:.2} {:.2} roundings", p / EPSILON, l / EPSILON);
            // Each step rounds each velocity by up to half of EPSILON, with either sign: over the 96 particles or more
            // of the block and all steps that adds up to half of √(steps/96), times EPSILON; 1.6 were measured.
            let tolerance = 4.0 * (steps as f64 / 96.0).sqrt() * EPSILON;
            assert!(p < tolerance && l < tolerance, "{D}D {preset} {solver:?}: {p:e} {l:e}");
        }
    }
}

#[test]
fn momentum_and_angular_momentum_are_conserved() {
    conserves::<2>(600);
    conserves::<3>(300);
}

#[test]
fn a_raft_of_half_the_density_settles_half_submerged() {
    for solver in PRESETS {
        let (share, tilt) = settled::<2>(0.016, solver);
        assert!((share - 0.5).abs() < 0.05, "{solver}: {share}");
        assert!(tilt.abs() < 0.05, "{solver}: it has turned by {tilt}");
    }
}

#[test]
fn slow_ones_are_warned_of() {
    slow_bodies_are_warned_of(VALIDATION);
}

#[test]
fn it_floats_in_3d() {
    let (share, _) = settled::<3>(0.04, VALIDATION);
    // It is four spacings high: half of one is an eighth of its height.
    assert!((share - 0.5).abs() < 0.125, "{share}");
}

#[test]
fn a_heavy_box_sinks_to_the_floor_and_stays() {
    sinks_to_the_floor_and_stays(VALIDATION, 0.02);
}

/// Without a fluid near it a body is moved by gravity and contacts alone; the water beside it does not shake it.
#[test]
fn a_body_on_a_dry_floor_rests() {
    let body = "shape.block = { min = [0.6, 0.0], max = [0.7, 0.1] }\ndensity = 3000.0";
    let dam = "cut = [{ half_space = { point = [0.3, 0.0], normal = [-1.0, 0.0] } }]";
    let wall =
        "[[wall]]\nshape.block = { min = [0.3, 0.0], max = [0.4, 0.8] }\nside = \"outside\"\nlayers = 3\n";
    let mut sim = simulation::<2>(&tank::<2>(0.02, body, dam, &format!("{VALIDATION}\n{wall}")));
    sim.run(0.5, u64::MAX, &mut []).expect("a healthy run");
    let body = &sim.state.bodies.list[0];
    assert_eq!(body.wrench.force, [0.0; 2]);
    assert!((body.x[0] - 0.65).abs() < 1e-5 && (body.x[1] - 0.05).abs() < 1e-4, "{:?}", body.x);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    PRESETS.iter().for_each(|solver| threads_change_no_bit(solver, [300, 60]));
}

#[test]
fn a_restart_changes_no_bit() {
    let commands = "[[command]]\nstep = 20\nmove_wall = { wall = \"paddle\", motion.translation = { velocity = [0.5, -1.0] } }\n";
    for solver in PRESETS {
        restarts::<2>(&(busy::<2>(solver, "") + commands + PULL), &[1, 7, 60, 250]);
        restarts::<3>(&busy::<3>(solver, ""), &[1, 30, 100]);
    }
    restarts::<2>(&busy::<2>(VALIDATION, "neighbors.skin = 0.005"), &[3, 40, 200]);
}

/// A run that goes back to an earlier state takes its bodies back, too.
#[test]
fn snapshots_hold_bodies() {
    let text = busy::<2>(GRAPHICS, "");
    let mut sim = simulation::<2>(&text);
    sim.run(10.0, 50, &mut []).expect("a healthy run");
    let mut snapshot = Snapshot::default();
    snapshot.take(&sim.state, &mut *sim.solver, &sim.interaction);
    sim.run(10.0, 90, &mut []).expect("a healthy run");
    let expected = sim.state.hash();
    assert!(snapshot.restore(&mut sim.state, &mut *sim.solver, &mut sim.interaction));
    sim.run(10.0, 90, &mut []).expect("a healthy run");
    assert_eq!(sim.state.hash(), expected);
}

/// Commands on walls do not act on bodies.
#[test]
fn a_wall_is_moved_by_its_name_and_a_body_is_not() {
    let mut sim = simulation::<2>(&busy::<2>(GRAPHICS, ""));
    let command = |wall: &str| {
        let motion = "motion.translation = { velocity = [1.0, 0.0] }";
        toml::from_str::<Command>(&format!("move_wall = {{ wall = \"{wall}\", {motion} }}")).unwrap()
    };
    assert!(sim.command(&command("body[1]")).is_err());
    sim.command(&command("paddle")).expect("a wall of this run");
    let before = sim.state.bodies.list.clone();
    sim.run(10.0, 1, &mut []).expect("a healthy run");
    let b = (0..sim.state.walls.len())
        .find(|&b| sim.state.walls.bodies[usize::from(sim.state.walls.body[b])].name == "paddle")
        .unwrap();
    assert_eq!(sim.state.walls.v[0][b], 1.0);
    assert!(sim.state.bodies.list[0].x != before[0].x);
}

#[test]
fn a_body_that_leaves_the_domain_ends_the_run() {
    // The tank of the scene has a lid; without it the box flies through where it was.
    let domain = "domain = { min = [-0.2, -0.2], max = [1.0, 1.2] }";
    let open = "layers = 3\nfaces = [\"x_min\", \"x_max\", \"y_min\"]\noffset = 0.7\n\n[[body]]";
    let text = busy::<2>(GRAPHICS, domain).replace("velocity = [0.8, -2.0]", "velocity = [0.0, 20.0]");
    let text = text.replace("layers = 3\noffset = 0.7\n[[body]]", open);
    let error = simulation::<2>(&text).run(10.0, u64::MAX, &mut []).expect_err("it flies off");
    assert!(matches!(&error.cause, Cause::BodyEscaped { name } if name == "body[0]"), "{error}");
    assert!(error.diagnosis.is_some_and(|d| d.likely_cause.name() == "wall_missing"));
}

/// A fast body asks for short steps before it meets the fluid.
#[test]
fn the_step_knows_the_speed_of_bodies() {
    let dt = |speed: f64| {
        let text = busy::<2>(VALIDATION, "")
            .replace("velocity = [0.8, -2.0]", &format!("velocity = [0.0, {speed:?}]"));
        let mut sim = simulation::<2>(&text);
        let state = sim.state.clone();
        sim.solver.max_dt(&state).expect("a healthy run")
    };
    // The speed limit binds: 0.4 spacings a step.
    let fast = dt(-500.0);
    assert!((fast - 0.4 * 0.02 / 500.0).abs() < 1e-6 * fast, "{fast}");
    assert!(dt(-0.1) > 10.0 * fast);
}

#[test]
fn a_pointer_takes_a_body_along() {
    a_pointer_takes_a_box_along::<2>("sound_speed = 20.0");
    a_pointer_takes_a_box_along::<3>("sound_speed = 20.0");
}
