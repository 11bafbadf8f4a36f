//! Dynamic bodies without fluid: free motion, contacts, and what a scene may say about them.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a failure is that of the test")]
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

use sph_core::{
    Real,
    kernel::{CubicSpline, Formula},
    method::state::State,
    rigid::Rigid,
    scene::{Scene, setup},
};

const G: f64 = 9.81;
const SPACING: f64 = 0.02;
const DT: f64 = 5e-4;

/// A scene whose fluid comes when all is over, in a tank of 1 m by 1 m (by 1 m) with an open top.
fn scene<const D: usize>(rest: &str) -> String {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let (low, high) = (z("0.0"), z("1.0"));
    let faces =
        ["\"x_min\", \"x_max\", \"y_min\"", "\"x_min\", \"x_max\", \"y_min\", \"z_min\", \"z_max\""][D - 2];
    format!(
        "dim = {D}\nspacing = {SPACING}\nrun.end_time = 10.0\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0.0, 0.0{low}], max = [1.0, 1.0{high}] }}\nfaces = [{faces}]\n\
         [[command]]\nat = 9.0\nadd.shape.block = {{ min = [0.8, 0.8{low}], max = [0.9, 0.9{high}] }}\n{rest}\n"
    )
}

fn state<const D: usize>(rest: &str) -> State<D> {
    let text = scene::<D>(rest);
    let scene = Scene::parse("test.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    setup::build(&scene, &CubicSpline::<D>::new((2.0 * SPACING) as Real))
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .state
}

/// Why a scene is refused.
fn refusal<const D: usize>(rest: &str) -> String {
    let text = scene::<D>(rest);
    let built = Scene::parse("test.toml", &text)
        .and_then(|scene| setup::build(&scene, &CubicSpline::<D>::new((2.0 * SPACING) as Real)));
    built.err().unwrap_or_else(|| panic!("accepted\n{text}")).to_string()
}

/// Steps as symplectic Euler does them, with the walls at the end of each.
fn go<const D: usize>(state: &mut State<D>, seconds: f64, mut look: impl FnMut(&State<D>)) {
    for _ in 0..(seconds / DT).round() as u64 {
        state.bodies.kick(&state.forces, DT, 1.0);
        state.bodies.drift(&mut state.walls, state.t, SPACING, DT);
        state.t += DT;
        state.step += 1;
        state.walls.move_to(state.t);
        look(state);
    }
}

fn only<const D: usize>(state: &State<D>) -> &Rigid<D> {
    &state.bodies.list[0]
}

fn norm<const N: usize>(x: &[f64; N]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn block<const D: usize>(x: [f64; 2], y: [f64; 2]) -> String {
    let z = |z: &str| if D == 3 { format!(", {z}") } else { String::new() };
    let corner = |k: usize, depth: &str| format!("[{:?}, {:?}{}]", x[k], y[k], z(depth));
    format!("shape.block = {{ min = {}, max = {} }}", corner(0, "0.4"), corner(1, "0.6"))
}

fn falls_and_rests<const D: usize>() {
    let body = format!("[[body]]\n{}\ndensity = 700.0", block::<D>([0.3, 0.5], [0.2, 0.4]));
    let mut state = state::<D>(&body);
    // Until it meets the floor 0.2 m below, the fall is the one of the integrator.
    go(&mut state, 0.19, |_| ());
    let expected = 0.3 - 0.5 * G * 0.19 * (0.19 + DT);
    // Gravity is a number of the run's precision.
    assert!((only(&state).x[1] - expected).abs() < 1e-7, "{} {expected}", only(&state).x[1]);
    go(&mut state, 0.6, |_| ());
    go(&mut state, 0.4, |state| {
        let body = only(state);
        // An overlap of up to a hundredth of a spacing; the step's own gravity stands in the velocity for a moment.
        assert!((body.x[1] - 0.1).abs() < 0.01 * SPACING, "{D}D: {:?}", body.x);
        // The blow of the floor, at 2 m/s, comes from its corners in turn and pushes it aside (measured, 0.045).
        assert!((body.x[0] - 0.4).abs() < 0.1 * SPACING, "{D}D: {:?}", body.x);
        assert!(norm(&body.velocity()) < G * DT, "{D}D: {:?}", body.velocity());
        assert!(norm(&body.angular_velocity()) < 1e-3, "{D}D: {:?}", body.angular_velocity());
    });
}

#[test]
fn a_box_falls_and_rests_on_the_floor() {
    falls_and_rests::<2>();
    falls_and_rests::<3>();
}

#[test]
fn boxes_stand_on_each_other() {
    let lower = block::<2>([0.3, 0.5], [0.0, 0.2]);
    let upper = block::<2>([0.35, 0.5], [0.2, 0.35]);
    let mut state =
        state::<2>(&format!("[[body]]\n{lower}\ndensity = 500.0\n[[body]]\n{upper}\ndensity = 2000.0"));
    go(&mut state, 1.0, |_| ());
    let [lower, upper] = [0, 1].map(|k| state.bodies.list[k].x[1]);
    assert!(
        (lower - 0.1).abs() < 0.02 * SPACING && (upper - 0.275).abs() < 0.04 * SPACING,
        "{lower} {upper}"
    );
}

#[test]
fn a_ball_bounces_with_its_restitution() {
    for restitution in [0.0, 0.5, 0.9] {
        let ball = "shape.ball = { center = [0.5, 0.4], radius = 0.1 }\ndensity = 700.0\nfriction = 0.0";
        let mut state = state::<2>(&format!("[[body]]\n{ball}\nrestitution = {restitution}"));
        let (mut fall, mut rise) = (0.0_f64, 0.0_f64);
        go(&mut state, 0.35, |state| {
            let v = only(state).velocity()[1];
            (fall, rise) = (fall.max(-v), rise.max(v));
        });
        assert!((fall - (2.0 * G * 0.3_f64).sqrt()).abs() < 2.0 * G * DT, "{fall}");
        // The bounce happens within a step, whose gravity is not his.
        assert!((rise - restitution * fall).abs() < 2.0 * G * DT, "{restitution}: {rise} of {fall}");
    }
}

#[test]
fn friction_brakes_a_sliding_box() {
    let sliding = |friction: f64| {
        let body = format!(
            "[[body]]\n{}\ndensity = 700.0\nvelocity = [1.0, 0.0]\nfriction = {friction}\nfixed = [\"rotation\"]",
            block::<2>([0.1, 0.3], [0.0, 0.2])
        );
        let mut state = state::<2>(&body);
        go(&mut state, 0.2, |_| ());
        only(&state).velocity()[0]
    };
    assert!((sliding(0.0) - 1.0).abs() < 1e-6, "{}", sliding(0.0));
    let expected = 1.0 - 0.3 * G * 0.2;
    assert!((sliding(0.3) - expected).abs() < 0.05 * (1.0 - expected), "{} {expected}", sliding(0.3));
}

#[test]
fn bodies_that_meet_keep_their_momentum() {
    let ball = |x: f64, y: f64, v: f64, density: f64| {
        format!(
            "[[body]]\nshape.ball = {{ center = [{x:?}, {y:?}], radius = 0.1 }}\ndensity = {density:?}\n\
             velocity = [{v:?}, 0.0]\nrestitution = 0.7\n"
        )
    };
    let mut state = state::<2>(
        &format!("gravity = [0.0, 0.0]\n{}{}", ball(0.2, 0.5, 1.0, 300.0), ball(0.8, 0.55, -1.0, 900.0))
            .replace("gravity", "#"),
    );
    state.forces.gravity = [0.0; 2];
    let total = |state: &State<2>| -> [f64; 2] {
        std::array::from_fn(|a| state.bodies.list.iter().map(|body| body.momentum[a]).sum())
    };
    let (before, size) = (total(&state), norm(&state.bodies.list[1].momentum));
    go(&mut state, 0.35, |_| ());
    let after = total(&state);
    assert!(state.bodies.list[0].velocity()[0] < 0.0, "they have met: {:?}", state.bodies.list[0].velocity());
    let change: [f64; 2] = std::array::from_fn(|a| after[a] - before[a]);
    // Each of some contacts rounds an impulse.
    assert!(norm(&change) < 1e-13 * size, "{change:?} of {size}");
}

/// A brick spins about its middle axis, which is unstable: momenta stay, energy nearly.
#[test]
fn a_free_spin_keeps_its_angular_momentum() {
    let brick = "[[body]]\nshape.block = { min = [0.3, 0.3, 0.4], max = [0.7, 0.5, 0.5] }\ndensity = 700.0\n\
        angular_velocity = [0.1, 30.0, 0.2]";
    let mut state = state::<3>(brick);
    state.forces.gravity = [0.0; 3];
    let energy = |body: &Rigid<3>| {
        let (l, w) = (body.angular_momentum, body.angular_velocity());
        0.5 * (0..3).map(|a| l[a] * w[a]).sum::<f64>()
    };
    let (before, start) = (only(&state).clone(), energy(only(&state)));
    let mut turned = 0.0_f64;
    // Not near the walls, so that all is free.
    go(&mut state, 2.0, |state| {
        let w = only(state).rotation.inverse_rotate(&only(state).angular_velocity());
        turned = turned.max(w[0].abs().max(w[2].abs()));
        assert_eq!(only(state).angular_momentum, before.angular_momentum);
        // Second order: a turn of 0.03 rad a step.
        assert!((energy(only(state)) / start - 1.0).abs() < 1e-3, "{}", energy(only(state)) / start);
    });
    assert!(turned > 10.0, "it has tumbled: {turned}");
    assert_eq!(only(&state).x, before.x);
}

#[test]
fn what_is_fixed_does_not_move() {
    let wheel = "[[body]]\nshape.block = { min = [0.4, 0.45], max = [0.6, 0.55] }\ndensity = 700.0\n\
        angular_velocity = [5.0]\nfixed = [\"x\", \"y\"]";
    let mut state = state::<2>(wheel);
    go(&mut state, 1.0, |_| ());
    assert_eq!(only(&state).x, [0.5, 0.5]);
    assert!((only(&state).angular_velocity()[2] - 5.0).abs() < 1e-12);
    assert!((only(&state).rotation.angle() - (5.0 - 2.0 * std::f64::consts::PI)).abs() < 1e-9);
    let ball = "[[body]]\nshape.ball = { center = [0.5, 0.3], radius = 0.1 }\ndensity = 700.0\nvelocity = [1.0, 0.0]\n\
        fixed = [\"rotation\", \"y\"]";
    let mut state = self::state::<2>(ball);
    go(&mut state, 0.3, |_| ());
    assert!((only(&state).x[0] - 0.8).abs() < 1e-12 && only(&state).x[1] == 0.3, "{:?}", only(&state).x);
    go(&mut state, 0.3, |_| ());
    assert!((only(&state).x[0] - 0.9).abs() < 0.02 * SPACING, "stopped by the wall: {:?}", only(&state).x);
    assert_eq!(only(&state).angular_momentum, [0.0; 3]);
}

fn struck_points_change_their_velocity<const D: usize>(fixed: &str, is_held: [bool; 2]) {
    let v = |x: f64, y: f64| format!("[{x:?}, {y:?}{}]", if D == 3 { ", 0.3" } else { "" });
    let brick = block::<D>([0.3, 0.5], [0.3, 0.4]);
    let text = format!("[[body]]\n{brick}\ndensity = 700.0\nvelocity = {}\nfixed = {fixed}", v(0.0, -2.0));
    let body = only(&state::<D>(&text)).clone();
    for (point, change) in [([0.5, 0.4], [0.3, -0.7]), ([0.2, 0.35], [0.0, 2.0]), ([0.4, 0.35], [-1.0, 0.1])]
    {
        let at = |x: [f64; 2], z: f64| std::array::from_fn(|a| if a < 2 { x[a] } else { z });
        let (x, asked): ([f64; D], [f64; D]) = (at(point, 0.45), at(change, 0.2));
        let mut struck = body.clone();
        struck.change_velocity_at(&x, &asked);
        let (before, now) = (body.velocity_at(&x), struck.velocity_at(&x));
        for a in 0..D {
            let expected = if a == 0 && is_held[0] { 0.0 } else { asked[a] };
            assert!(
                (now[a] - before[a] - expected).abs() < 1e-12,
                "{now:?} after {before:?} at {x:?}, fixed {fixed}"
            );
        }
        let r = |a: usize| x.get(a).map_or(0.0, |x| x - body.x[a]);
        let dp = |a: usize| struck.momentum.get(a).map_or(0.0, |p| p - body.momentum[a]);
        for a in 0..3 {
            let dl = struck.angular_momentum[a] - body.angular_momentum[a];
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let expected = if is_held[1] { 0.0 } else { r(b) * dp(c) - r(c) * dp(b) };
            assert!((dl - expected).abs() < 1e-12, "{dl}, not {expected} about axis {a}, fixed {fixed}");
        }
    }
}

/// The point that is struck changes its velocity as asked, and momenta change as by one impulse there. Where nothing turns, what
/// is held stays.
#[test]
fn a_struck_point_changes_its_velocity_as_asked() {
    struck_points_change_their_velocity::<2>("[]", [false; 2]);
    struck_points_change_their_velocity::<3>("[]", [false; 2]);
    struck_points_change_their_velocity::<2>("[\"x\", \"rotation\"]", [true; 2]);
    struck_points_change_their_velocity::<3>("[\"x\", \"rotation\"]", [true; 2]);
    let wheel = "[[body]]\nshape.ball = { center = [0.5, 0.5], radius = 0.1 }\ndensity = 700.0\nfixed = [\"x\", \"y\"";
    let mut wheel = [", \"rotation\"]", "]"].map(|more| only(&state::<2>(&format!("{wheel}{more}"))).clone());
    wheel.iter_mut().for_each(|wheel| wheel.change_velocity_at(&[0.5, 0.6], &[1.0, 3.0]));
    assert_eq!(wheel.each_ref().map(|wheel| wheel.momentum), [[0.0; 2]; 2]);
    assert_eq!(wheel[0].angular_momentum, [0.0; 3]);
    assert!((wheel[1].velocity_at(&[0.5, 0.6])[0] - 1.0).abs() < 1e-12, "{:?}", wheel[1]);
}

/// A wall with a motion takes along what lies in its way.
#[test]
fn a_moving_wall_pushes() {
    let pushed = |motion: &str| {
        let paddle = format!(
            "[[wall]]\nname = \"paddle\"\nside = \"outside\"\nshape.block = {{ min = [0.1, 0.1], max = [0.2, 0.5] }}\nmotion.{motion}\n"
        );
        let ball = "[[body]]\nshape.ball = { center = [0.35, 0.45], radius = 0.1 }\ndensity = 700.0\nfixed = [\"y\"]\n";
        let mut state = state::<2>(&format!("{paddle}{ball}"));
        go(&mut state, 0.5, |_| ());
        only(&state).clone()
    };
    let ball = pushed("translation = { velocity = [0.6, 0.0] }");
    assert!((ball.x[0] - (0.2 + 0.3 + 0.1)).abs() < 0.05 * SPACING, "{:?}", ball.x);
    assert!((ball.velocity()[0] - 0.6).abs() < 0.01, "{:?}", ball.velocity());
    let ball = pushed("rotation = { center = [0.15, 0.1], angular_velocity = -2.0 }");
    assert!(ball.x[0] > 0.45 && ball.velocity()[0] > 0.3, "{:?} {:?}", ball.x, ball.velocity());
    let by_formula = pushed("formula = { angle = \"-2*t\", center = [0.15, 0.1] }");
    assert!((by_formula.x[0] - ball.x[0]).abs() < 1e-6, "{:?} {:?}", by_formula.x, ball.x);
}

fn stays_in_a_hollow<const D: usize>(shape: &str, end: f64) {
    let ball = |k: usize| {
        let z = if D == 3 { ", 0.55" } else { "" };
        let x = 0.35 + 0.25 * k as f64;
        format!("[[body]]\nshape.ball = {{ center = [{x:?}, 0.5{z}], radius = 0.1 }}\ndensity = 700.0\n")
    };
    let mut state = state::<D>(&format!("[[container]]\nshape.{shape}\n{}{}", ball(0), ball(1)));
    go(&mut state, end, |state| {
        for body in &state.bodies.list {
            let from_center: [f64; D] = std::array::from_fn(|a| body.x[a] - 0.5);
            assert!(norm(&from_center) < 0.3 + 0.4 * SPACING, "{shape}: {:?}", body.x);
        }
    });
    let lowest = state.bodies.list.iter().map(|body| body.x[1]).fold(1.0, f64::min);
    assert!(lowest < 0.3, "{shape}: nothing has fallen: {lowest}");
}

#[test]
fn hollow_containers_keep_bodies_in() {
    stays_in_a_hollow::<2>("ball = { center = [0.5, 0.5], radius = 0.4 }", 0.5);
    stays_in_a_hollow::<3>("ball = { center = [0.5, 0.5, 0.5], radius = 0.4 }", 0.3);
}

/// The engine has no memory: positions and momenta are all that a step depends on.
#[test]
fn numbers_are_all_that_a_step_depends_on() {
    let text = format!(
        "[[body]]\n{}\ndensity = 700.0\nangle = 0.4\nrestitution = 0.3\n[[body]]\n{}\ndensity = 300.0\nvelocity = [0.1, 0.0, 0.0]\n",
        block::<3>([0.3, 0.5], [0.15, 0.3]),
        block::<3>([0.35, 0.6], [0.4, 0.5]),
    );
    let (mut one, mut two) = (state::<3>(&text), state::<3>(&text));
    for _ in 0..20 {
        go(&mut one, 0.01, |_| ());
        let mut kept = Vec::new();
        one.bodies.numbers(&mut |name, number| kept.push((name.to_owned(), *number)));
        let mut kept = kept.into_iter();
        two.bodies.numbers(&mut |name, number| {
            let (same, value) = kept.next().unwrap();
            assert_eq!(same, name);
            *number = value;
        });
        (two.t, two.step) = (one.t, one.step);
        two.bodies.update_samples(&mut two.walls);
        assert_eq!(one.hash(), two.hash());
        go(&mut one, 0.01, |_| ());
        go(&mut two, 0.01, |_| ());
        assert_eq!(one.hash(), two.hash(), "at {}", one.t);
        assert_eq!(one.bodies.list, two.bodies.list);
    }
}

#[test]
fn samples_are_where_their_body_is() {
    let mut state = state::<3>(
        "[[body]]\nshape.cylinder = { center = [0.5, 0.5, 0.5], axis = [1.0, 0.0, 1.0], radius = 0.1, length = 0.3 }\n\
         density = 700.0\nangular_velocity = [1.0, 2.0, 3.0]\nvelocity = [0.3, 0.0, -0.2]",
    );
    go(&mut state, 0.1, |_| ());
    let (body, walls) = (only(&state).clone(), &state.walls);
    let (v, w) = (body.velocity(), body.angular_velocity());
    let rigid = (0..walls.len()).filter(|&b| walls.is_loaded(b));
    assert!(rigid.clone().count() > 100);
    for b in rigid {
        let x = walls.position(b).map(f64::from);
        let d: [f64; 3] = std::array::from_fn(|a| x[a] - body.x[a]);
        let depth = -body.form.region.phi(&body.inverse_transform(&x));
        assert!((0.4 * SPACING..1.6 * SPACING).contains(&depth), "{depth}");
        for a in 0..3 {
            let (i, j) = ((a + 1) % 3, (a + 2) % 3);
            let expected = v[a] + w[i] * d[j] - w[j] * d[i];
            assert!((f64::from(walls.v[a][b]) - expected).abs() < 1e-5, "{b}");
        }
    }
    // The volumes were weighed in the frame of the body: a turn changes nothing.
    assert!(walls.volume.iter().all(|volume| *volume > 0.0));
}

#[test]
fn what_cannot_be_is_refused() {
    let body = |lines: &str| format!("[[body]]\n{lines}\n");
    let brick = "shape.block = { min = [0.3, 0.1], max = [0.5, 0.3] }\ndensity = 500.0";
    for (text, expected) in [
        (body(&format!("{brick}\nmass = 3.0")), "body[0].mass = 3: contradicts density"),
        (body("shape.block = { min = [0.3, 0.1], max = [0.5, 0.3] }"), "body[0].density"),
        (
            body("shape.half_space = { point = [0.0, 0.1], normal = [0.0, 1.0] }\nmass = 1.0"),
            "is no shape of a body",
        ),
        (
            body("shape.block = { min = [0.3, 0.1], max = [0.5, 0.11] }\ndensity = 500.0"),
            "less than the spacing",
        ),
        (body(&format!("{brick}\nangular_velocity = [1.0, 2.0]")), "body[0].angular_velocity"),
        (body(&format!("{brick}\nfixed = [\"z\"]")), "body[0].fixed[0]"),
        (
            body("shape.block = { min = [0.3, -0.1], max = [0.5, 0.3] }\ndensity = 500.0"),
            "reaches into the wall `tank`",
        ),
        (body(&format!("{brick}\nangle = 0.8\n")).replace("0.1]", "0.0]"), "reaches into the wall `tank`"),
        (
            body(brick) + &body(&brick.replace("0.3, 0.1", "0.45, 0.25").replace("0.5, 0.3", "0.6, 0.4")),
            "reaches into the body",
        ),
        (
            body(brick) + "[[fluid]]\nshape.block = { min = [0.36, 0.16], max = [0.44, 0.24] }",
            "inside of the body `body[0]`",
        ),
        (
            body(brick) + "[[fluid]]\nshape.block = { min = [0.1, 0.1], max = [0.6, 0.4] }",
            "spacings from a sample",
        ),
        (
            body(brick) + "[domain]\nmin = [-0.2, -0.2]\nmax = [1.2, 1.2]\nperiodic = [\"x\"]",
            "cannot be in a scene with periodic axes",
        ),
    ] {
        let error = refusal::<2>(&text);
        assert!(error.contains(expected), "{error}\nexpected {expected}");
    }
}
