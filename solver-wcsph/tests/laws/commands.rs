//! What commands do to a run.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{dam_break, scene, simulation};
use sph_core::{Real, run::simulation::Simulation, scene::Script};

const PADDLE: &str = "[[wall]]\nname = \"paddle\"\nshape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }\nside = \"outside\"\n\
    motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }\n";

fn go<const D: usize>(run: &mut Simulation<D>, steps: u64) {
    for _ in 0..steps {
        run.step(f64::INFINITY).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Does the commands of a script now.
fn order<const D: usize>(run: &mut Simulation<D>, text: &str, commands: &str) -> Result<(), String> {
    let script = Script::parse("live.toml", commands, &scene(text)).map_err(|error| error.to_string())?;
    script.command.iter().try_for_each(|command| run.command(command).map_err(|error| error.to_string()))
}

fn refused<const D: usize>(run: &mut Simulation<D>, text: &str, commands: &str, because: &str) {
    let before = run.state.hash();
    let error = order(run, text, commands).expect_err("a command that cannot be done");
    assert!(error.starts_with("live.toml:") && error.contains(because), "{error}");
    assert_eq!(run.state.hash(), before, "a refused command has changed the run");
    assert!(run.interaction.history().is_empty());
}

#[test]
fn an_added_body_keeps_its_distance() {
    let text = dam_break::<2>("validation", 0.05, "", PADDLE);
    let mut run = simulation::<2>(&text);
    let block = |x: f64, y: f64| {
        format!(
            "[[command]]\nadd.shape.block = {{ min = [{x:?}, {y:?}], max = [{:?}, {:?}] }}\n",
            x + 0.1,
            y + 0.1
        )
    };
    refused(&mut run, &text, &block(0.4, 0.5), "spacings from a fluid particle");
    refused(&mut run, &text, &block(1.15, 0.5), "spacings from a wall sample");
    refused(&mut run, &text, &block(1e4, 0.5), "out of the domain");
    refused(
        &mut run,
        &text,
        "[[command]]\nadd.shape.ball = { center = [0.9, 0.5], radius = 0.03 }\nadd.cut = [{ ball = { center = [0.9, 0.5], radius = 0.1 } }]",
        "no particle",
    );
    let huge = "[[command]]\nadd.shape.block = { min = [0.0, 5.0], max = [1e6, 1e6] }";
    refused(&mut run, &text, huge, "or more than");
    let (n, next) = (run.state.fluid.len(), run.state.next_id);
    order(&mut run, &text, &block(0.0, 0.7)).unwrap();
    assert_eq!((run.state.fluid.len(), run.state.next_id), (n + 4, next + 4));
    go(&mut run, 20);
    let mut ids = run.state.fluid.id.clone();
    ids.sort_unstable();
    assert_eq!(ids, (0..n as u64 + 4).collect::<Vec<_>>());
}

#[test]
fn an_added_body_falls_freely() {
    let text = dam_break::<2>("validation", 0.05, "", "");
    let mut run = simulation::<2>(&text);
    let first = run.state.next_id;
    order(&mut run, &text, "[[command]]\nadd.shape.ball = { center = [0.9, 0.7], radius = 0.1 }").unwrap();
    go(&mut run, 40);
    let (t, n) = (run.state.t, (run.state.next_id - first) as f64);
    let added = (0..run.state.fluid.len()).filter(|&i| run.state.fluid.id[i] >= first);
    let speed = added.map(|i| f64::from(run.state.fluid.v[1][i])).sum::<f64>() / n;
    assert!((speed / (-9.81 * t) - 1.0).abs() < 0.01, "{speed} after {t} s");
}

fn empty<const D: usize>(commands: &str) -> String {
    let zero = format!("{:?}", vec![0.0; D]);
    format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 10.0\ngravity = {zero}\n{commands}\n\
         [solver]\nname = \"wcsph\"\nsound_speed = 20.0\nartificial_viscosity_alpha = 0.0\n"
    )
}

#[test]
fn an_emitter_gives_speed_times_area() {
    fn check<const D: usize>(center: &str, direction: &str, layer: usize) {
        let emitter = format!(
            "[[command]]\nemitter = {{ center = {center}, direction = {direction}, radius = 0.25, speed = 2.0 }}"
        );
        let mut run = simulation::<D>(&empty::<D>(&emitter));
        assert!(run.state.fluid.is_empty());
        while run.state.t < 0.52 {
            go(&mut run, 1);
        }
        // A layer every 0.05 s, the first at once.
        let layers = (run.state.t / 0.05).floor() as usize + 1;
        let late = run.state.t - 0.05 * (layers - 1) as f64;
        assert!(late > 0.004, "the last step must have begun after the last layer was due");
        assert_eq!(run.state.fluid.len(), layers * layer);
        let emitted = run.interaction.emitters().next().unwrap().emitted;
        assert_eq!(
            (emitted.layers, emitted.particles, emitted.blocked),
            (layers as u64, (layers * layer) as u64, 0)
        );
        // The jet is the lattice: one spacing between layers, and its length that of its time.
        let far = run.state.fluid.x[0].iter().copied().fold(0.0, Real::max);
        assert!((f64::from(far) - 2.0 * run.state.t).abs() < 0.02, "{far} at {}", run.state.t);
    }
    check::<2>("[0.0, 0.0]", "[3.0, 0.0]", 5);
    // Points of a 5 x 5 lattice within two and a half spacings of its center.
    check::<3>("[0.0, 0.0, 0.0]", "[3.0, 0.0, 0.0]", 21);
}

#[test]
fn an_emitter_closes_after_its_time_or_number_or_by_name() {
    let emitter = |more: &str| {
        format!(
            "[[command]]\nemitter = {{ name = \"tap\", center = [0.0, 0.0], direction = [1.0, 0.0], radius = 0.25, speed = 2.0, {more} }}\n"
        )
    };
    for (more, commands, n) in [
        ("duration = 0.12", "", 15),
        ("limit = 12", "", 12),
        ("limit = 1000", "[[command]]\nat = 0.07\nclose = \"tap\"\n", 10),
    ] {
        let mut run = simulation::<2>(&empty::<2>(&(emitter(more) + commands)));
        while run.state.t < 0.3 {
            go(&mut run, 1);
        }
        assert_eq!(run.state.fluid.len(), n, "{more}{commands}");
        assert_eq!(run.interaction.emitters().count(), 0);
    }
}

#[test]
fn a_blocked_outlet_makes_no_overlap() {
    let slow = "[[fluid]]\nshape.block = { min = [0.3, -1.0], max = [0.8, 1.0] }\n\
        [[command]]\nemitter = { center = [0.0, 0.0], direction = [1.0, 0.0], radius = 0.25, speed = 2.0 }";
    let mut run = simulation::<2>(&empty::<2>(slow));
    // Held where it is, so that the layers must pile up.
    while run.state.t < 0.6 {
        run.state.fluid.v[0].fill(0.0);
        go(&mut run, 1);
    }
    assert!(run.interaction.emitters().next().unwrap().emitted.blocked > 0);
}

#[test]
fn a_drain_takes_what_is_inside_and_nothing_else() {
    let text = dam_break::<2>("validation", 0.05, "", "");
    let mut run = simulation::<2>(&text);
    let fluid = &run.state.fluid;
    let inside = |i: &usize| (fluid.x[0][*i] - 0.2).hypot(fluid.x[1][*i] - 0.2) <= 0.12;
    let gone: Vec<u64> = (0..fluid.len()).filter(inside).map(|i| fluid.id[i]).collect();
    let n = fluid.len();
    let drain =
        "[[command]]\ndrain = { shape.disc = { center = [0.2, 0.2], radius = 0.12 }, duration = 1e-9 }";
    order(&mut run, &text, drain).unwrap();
    go(&mut run, 2);
    assert!(gone.len() > 10 && run.interaction.drained() == gone.len() as u64);
    assert_eq!(run.state.fluid.len(), n - gone.len());
    assert!(run.state.fluid.id.iter().all(|id| !gone.contains(id)));
    go(&mut run, 50);
    assert_eq!(run.state.fluid.len(), n - gone.len(), "it closed after its time");
}

#[test]
fn all_fluid_may_leave() {
    let text = dam_break::<2>("validation", 0.05, "", "");
    let mut run = simulation::<2>(&text);
    go(&mut run, 3);
    order(&mut run, &text, "[[command]]\ndrain.shape.block = { min = [-9.0, -9.0], max = [9.0, 9.0] }")
        .unwrap();
    go(&mut run, 3);
    assert!(run.state.fluid.is_empty());
}

#[test]
fn a_pointer_drags_what_is_near_and_never_faster_than_itself() {
    let zero = "gravity = [0.0, 0.0]\n";
    let text = dam_break::<2>("validation", 0.05, zero, "sound_speed = 10.0");
    let mut run = simulation::<2>(&text);
    let push = "[[command]]\npush = { radius = 0.2, rate = 1e6, path = [{ time = 0.0, position = [0.25, 0.1] }, { time = 1.0, position = [0.25, 1.1] }] }";
    order(&mut run, &text, push).unwrap();
    go(&mut run, 1);
    let fluid = &run.state.fluid;
    for i in 0..fluid.len() {
        let r = (fluid.x[0][i] - 0.25).hypot(fluid.x[1][i] - 0.1);
        let v = fluid.v[1][i];
        if r < 0.1 {
            assert!((v - 1.0).abs() < 0.05, "{v} m/s at {r} m");
        } else if r > 0.42 {
            // Farther than its radius and what neighbors of that pass on in a step.
            assert!(v.abs() < 1e-3, "{v} m/s at {r} m");
        }
    }
    while run.state.t < 1.05 {
        go(&mut run, 1);
    }
    assert!(run.interaction.counters().pushes.is_empty(), "the pointer has come to the end of its path");
}

#[test]
fn a_wall_goes_on_from_where_it_is() {
    let text = dam_break::<2>("validation", 0.05, "", PADDLE);
    let mut run = simulation::<2>(&text);
    go(&mut run, 40);
    let paddle = |run: &Simulation<2>| {
        let walls = &run.state.walls;
        let b = (0..walls.len()).filter(|&b| walls.bodies[walls.body[b] as usize].name == "paddle");
        let b = b.min_by_key(|&b| walls.id[b]).unwrap();
        (f64::from(walls.x[0][b]), f64::from(walls.v[0][b]))
    };
    let (there, speed) = paddle(&run);
    assert!(speed.abs() > 0.1);
    let start = run.state.t;
    order(
        &mut run,
        &text,
        "[[command]]\nmove_wall = { wall = \"paddle\", motion.translation = { velocity = [-0.5, 0.0] } }",
    )
    .unwrap();
    assert!((paddle(&run).0 - there).abs() < 1e-6, "it jumped");
    go(&mut run, 30);
    let (now, speed) = paddle(&run);
    assert!((now - there + 0.5 * (run.state.t - start)).abs() < 1e-5 && (speed + 0.5).abs() < 1e-6);
    order(&mut run, &text, "[[command]]\nstop_wall = \"paddle\"").unwrap();
    go(&mut run, 30);
    assert_eq!(paddle(&run), (now, 0.0));
    refused_after(&mut run, &text);
}

fn refused_after(run: &mut Simulation<2>, text: &str) {
    let error = order(run, text, "[[command]]\nstop_wall = \"door\"").unwrap_err();
    assert!(error.contains("\"door\"") && error.contains("paddle"), "{error}");
}

#[test]
fn a_parameter_set_at_the_start_is_that_of_the_scene() {
    for (key, value, line) in [
        ("solver.artificial_viscosity_alpha", "0.4", "artificial_viscosity_alpha = 0.4"),
        ("solver.dynamic_viscosity", "5.0", "dynamic_viscosity = 5.0"),
        ("solver.sound_speed", "50.0", "sound_speed = 50.0"),
        ("solver.regularization", "\"shifting\"", "regularization = \"shifting\""),
        ("solver.cfl_sound", "0.2", "cfl_sound = 0.2"),
    ] {
        let set = format!("[[command]]\nset = {{ key = \"{key}\", value = {value} }}\n");
        let mut changed = simulation::<2>(&dam_break::<2>("validation", 0.05, "", &set));
        let mut given = simulation::<2>(&dam_break::<2>("validation", 0.05, "", line));
        let mut neither = simulation::<2>(&dam_break::<2>("validation", 0.05, "", ""));
        for run in [&mut changed, &mut given, &mut neither] {
            go(run, 30);
        }
        assert_eq!(changed.state.hash(), given.state.hash(), "{key}");
        assert_ne!(changed.state.hash(), neither.state.hash(), "{key}");
    }
}

#[test]
fn gravity_and_the_fixed_step_change() {
    let text = dam_break::<2>("validation", 0.05, "", "");
    let mut run = simulation::<2>(&text);
    order(&mut run, &text, "[[command]]\nset = { key = \"gravity\", value = [3.0, 0.0] }").unwrap();
    order(&mut run, &text, "[[command]]\nset = { key = \"run.time_step\", value = 1e-5 }").unwrap();
    go(&mut run, 2);
    assert!((run.state.t - 2e-5).abs() < 1e-12);
    assert!(run.state.fluid.v[0].iter().sum::<Real>() > 0.0);
}

#[test]
fn what_cannot_change_is_refused() {
    let text = dam_break::<2>("validation", 0.05, "", "");
    let mut run = simulation::<2>(&text);
    for (key, value, because) in [
        ("solver.kernel", "\"cubic_spline\"", "cannot change in a run"),
        ("solver.cfl_sound", "-1.0", "must lie in"),
        ("solver.nonsense", "1.0", "unknown"),
        ("spacing", "0.1", "cannot change in a run"),
        ("gravity", "[1.0]", "dim = 2"),
        ("run.time_step", "0.0", "[1e-9, inf)"),
    ] {
        let set = format!("[[command]]\nset = {{ key = \"{key}\", value = {value} }}");
        refused(&mut run, &text, &set, because);
        if key.starts_with("solver") {
            // A script of the scene is checked before the first step.
            let text = dam_break::<2>("validation", 0.05, "", &set);
            let refused = solver_wcsph::simulation::<2>(
                &scene(&text),
                sph_core::numerics::lane::Isa::best(),
                Box::new(sph_core::method::stopwatch::NoClock),
            );
            let error = refused.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with("test.toml:") && error.contains(because), "{error}");
        }
    }
}
