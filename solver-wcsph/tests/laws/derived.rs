//! The numbers before the first step, and what is said about them.
#![allow(clippy::expect_used, clippy::panic, reason = "a failure is that of the test")]

use crate::common;

use common::{EXACT, dam_break, scene, simulation};
use sph_core::method::report::Derived;

fn derived(text: &str) -> Derived {
    let sim = simulation::<2>(text);
    sim.solver.derived(&sim.state)
}

fn constant(derived: &Derived, name: &str) -> f64 {
    let found = derived.constants.iter().find(|number| number.name.starts_with(name));
    found.expect("a constant of this name").value
}

#[test]
fn reynolds_and_mach_follow_from_what_is_printed() {
    let text = dam_break::<2>("validation", 0.05, "", "dynamic_viscosity = 2.0");
    let numbers = derived(&text);
    let (height, fall) = (0.6, (2.0 * 9.81 * 0.6_f64).sqrt());
    let near = |name: &str, expected: f64| {
        let value = constant(&numbers, name);
        assert!((value / expected - 1.0).abs() < EXACT, "{name}: {value}, not {expected}");
    };
    near("characteristic length", height);
    near("characteristic speed", fall);
    near("sound speed", 10.0 * fall);
    near("Mach", 0.1);
    near("Reynolds", fall * height / 2e-3);
    assert!(numbers.warnings.is_empty(), "{:?}", numbers.warnings);
}

#[test]
fn the_fastest_of_fluid_wall_and_fall_counts() {
    let with = |from: &str, to: &str| {
        let text = dam_break::<2>("validation", 0.05, "", "");
        constant(&derived(&text.replacen(from, to, 1)), "characteristic speed")
    };
    let fast = with("[[wall]]", "velocity.uniform = [6.0, -8.0]\n[[wall]]");
    assert!((fast - 10.0).abs() < 10.0 * EXACT, "{fast}");
    // 2π f A, whatever the phase at time 0.
    let waves =
        "layers = 3\nmotion.oscillation = { amplitude = [1.0, 0.0], frequency = 2.0, phase = 1.5707963 }";
    let wall = with("layers = 3", waves);
    assert!((wall - 4.0 * std::f64::consts::PI).abs() < 20.0 * EXACT, "{wall}");
}

#[test]
fn slow_sound_warns() {
    let warnings =
        |c: f64| derived(&dam_break::<2>("validation", 0.05, "", &format!("sound_speed = {c:?}"))).warnings;
    let fall = (2.0 * 9.81 * 0.6_f64).sqrt();
    assert!(warnings(10.01 * fall).is_empty());
    let [warning] = &warnings(5.0 * fall)[..] else { panic!("one warning") };
    assert!(warning.contains("ten times") && warning.contains("about 4 %"), "{warning}");
}

#[test]
fn a_fixed_step_above_the_limit_needs_leave() {
    let check = |extra: &str| {
        let text = dam_break::<2>("validation", 0.05, extra, "");
        scene(&text).check_time_step(&derived(&text))
    };
    let numbers = derived(&dam_break::<2>("validation", 0.05, "", ""));
    let limit = *numbers.binding().expect("limits");
    assert_eq!(limit.name, "sound");
    let step = |part: f64| format!("run.time_step = {:?}\n", part * limit.value);
    assert_eq!(check(""), Ok(()));
    assert_eq!(check(&step(1.0)), Ok(()));
    let error = check(&step(1.01)).expect_err("too large");
    assert_eq!((error.key(), error.line()), (Some("run.time_step"), Some(4)));
    assert!(error.to_string().contains("by sound"), "{error}");
    assert_eq!(check(&(step(1.01) + "run.allow_unstable_time_step = true\n")), Ok(()));
}
