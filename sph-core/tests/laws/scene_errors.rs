//! What wrong scenes are answered.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests may panic as tests do.
use proptest::prelude::*;
use sph_core::error::Error;
use sph_core::scene::Scene;

use crate::dam;
use dam::DAM;

fn fails(text: &str) -> Error {
    Scene::parse("dam.toml", text).expect_err(text)
}

/// What is replaced in [`DAM`], by what, and the error: line, column, key, value, range, part of the message.
type Wrong = (
    &'static str,
    &'static str,
    (usize, usize),
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    &'static str,
);

const NUMBERS: &[Wrong] = &[
    ("spacing = 0.01", "spacing = -1", (2, 11), "spacing", Some("-1"), Some("(0, inf)"), "[m]"),
    ("spacing = 0.01", "spacing = nan", (2, 11), "spacing", Some("NaN"), Some("(0, inf)"), "[m]"),
    ("spacing = 0.01", "spacing = inf", (2, 11), "spacing", Some("inf"), Some("(0, inf)"), "[m]"),
    ("spacing = 0.01", "spacing = true", (2, 11), "spacing", Some("true"), Some("(0, inf)"), "give a number"),
    ("spacing = 0.01", "dim = 4\nspacing = 1", (2, 7), "dim", Some("4"), Some("[2, 3]"), "must lie"),
    ("spacing = 0.01", "dim = 300\nspacing = 1", (2, 7), "dim", Some("300"), Some("[2, 3]"), "must lie"),
    ("factor = 0.8", "factor = 3.0", (3, 20), "mass_mode.factor", Some("3"), Some("(0, 2]"), "[-]"),
    ("end_time = 1", "end_time = 0", (10, 12), "run.end_time", Some("0"), Some("(0, inf)"), "[s]"),
    ("threads = 2", "threads = -1", (11, 11), "run.threads", Some("-1"), Some("[1, 1024]"), "whole number"),
    ("threads = 2", "threads = 0", (11, 11), "run.threads", Some("0"), Some("[1, 1024]"), "must lie"),
    (
        "min = [0.0, 0]",
        "min = [0.0, \"x\"]",
        (14, 29),
        "fluid[0].shape.block.min[1]",
        Some("\"x\""),
        Some("(-inf, inf)"),
        "give a number",
    ),
    (
        "radius = 0.1 }",
        "radius = 0.0 }",
        (26, 46),
        "wall[1].shape.disc.radius",
        Some("0"),
        Some("(0, inf)"),
        "[m]",
    ),
    (
        "radius = 0.2 }",
        "radius = -2 }",
        (31, 54),
        "container[0].shape.outside.disc.radius",
        Some("-2"),
        Some("(0, inf)"),
        "[m]",
    ),
    (
        "friction = 0.5",
        "friction = 1.5",
        (32, 12),
        "container[0].friction",
        Some("1.5"),
        Some("[0, 1]"),
        "[-]",
    ),
    (
        "[[1, 0], [0, -1]]",
        "[[1, 0], [0, inf]]",
        (16, 43),
        "fluid[0].velocity.linear.matrix[1][1]",
        Some("inf"),
        Some("(-inf, inf)"),
        "[1/s]",
    ),
];

const KEYS: &[Wrong] = &[
    ("spacing = 0.01", "spcing = 0.01", (2, 1), "spcing", None, None, "did you mean `spacing`?"),
    ("spacing = 0.01\n", "", (1, 1), "spacing", None, None, "is required but missing"),
    ("end_time = 1\n", "", (9, 1), "run.end_time", None, None, "is required but missing"),
    ("threads = 2", "thread = 2", (11, 1), "run.thread", None, None, "did you mean `threads`?"),
    (
        "surface = 1.0",
        "level = 1",
        (18, 1),
        "fluid[0].pressure.hydrostatic.level",
        None,
        None,
        "expected `surface`",
    ),
    ("min = [0.0, 0], ", "", (14, 15), "fluid[0].shape.block.min", None, None, "is required but missing"),
    (
        "shape.block = { min = [0.0, 0]",
        "shape.blok = { min = [0.0, 0]",
        (14, 7),
        "fluid[0].shape.blok",
        None,
        None,
        "`block`",
    ),
    (
        "angular_velocity = 2.0",
        "speed = 2.0",
        (28, 42),
        "wall[1].motion.rotation.speed",
        None,
        None,
        "angular_velocity",
    ),
    ("title = \"Dam break\"", "spacing = 1", (2, 1), "spacing", None, None, "duplicate key"),
    ("[run]", "run = 3\n[runs]", (9, 1), "domain.run", None, None, "unknown field"),
    ("cfl = 0.3", "cfl = ", (36, 7), "", None, None, "expected"),
    ("title = \"Dam break\"", "title = \"Dam break", (1, 19), "", None, None, "expected"),
];

const CHOICES: &[Wrong] = &[
    (
        "lattice = \"hexagonal\"",
        "lattice = \"fcc\"",
        (15, 11),
        "fluid[0].lattice",
        Some("\"fcc\""),
        None,
        "does not exist in 2 dimensions",
    ),
    (
        "\"hexagonal\"",
        "\"hexagon\"",
        (15, 11),
        "fluid[0].lattice",
        Some("\"hexagon\""),
        None,
        "did you mean `hexagonal`?",
    ),
    (
        "\"y_min\"]",
        "\"z_min\"]",
        (22, 28),
        "wall[0].faces[2]",
        Some("\"z_min\""),
        None,
        "is no face of this block",
    ),
    (
        "face = \"y_min\"",
        "face = \"y_max\"",
        (23, 30),
        "wall[0].surface_velocity[0].face",
        Some("\"y_max\""),
        None,
        "is not among",
    ),
    (
        "side = \"outside\"",
        "faces = [\"x_min\"]",
        (27, 10),
        "wall[1].faces[0]",
        Some("\"x_min\""),
        None,
        "leave faces out",
    ),
    ("name = \"wcsph\"", "name = 3", (35, 8), "solver.name", Some("3"), None, "text in quotes"),
    ("mass_mode.factor = 0.8", "mass_mode = 3", (3, 13), "mass_mode", Some("3"), None, "a name in quotes"),
    (
        "mass_mode.factor = 0.8",
        "mass_mode = \"factor\"",
        (3, 13),
        "mass_mode",
        Some("\"factor\""),
        None,
        "needs a value",
    ),
    (
        "[run]\nend_time = 1\nthreads = 2",
        "[[run]]\nend_time = 1",
        (9, 1),
        "run",
        None,
        None,
        "expected a table",
    ),
];

const CONTRADICTIONS: &[Wrong] = &[
    (
        "min = [0.0, 0]",
        "min = [0.0]",
        (14, 23),
        "fluid[0].shape.block.min",
        Some("[0.0]"),
        None,
        "has 1 entries, but the scene has dim = 2",
    ),
    (
        "min = [0.0, 0]",
        "min = [0.5, 0]",
        (14, 40),
        "fluid[0].shape.block.max[0]",
        Some("0.5"),
        None,
        "must be larger",
    ),
    (
        "velocity = [1.0, 0.0]",
        "velocity = [1.0, 0.5]",
        (23, 56),
        "wall[0].surface_velocity[0].velocity[1]",
        Some("0.5"),
        None,
        "tangential to \"y_min\"",
    ),
    (
        "spacing = 0.01",
        "spacing = 0.6",
        (14, 15),
        "fluid[0].shape.block",
        None,
        None,
        "less than the spacing 0.6 m",
    ),
    ("spacing = 0.01", "spacing = 1e-5", (2, 11), "spacing", Some("0.00001"), None, "more than 5e8"),
    (
        "spacing = 0.01",
        "gravity = [0, -1, 0]\nspacing = 0.01",
        (2, 11),
        "gravity",
        Some("[0.0, -1.0, 0.0]"),
        None,
        "has 3 entries",
    ),
    (
        "spacing = 0.01",
        "gravity = [0, 0]\nspacing = 0.01",
        (18, 1),
        "fluid[0].pressure.hydrostatic",
        None,
        None,
        "needs gravity",
    ),
    (
        "faces = [\"x_min\", \"x_max\", \"y_min\"]",
        "faces = []",
        (22, 9),
        "wall[0].faces",
        Some("[]"),
        None,
        "names no face",
    ),
    (
        "side = \"outside\"",
        "side = \"outside\"\nname = \"wall[0]\"",
        (28, 8),
        "wall[1].name",
        Some("\"wall[0]\""),
        None,
        "is the name of wall[0].name, too",
    ),
    (
        "[solver]",
        "[[command]]\nemitter = { center = [2.5, 0], direction = [1, 0], radius = 0.1, speed = 1 }\n[solver]",
        (35, 22),
        "command[0].emitter.center",
        Some("[2.5, 0.0]"),
        None,
        "lies behind the wall",
    ),
    ("max = [3.0, 3.0]", "max = [3.0, 0.5]", (14, 1), "fluid[0].shape", None, None, "out of the domain"),
    (
        "max = [3.0, 3.0]",
        "max = [3.0, 3.0]\nperiodic = [\"z\"]",
        (8, 13),
        "domain.periodic[0]",
        Some("\"z\""),
        None,
        "is no axis",
    ),
    (
        "max = [3.0, 3.0]",
        "max = [3.0, 3.0]\nperiodic = [\"x\", \"x\"]",
        (8, 18),
        "domain.periodic[1]",
        Some("\"x\""),
        None,
        "twice",
    ),
    (
        "shape.disc = { center = [1.5, 0.5]",
        "shape.cylinder = { length = 1, center = [1.5, 0.5]",
        (26, 18),
        "wall[1].shape.cylinder",
        None,
        None,
        "three dimensions only",
    ),
    (
        "shape.disc = { center = [1.5, 0.5], radius = 0.1 }",
        "shape.half_space = { point = [0, 0], normal = [0, 1] }",
        (26, 20),
        "wall[1].shape.half_space",
        None,
        None,
        "has no end",
    ),
    (
        "center = [1.5, 0.5], angular",
        "center = [1.5], angular",
        (28, 30),
        "wall[1].motion.rotation.center",
        Some("[1.5]"),
        None,
        "has 1 entries",
    ),
];

#[test]
fn wrong_scenes_are_told_where_and_what() {
    for (from, to, (line, column), key, value, range, message) in
        [NUMBERS, KEYS, CHOICES, CONTRADICTIONS].into_iter().flatten()
    {
        assert!(DAM.contains(from), "{from}");
        let error = fails(&DAM.replacen(from, to, 1));
        let shown = format!("{to:?} gives: {error}");
        assert_eq!((error.line(), error.column()), (Some(*line), Some(*column)), "{shown}");
        assert_eq!(error.key().unwrap_or(""), *key, "{shown}");
        assert_eq!(error.refused_value(), *value, "{shown}");
        assert_eq!(error.allowed_range(), *range, "{shown}");
        assert!(shown.contains(message), "{shown}");
        assert!(shown.contains(&format!("dam.toml:{line}:{column}: ")), "{shown}");
    }
}

#[test]
fn walls_that_cross_a_period_hold_whole_spacings() {
    let scene = |length: f64, faces: &str| {
        format!(
            "spacing = 0.1\nrun.end_time = 1.0\ndomain = {{ min = [0, 0], max = [{length}, 1], periodic = [\"x\"] }}\n\
             [[fluid]]\nshape.block = {{ min = [0, 0], max = [0.5, 0.5] }}\n\
             [[wall]]\nshape.block = {{ min = [0, 0], max = [1, 1] }}\n{faces}"
        )
    };
    let floor = "faces = [\"y_min\"]";
    assert!(Scene::parse("x", &scene(1.0, "")).is_ok());
    assert!(Scene::parse("x", &scene(1.25, floor)).is_ok(), "ends within the period");
    assert_eq!(fails(&scene(1.05, floor)).key(), Some("domain.max[0]"), "goes on through its end");
    assert_eq!(fails(&scene(1.15, "")).key(), Some("domain.max[0]"), "layers beyond its end");
    let obstacle = "side = \"outside\"";
    let inside =
        scene(1.05, floor).replace("min = [0, 0], max = [1, 1] }", "min = [0.6, 0.6], max = [0.8, 0.8] }");
    assert!(Scene::parse("x", &inside.replace(floor, obstacle)).is_ok(), "stands within the period");
}

#[test]
fn columns_count_characters() {
    let error = fails("title = \"Wirbel über dem Grund\"; spacing = 1");
    assert_eq!((error.line(), error.column()), (Some(1), Some(32)));
}

#[test]
fn periods_hold_whole_spacings() {
    let scene = |length: f64| {
        format!(
            "spacing = 0.1\nrun.end_time = 1.0\n[domain]\nmin = [0, 0]\nmax = [{length}, 1]\nperiodic = [\"x\"]\n\
             [[fluid]]\nshape.block = {{ min = [0, 0], max = [{length}, 1] }}"
        )
    };
    assert!(Scene::parse("x", &scene(0.3)).is_ok());
    let error = fails(&scene(0.35));
    assert_eq!((error.key(), error.line(), error.column()), (Some("domain.max[0]"), Some(5), Some(8)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_refused_without_panic(text in any::<String>()) {
        let _ = Scene::parse("garbage", &text);
    }

    #[test]
    fn almost_a_scene_is_read_without_panic(
        at in 0..DAM.len(), cut in 0..40_usize, put in "[\\[\\]{}=.,\"'#0-9a-z é\n-]{0,12}"
    ) {
        let mut text = DAM.to_owned();
        let end = (at + cut).min(text.len());
        text.replace_range(at..end, &put);
        if let Err(error) = Scene::parse("almost", &text) {
            prop_assert!(error.line().is_some() && error.column().is_some(), "{}", error);
            prop_assert!(!error.message().is_empty());
        }
    }

    #[test]
    fn any_numbers_are_read_or_refused(
        spacing in any::<f64>(), x in any::<f64>(), y in any::<f64>(), n in any::<i64>()
    ) {
        let text = format!(
            "spacing = {spacing:?}\nrun.end_time = 1.0\nrun.max_steps = {n}\n[[fluid]]\nseed = {n}\n\
             shape.block = {{ min = [{x:?}, 0.0], max = [{y:?}, 1.0] }}\n[[wall]]\nlayers = {n}\n\
             shape.ball = {{ center = [{y:?}, {x:?}], radius = {x:?} }}"
        ).replace("NaN", "nan");
        if let Ok(scene) = Scene::parse("numbers", &text) {
            prop_assert_eq!(Scene::parse("again", &scene.to_toml().unwrap()).unwrap(), scene);
        }
    }
}
