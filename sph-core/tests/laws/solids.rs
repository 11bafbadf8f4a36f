//! Which solids may stand in the same place, and how far.
#![allow(clippy::expect_used, clippy::panic, reason = "a failure is that of the test")]

use sph_core::{
    Real,
    kernel::{CubicSpline, Formula},
    scene::{Scene, setup},
};

const SPACING: f64 = 0.02;

/// Builds a tank of 1 m by 1 m with water 0.3 m deep, and more; tells why it is refused.
fn refusal(rest: &str) -> Option<String> {
    let text = format!(
        "spacing = {SPACING}\nrun.end_time = 1.0\n[[fluid]]\nshape.block = {{ min = [0, 0], max = [1, 0.3] }}\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0, 0], max = [1, 1] }}\nlayers = 3\n{rest}"
    );
    let scene = Scene::parse("test.toml", &text).expect("no contradiction in numbers");
    let kernel = CubicSpline::<2>::new((2.0 * SPACING) as Real);
    setup::build(&scene, &kernel).err().map(|error| error.to_string())
}

/// A block from `[x, y]` of 0.2 m by 0.2 m.
fn block(x: f64, y: f64) -> String {
    format!("shape.block = {{ min = [{x:?}, {y:?}], max = [{:?}, {:?}] }}\n", x + 0.2, y + 0.2)
}

fn obstacle(x: f64, y: f64, rest: &str) -> String {
    format!("[[wall]]\nside = \"outside\"\n{}{rest}\n", block(x, y))
}

fn refused(rest: &str, parts: &[&str]) {
    let error = refusal(rest).unwrap_or_else(|| panic!("accepted:\n{rest}"));
    assert!(parts.iter().all(|part| error.contains(part)), "{error}\nof\n{rest}");
}

fn accepted(rest: &str) {
    assert_eq!(refusal(rest), None, "{rest}");
}

const TURNS: &str = "motion.rotation = { center = [0.4, 0.6], angular_velocity = 1.0 }";
const MOVES: &str = "motion.translation = { velocity = [0.1, 0.0] }";

#[test]
fn a_wall_that_lies_wholly_in_another_is_refused() {
    let tank = "[[wall]]\nshape.block = { min = [0, 0], max = [1, 1] }\n";
    refused(
        tank,
        &["wall[1].shape: lies wholly in the wall `tank` (wall[0].shape)", "leave one of them out"],
    );
    refused(&format!("{tank}layers = 3\noffset = 0.0"), &["lies wholly in the wall `tank`"]);
    refused(&format!("{tank}faces = [\"y_max\"]"), &["wall[1].shape: lies wholly in the wall `tank`"]);
    let twice = obstacle(0.3, 0.5, "") + &obstacle(0.3, 0.5, "");
    refused(&twice, &["wall[2].shape: lies wholly in the wall `wall[1]` (wall[1].shape)"]);
}

#[test]
fn parts_of_one_obstacle_and_obstacles_at_the_tank_may_cross() {
    for motion in ["", TURNS] {
        accepted(&(obstacle(0.3, 0.5, motion) + &obstacle(0.4, 0.6, motion)));
    }
    accepted(&obstacle(0.9, 0.6, ""));
    accepted(&obstacle(0.8, 0.6, MOVES));
    // A vessel within the tank.
    accepted("[[wall]]\nshape.block = { min = [0.3, 0.5], max = [0.7, 0.8] }\n");
}

#[test]
fn obstacles_that_move_apart_touch_but_do_not_overlap() {
    let pair = |x: f64| obstacle(0.3, 0.5, TURNS) + &obstacle(x, 0.5, MOVES);
    accepted(&pair(0.5));
    accepted(&pair(0.5 - 0.5 * SPACING));
    refused(
        &pair(0.5 - 0.6 * SPACING),
        &["wall[2].shape: reaches into the wall `wall[1]` (wall[1].shape), 0.0120 m"],
    );
    refused(&pair(0.3), &["wall[2].shape: reaches into the wall `wall[1]`"]);
}

#[test]
fn bodies_overlap_nothing_in_part_or_wholly() {
    let body = |shape: &str| format!("[[body]]\n{shape}density = 500.0\n");
    let at = |x: f64| body(&block(0.3, 0.5)) + &body(&block(x, 0.5));
    let disc = |r: f64| body(&format!("shape.disc = {{ center = [0.4, 0.6], radius = {r:?} }}\n"));
    accepted(&at(0.5));
    accepted(&at(0.5 - 0.45 * SPACING));
    let into = "body[1].shape: reaches into the body `body[0]` (body[0].shape)";
    // In part, in part along one axis only, and wholly.
    for x in [0.5 - 0.6 * SPACING, 0.4, 0.3 + 0.1 * SPACING, 0.3] {
        refused(&at(x), &[into, "half a spacing is allowed; move one of them"]);
    }
    refused(&(disc(0.1) + &disc(0.1)), &[into, "0.2000 m deep"]);
    refused(&(disc(0.1) + &disc(0.05)), &[into]);
    refused(&(disc(0.05) + &disc(0.1)), &["reaches into the body"]);
    for rest in ["", MOVES] {
        let text = obstacle(0.3, 0.5, rest) + &body(&block(0.3, 0.5));
        refused(&text, &["body[0].shape: reaches into the wall `wall[1]` (wall[1].shape), 0.2000 m deep"]);
        // The obstacle within the body, of whose surface no point is in it.
        refused(&(obstacle(0.3, 0.5, rest) + &disc(0.3)), &["reaches into the"]);
    }
    refused(&body(&block(1.3, 0.5)), &["body[0].shape: reaches into the wall `tank`"]);
    accepted(&body(&block(0.8, 0.8)));
    let hollow = "[[container]]\nshape.outside.disc = { center = [0.4, 0.6], radius = 0.1 }\n";
    refused(
        &(hollow.to_owned() + &disc(0.1)),
        &["reaches into the wall `container[0]` (container[0].shape)"],
    );
}
