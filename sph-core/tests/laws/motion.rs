//! Prescribed motion.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use sph_core::{geometry::motion::*, scene::Scene};
use std::{array::from_fn, f64::consts::TAU};

fn close<const D: usize>(a: &[f64; D], b: &[f64; D], tolerance: f64) {
    for k in 0..D {
        assert!((a[k] - b[k]).abs() <= tolerance, "{a:?} {b:?}");
    }
}

fn motions() -> Vec<Motion> {
    let frame = |time, x, y| Keyframe { time, velocity: vec![x, y, 0.3] };
    vec![
        Motion::Static,
        Motion::Translation(Translation { velocity: vec![1.0, -2.0, 0.5], start: 0.2, stop: Some(0.9) }),
        Motion::Oscillation(Oscillation { amplitude: vec![0.3, 0.1, 0.0], frequency: 1.7, phase: 0.4 }),
        Motion::Rotation(Rotation {
            center: vec![0.1, 0.2, 0.3],
            angular_velocity: 2.5,
            axis: vec![1.0, 2.0, -1.0],
        }),
        Motion::Piecewise(vec![frame(0.1, 0.0, 1.0), frame(0.5, 2.0, -1.0), frame(1.2, 0.0, 0.0)]),
        given("formula.displacement = [\"0.1*sin(3*t)*exp(-t/9) + 2\", \"tanh(t)^2\", \"0\"]"),
        given("formula.velocity = [\"0.1*sin(3*t)*exp(-t/9) + 2\", \"1/(1 + t)^1.5\", \"0\"]"),
        given(
            "formula = { displacement = [\"0.1*sin(3*t)\", \"0\", \"t\"], angle = \"cos(2*t)*exp(-t/9)\", center = \
             [0.1, 0.2, 0.3], axis = [1, 2, -1] }",
        ),
        given("formula = { angular_velocity = \"2*sin(3*t) + 1/(1 + t)\", center = [0.1, 0.2, 0.3] }"),
        table(
            "motion.csv",
            "x [m], t [s], z [m]\n1, 0, 0\n1.5, 0.5, 0.2\n\n# a remark\n1.2, 0.9, -1\n1, 2, 0\n",
            "",
        ),
        table(
            "turn.csv",
            "x [m], t [s], angle [rad]\n1, 0, 0.4\n1.5, 0.5, 0.2\n1.2, 0.9, -1\n1, 2, 0\n",
            ", center = [0.1, 0.2, 0.3], axis = [1, 2, -1]",
        ),
    ]
}

fn given(text: &str) -> Motion {
    toml::from_str(text).unwrap()
}

/// A motion by a table in a file, with further keys.
fn table(name: &str, text: &str, keys: &str) -> Motion {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    given(&format!("table = {{ file = {path:?}{keys} }}"))
}

/// Angles of a formula and of its derivative, of a constant speed, and displacements beside them.
#[test]
fn angles_turn_about_a_center_that_is_displaced() {
    let path = |text: &str| -> Trajectory<2> { given(text).resolve("motion").unwrap() };
    let even = path("rotation = { center = [0.5, 0.25], angular_velocity = 1.5 }");
    let as_angle = path("formula = { angle = \"1.5*t + 7\", center = [0.5, 0.25] }");
    let as_speed = path("formula = { angular_velocity = \"1.5\", center = [0.5, 0.25] }");
    let carried =
        path("formula = { angle = \"1.5*t\", displacement = [\"t^2\", \"0\"], center = [0.5, 0.25] }");
    let (x0, axis) = ([1.5, -0.75], [0.5, 0.25]);
    for t in [0.0, 0.4, 2.0, 11.0] {
        let expected = even.at(&x0, t);
        for other in [&as_angle, &as_speed] {
            let found = other.at(&x0, t);
            close(&found.x, &expected.x, 1e-13 * (1.0 + t));
            close(&found.v, &expected.v, 1e-13 * (1.0 + t));
            close(&found.a, &expected.a, 1e-13 * (1.0 + t));
            assert!((other.top_speed(&x0, t) - even.top_speed(&x0, t)).abs() < 1e-13);
        }
        let found = carried.at(&x0, t);
        close(&found.x, &[expected.x[0] + t * t, expected.x[1]], 1e-13 * (1.0 + t * t));
        close(&found.v, &[expected.v[0] + 2.0 * t, expected.v[1]], 1e-13 * (1.0 + t));
        close(&found.a, &[expected.a[0] + 2.0, expected.a[1]], 1e-13 * (1.0 + t));
        close(&carried.at(&axis, t).x, &[axis[0] + t * t, axis[1]], 1e-15 * (1.0 + t * t));
    }
    // A quarter turn about z takes x to y, in a table, too.
    let quarter: Trajectory<3> =
        table("quarter.csv", "t [s], angle [rad]\n0, 0\n1, 1.5707963267948966\n", ", center = [0, 0, 0]")
            .resolve("motion")
            .unwrap();
    close(&quarter.at(&[2.0, 0.0, 5.0], 1.0).x, &[0.0, 2.0, 5.0], 1e-15);
    let fastest = (0..1000).map(|k| quarter.at(&[2.0, 0.0, 5.0], 1e-3 * f64::from(k)).v);
    let fastest = fastest.map(|v| v.iter().map(|v| v * v).sum::<f64>().sqrt()).fold(0.0, f64::max);
    assert!((quarter.top_speed(&[2.0, 0.0, 5.0], 0.0) - fastest).abs() < 1e-12 * fastest);
}

#[test]
fn formulas_of_displacement_and_of_velocity_agree() {
    let path = |text: &str| -> Trajectory<2> { given(text).resolve("motion").unwrap() };
    let place = path("formula.displacement = [\"0.3*cos(2*t)\", \"t^3\"]");
    let speed = path("formula.velocity = [\"-0.6*sin(2*t)\", \"3*t^2\"]");
    for k in 0..400 {
        let t = 0.4 * f64::from(k);
        let (a, b) = (place.at(&[1.0, 2.0], t), speed.at(&[1.0, 2.0], t));
        // Relative to the largest, 160³ m; half of it beyond the run's end.
        close(&a.x, &b.x, 1e-13 * (1e3 + t.powi(3)));
        close(&a.v, &b.v, 1e-9 * (1.0 + t * t));
        close(&a.a, &b.a, 1e-9 * (1.0 + t));
    }
    assert!((place.top_speed(&[0.0; 2], 0.0) - 3e4).abs() < 1.0);
    let swing = path("formula.displacement = [\"0.3*sin(2*t)*exp(-t)\", \"0\"]");
    assert!((swing.top_speed(&[0.0; 2], 0.0) - 0.6).abs() < 1e-12);
    assert!(swing.top_speed(&[0.0; 2], 5.0) < 0.01);
}

/// A wall of a run that became longer moves to the last bit as that of a run that was so long from the beginning.
#[test]
fn the_length_of_a_run_changes_no_bit_of_an_integral() {
    let path = |end: f64| -> Trajectory<2> {
        let text = format!(
            "spacing = 0.1\nrun.end_time = {end:?}\n[[wall]]\nshape.block = {{ min = [0, 0], max = [1, 1] }}\n\
             motion.formula = {{ velocity = [\"sin(90*t)\", \"step(t - 0.0203)\"], part = {:?} }}\n[solver]\nname = \"wcsph\"\n",
            0.02 / 4096.0
        );
        Scene::parse("moved", &text).unwrap().wall[0].motion.resolve("motion").unwrap()
    };
    let long = path(0.06);
    for short in [path(0.02), path(0.03)] {
        for t in (0..600).map(|k| 1.1e-4 * f64::from(k)) {
            assert_eq!(short.at(&[0.3, 0.4], t), long.at(&[0.3, 0.4], t), "{t}");
        }
    }
}

#[test]
fn a_table_is_met_at_its_times_and_rests_around_them() {
    let path: Trajectory<2> =
        table("knots.csv", "t [s], x [m]\n1, 0.5\n2, 1.5\n3, 1.0\n", "").resolve("motion").unwrap();
    for (t, x) in [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0), (3.0, 0.5), (9.0, 0.5)] {
        close(&path.at(&[0.0, 7.0], t).x, &[x, 7.0], 1e-14);
    }
    let rest = [path.at(&[0.0; 2], 0.5), path.at(&[0.0; 2], 3.0)];
    assert!(rest.iter().all(|now| now.v == [0.0; 2] && now.a == [0.0; 2]));
    // The parabola through the three has (1 - 0.5)/2 m/s at the second.
    close(&path.at(&[0.0; 2], 2.0).v, &[0.25, 0.0], 1e-14);
    // Of x = t² at uneven times it is 2t.
    let square: Trajectory<2> =
        table("square.csv", "t [s], x [m]\n0, 0\n1, 1\n3, 9\n4, 16\n", "").resolve("motion").unwrap();
    close(&[square.at(&[0.0; 2], 1.0).v[0], square.at(&[0.0; 2], 3.0).v[0]], &[2.0, 6.0], 1e-13);
    let speeds = (0..3000).map(|k| path.at(&[0.0; 2], 0.001 * f64::from(k)).v[0].abs());
    let top = speeds.fold(0.0, f64::max);
    assert!((path.top_speed(&[0.0; 2], 0.0) - top).abs() < 0.02 * top);
    assert_eq!(path.top_speed(&[0.0; 2], 3.5), 0.0);
}

fn refused(motion: &Motion) -> String {
    motion.resolve::<2>("wall[0].motion").unwrap_err().to_string()
}

#[test]
fn tables_that_give_no_motion_are_refused() {
    let of_table = |text: &str| refused(&table("refused.csv", text, ""));
    let file = "wall[0].motion.table.file = ";
    for (text, expected) in [
        ("", "line 1: no header"),
        ("t [s], x [mm]\n0, 0\n1, 1\n", "line 1: has a column `x [mm]`; name columns t [s], x [m]"),
        ("t [s], angle [deg]\n0, 0\n1, 1\n", "line 1: has a column `angle [deg]`; name columns t [s], x [m]"),
        ("t [s], x [m], x [m]\n", "line 1: names the column `x [m]` twice"),
        ("t [s], z [m]\n0, 0\n1, 1\n", "has a column `z [m]`, but the scene has dim = 2"),
        ("x [m]\n0\n", "has no column `t [s]`"),
        ("t [s], x [m]\n0, 0\n1, \n", "line 3: has \"\", which is no finite number"),
        ("t [s], x [m]\n0, 0\n1\n", "line 3: 1 numbers, expected 2"),
        ("t [s], x [m]\n0, 0\n1, NaN\n", "line 3: has \"NaN\", which is no finite number"),
        ("t [s], x [m]\n0, 0\n1, 1\n1, 2\n", "line 4: has the time 1 s after 1 s: times must ascend"),
        ("t [s], x [m]\n0, 0\n", "has 1 rows, and needs two"),
    ] {
        let error = of_table(text);
        assert!(error.starts_with(file) && error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn formulas_that_give_no_motion_are_refused() {
    for (text, expected) in [
        ("formula = {}", "wall[0].motion.formula.displacement"),
        ("formula.displacement = [\"0\"]", "displacement: has 1 formulas, but the scene has dim = 2"),
        ("formula.displacement = [\"x\", \"0\"]", "displacement[0] = \"x\": names `x`"),
        (
            "formula.displacement = [\"0\", \"1/(t - 50)\"]",
            "displacement[1] = \"1/(t - 50)\": has no finite velocity",
        ),
        ("formula = { displacement = [\"0\", \"0\"], velocity = [\"0\", \"0\"] }", "velocity: contradicts"),
        (
            "formula = { displacement = [\"0\", \"0\"], angular_velocity = \"1\", center = [0, 0] }",
            "angular_velocity: contradicts",
        ),
        (
            "formula.angle = \"t\"",
            "wall[0].motion.formula.center: is required but missing; angle is about it",
        ),
        ("formula = { angle = \"t\", center = [0, 0, 0] }", "formula.center"),
        ("formula = { angle = \"x\", center = [0, 0] }", "formula.angle = \"x\": names `x`"),
        (
            "formula = { angle = \"ln(t)\", center = [0, 0] }",
            "formula.angle = \"ln(t)\": has no finite velocity",
        ),
        (
            "formula = { displacement = [\"0\", \"0\"], center = [0, 0] }",
            "formula.center: is that of an angle, and there is none",
        ),
        (
            "formula = { displacement = [\"0\", \"0\"], axis = [0, 1, 0] }",
            "formula.axis: is that of an angle, and there is none",
        ),
    ] {
        let error = refused(&given(text));
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn velocity_is_the_derivative_of_place_and_acceleration_of_velocity() {
    let (dt, x0) = (1e-5, [0.7, -0.4, 0.9]);
    for motion in motions() {
        let path: Trajectory<3> = motion.resolve("motion").unwrap();
        // None of these times is a kink, and they cover every leg.
        for t in [0.05, 0.3, 0.77, 1.0, 1.5, 20.0] {
            let (before, now, after) = (path.at(&x0, t - dt), path.at(&x0, t), path.at(&x0, t + dt));
            let slope = |a: &[f64; 3], b: &[f64; 3]| from_fn(|k| (b[k] - a[k]) / (2.0 * dt));
            // Central differences: dt²/6 of the third derivative, below 400, and round-off over dt.
            close(&slope(&before.x, &after.x), &now.v, 1e-7);
            close(&slope(&before.v, &after.v), &now.a, 1e-7);
        }
    }
}

#[test]
fn everything_begins_where_it_is_drawn() {
    for motion in motions() {
        let path: Trajectory<3> = motion.resolve("motion").unwrap();
        close(&path.at(&[0.7, -0.4, 0.9], 0.0).x, &[0.7, -0.4, 0.9], 1e-15);
    }
}

#[test]
fn full_turns_return() {
    let rotation = |angular_velocity| {
        let axis = vec![0.0, 0.0, 1.0];
        Motion::Rotation(Rotation { center: vec![0.5, 0.25], angular_velocity, axis })
    };
    let path: Trajectory<2> = rotation(2.0).resolve("motion").unwrap();
    let x0 = [1.5, -0.75];
    // The time of n turns is itself rounded: n ε 2π of angle.
    for turns in [1.0, 10.0, 1e6] {
        close(&path.at(&x0, turns * TAU / 2.0).x, &x0, 4.0 * turns * TAU * f64::EPSILON);
    }
    let quarter = path.at(&x0, TAU / 8.0);
    close(&quarter.x, &[1.5, 1.25], 1e-15);
    close(&quarter.v, &[-2.0, 2.0], 4e-15);
}

#[test]
fn whole_periods_return_exactly_however_many() {
    let swing = Oscillation { amplitude: vec![1.0, 2.0], frequency: 0.5, phase: 0.3 };
    let path: Trajectory<2> = Motion::Oscillation(swing).resolve("motion").unwrap();
    assert_eq!(path.at(&[0.25, 1.0], 2e6).x, [0.25, 1.0]);
}

#[test]
fn rotation_keeps_distances_and_its_axis() {
    let path: Trajectory<3> = motions()[3].resolve("motion").unwrap();
    let (a, b) = (path.at(&[1.0, 0.0, 0.0], 3.3).x, path.at(&[0.0, 1.0, 0.5], 3.3).x);
    let distance = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    assert!((distance(&a, &b) - 1.5).abs() < 1e-14);
    let on_axis = [0.1 + 3.0, 0.2 + 6.0, 0.3 - 3.0];
    close(&path.at(&on_axis, 3.3).x, &on_axis, 1e-14);
}

#[test]
fn piecewise_motion_goes_as_far_as_its_velocity_says() {
    let path: Trajectory<3> = motions()[4].resolve("motion").unwrap();
    // Constant until 0.1, then two trapezoids, then at rest, in 2D.
    let x = 0.5 * 0.4 * 2.0 + 0.5 * 0.7 * 2.0;
    let y = 0.1 * 1.0 - 0.5 * 0.7 * 1.0;
    close(&path.at(&[0.0; 3], 1.2).x, &[x, y, 1.2 * 0.3], 1e-15);
    assert_eq!(path.at(&[0.0; 3], 5.0).v, [0.0, 0.0, 0.3]);
}

#[test]
fn contradictions_are_named() {
    let late = Motion::Translation(Translation { velocity: vec![1.0, 0.0], start: 2.0, stop: Some(1.0) });
    let error = late.resolve::<2>("wall[0].motion").unwrap_err();
    assert_eq!(error.to_string(), "wall[0].motion.translation.stop = 1: must be later than start, 2 s");
    let frame = |time| Keyframe { time, velocity: vec![0.0, 0.0] };
    let error = Motion::Piecewise(vec![frame(1.0), frame(1.0)]).resolve::<2>("m").unwrap_err();
    assert_eq!(error.key(), Some("m.piecewise[1].time"));
    let error = Motion::Piecewise(Vec::new()).resolve::<2>("m").unwrap_err();
    assert_eq!(error.key(), Some("m.piecewise"));
    let flat = Motion::Oscillation(Oscillation { amplitude: vec![1.0], frequency: 1.0, phase: 0.0 });
    assert_eq!(flat.resolve::<2>("m").unwrap_err().key(), Some("m.oscillation.amplitude"));
}
