//! What scenes say, and what they answer to those who write them wrongly.
use proptest::prelude::*;
use sph_core::Real;
use sph_core::error::Error;
use sph_core::motion::{Motion, Rotation};
use sph_core::sampling::{Face, Lattice, Side};
use sph_core::scene::{
    Container, Fluid, Hydrostatic, MassMode, PressureField, Scene, SolverSettings, TaylorGreen,
    VelocityField, Wall,
};
use sph_core::shape::{Ball, Block, Shape};

sph_core::parameters! {
    /// Parameters of a solver that only this test knows.
    pub struct Params {
        /// Courant number [Mon92].
        pub cfl: Real = 0.4, "-", "(0, 1]";
        /// Speed of sound.
        pub sound_speed: Option<Real> = None, "m/s", "(0, inf)";
        /// Number of iterations.
        pub iterations: u32 = 4, "-", "[1, 100]";
        /// Viscosity model.
        pub viscosity: Viscosity = Viscosity::Monaghan;
    }
}

/// A choice.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Viscosity {
    /// One.
    Monaghan,
    /// Another.
    Morris,
}

const DAM: &str = r#"title = "Dam break"
spacing = 0.01
mass_mode.factor = 0.8

[domain]
min = [-1.0, -1.0]
max = [3.0, 3.0]

[run]
end_time = 1
threads = 2

[[fluid]]
shape.block = { min = [0.0, 0], max = [0.5, 1.0] }
lattice = "hexagonal"
velocity.linear = { matrix = [[1, 0], [0, -1]], center = [0, 0] }
[fluid.pressure.hydrostatic]
surface = 1.0

[[wall]]
shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }
faces = ["x_min", "x_max", "y_min"]
surface_velocity = [{ face = "y_min", velocity = [1.0, 0.0] }]

[[wall]]
shape.disc = { center = [1.5, 0.5], radius = 0.1 }
side = "outside"
motion.rotation = { center = [1.5, 0.5], angular_velocity = 2.0 }

[[container]]
shape.outside.disc = { center = [1.0, 1.0], radius = 0.2 }
friction = 0.5

[solver]
name = "wcsph"
cfl = 0.3
"#;

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
    ("threads = 2", "threads = -1", (11, 11), "run.threads", Some("-1"), Some("[1, 4096]"), "whole number"),
    ("threads = 2", "threads = 0", (11, 11), "run.threads", Some("0"), Some("[1, 4096]"), "must lie"),
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

#[test]
fn a_resolved_scene_reads_back_equal() {
    let scene = Scene::parse("dam.toml", DAM).unwrap();
    let text = scene.to_toml().unwrap();
    assert_eq!(Scene::parse("again.toml", &text).unwrap(), scene);
    for default in ["rest_density = 1000.0", "gravity = [0.0, -9.81]", "offset = 0.5", "slip = \"no_slip\""] {
        assert!(text.contains(default), "{default} in\n{text}");
    }
}

#[test]
fn a_scene_made_in_code_reads_back_equal() {
    let mut scene = Scene::new(3, 0.1, 2.0);
    let block = Shape::Block(Block { min: vec![0.0; 3], max: vec![1.0, 0.5, 1.0 / 3.0] });
    let mut fluid = Fluid::new(block.clone());
    fluid.lattice = Lattice::Fcc;
    fluid.jitter = 0.1;
    fluid.seed = u32::MAX;
    fluid.velocity = VelocityField::Uniform(vec![1.0, 0.0, -1e-9]);
    fluid.pressure = PressureField::TaylorGreen(TaylorGreen { speed: 2.0, length: 0.7 });
    scene.fluid.push(fluid);
    let mut wall = Wall::new(block.clone(), Side::Inside);
    wall.faces = Some(vec![Face::ZMin]);
    let axis = vec![1.0, 1.0, 0.0];
    wall.motion = Motion::Rotation(Rotation { center: vec![0.5; 3], angular_velocity: 0.1, axis });
    scene.wall.push(wall);
    let ball = Shape::Ball(Ball { center: vec![0.5; 3], radius: 0.1 });
    scene.container.push(Container::new(Shape::Outside(Box::new(ball))));
    scene.mass_mode = MassMode::Volume;
    scene.solver = SolverSettings::named("pbf");
    scene.solver.set("iterations", 7);
    assert_eq!(scene.check(), Ok(()));
    assert_eq!(Scene::parse("code", &scene.to_toml().unwrap()).unwrap(), scene);
    scene.fluid[0].jitter = 0.7;
    assert_eq!(scene.check().unwrap_err().to_string(), "fluid[0].jitter = 0.7: must lie in [0, 0.5] [-]");
}

#[test]
fn gravity_follows_the_dimension() {
    let scene = Scene::parse("x", "dim = 3\nspacing = 0.1\nrun.end_time = 1").unwrap();
    assert_eq!(scene.gravity_vector::<3>().unwrap(), [0.0, -9.81, 0.0]);
    assert!(scene.gravity_vector::<2>().is_err());
}

#[test]
fn solvers_read_their_own_parameters() {
    let scene = Scene::parse("dam.toml", DAM).unwrap();
    assert_eq!((scene.solver.name(), scene.solver.preset()), (Some("wcsph"), None));
    let params: Params = scene.solver.parameters().unwrap();
    assert_eq!(params, Params { cfl: 0.3, ..Params::default() });
    let preset = Params { iterations: 9, cfl: 0.1, ..Params::default() };
    let over = scene.solver.parameters_over(&preset).unwrap();
    assert_eq!(over, Params { iterations: 9, cfl: 0.3, ..Params::default() });
    assert_eq!(scene.clone().solver.parameters::<Params>().unwrap(), params);
}

#[test]
fn solver_errors_name_their_place() {
    let wrong = |line: &str| {
        let scene = Scene::parse("dam.toml", &DAM.replace("cfl = 0.3", line)).unwrap();
        let params = scene.solver.parameters::<Params>();
        params.and_then(|params| params.validate("solver").map_err(|error| scene.locate(error))).unwrap_err()
    };
    assert_eq!(wrong("cfl = 1.5").to_string(), "dam.toml:36:7: solver.cfl = 1.5: must lie in (0, 1] [-]");
    let error = wrong("  iterations = -3");
    assert_eq!(
        error.to_string(),
        "dam.toml:36:16: solver.iterations = -3: must lie in [1, 100] [-]; give a whole number"
    );
    let error = wrong("cflx = 1").to_string();
    assert!(
        error.starts_with("dam.toml:36:1: solver.cflx: unknown field") && error.ends_with("`cfl`?"),
        "{error}"
    );
    let error = wrong("viscosity = \"moris\"").to_string();
    assert!(error.starts_with("dam.toml:36:13: solver.viscosity = \"moris\": unknown variant"), "{error}");
    let mut made = SolverSettings::named("wcsph");
    made.set("cfl", "fast");
    let error = made.parameters::<Params>().unwrap_err();
    assert_eq!((error.key(), error.refused_value()), (Some("solver.cfl"), Some("\"fast\"")));
}

#[test]
fn resolved_solver_parameters_are_written_out() {
    let mut scene = Scene::parse("dam.toml", DAM).unwrap();
    let params: Params = scene.solver.parameters().unwrap();
    scene.solver.resolve(&params).unwrap();
    let again = Scene::parse("again", &scene.to_toml().unwrap()).unwrap();
    assert_eq!(again.solver.parameters::<Params>().unwrap(), params);
    assert!(scene.to_toml().unwrap().contains("viscosity = \"monaghan\""));
}

#[test]
fn parameters_declare_themselves_once() {
    assert_eq!(Params::default().validate(""), Ok(()));
    let info = Params::PARAMETERS[0];
    assert_eq!((info.name, info.unit, info.range, info.default), ("cfl", "-", "(0, 1]", "0.4"));
    assert_eq!(info.doc, "Courant number [Mon92].");
    assert_eq!(Params::PARAMETERS[1].default, "auto");
    assert_eq!(Params::PARAMETERS[3].bounds(), None);
    for nonsense in [Real::NAN, Real::INFINITY, 0.0, 1.1] {
        assert!(Params { cfl: nonsense, ..Params::default() }.validate("").is_err());
        assert_eq!(Params { sound_speed: None, ..Params::default() }.validate(""), Ok(()));
    }
}

#[test]
fn the_schema_tells_editors_what_the_reader_checks() {
    let schema: serde_json::Value = serde_json::from_str(&Scene::schema()).unwrap();
    let run = &schema["$defs"]["Run"];
    assert_eq!(run["required"], serde_json::json!(["end_time"]));
    assert_eq!(run["additionalProperties"], false);
    assert_eq!(run["properties"]["end_time"]["exclusiveMinimum"], 0.0);
    assert_eq!(run["properties"]["end_time"]["x-unit"], "s");
    assert_eq!(run["properties"]["threads"]["maximum"], 4096.0);
    let density = &schema["properties"]["rest_density"];
    assert_eq!(density["default"], 1000.0);
    assert_eq!(density["description"], "Rest density `ρ_0`.");
    assert_eq!(schema["$defs"]["Fluid"]["properties"]["jitter"]["maximum"], 0.5);
    assert!(schema["$defs"]["Shape"]["oneOf"].as_array().unwrap().len() == 6);
}

#[test]
fn fields_of_velocity_and_pressure_are_those_of_the_references() {
    let vortex = TaylorGreen { speed: 1.0, length: 1.0 };
    let v = VelocityField::TaylorGreen(vortex.clone()).at(&[0.0, 0.25]);
    assert!((v[0] + 1.0).abs() < 1e-15 && v[1].abs() < 1e-15, "{v:?}");
    let p = PressureField::TaylorGreen(vortex).at(&[0.0, 0.0], 2.0, &[0.0, 0.0]);
    assert!((p + 1.0).abs() < 1e-15);
    let p = PressureField::Hydrostatic(Hydrostatic { surface: 1.0 }).at(&[0.3, 0.25], 1000.0, &[0.0, -9.81]);
    assert!((p - 1000.0 * 9.81 * 0.75).abs() < 1e-9);
    let drop = "spacing = 0.1\nrun.end_time = 1\n[[fluid]]\nshape.disc = { center = [0, 0], radius = 1 }\n\
        velocity.linear = { matrix = [[-100, 0], [0, 100]], center = [0, 0] }\n\
        pressure.strained_drop = { center = [0, 0], radius = 1, rate = -100 }";
    let scene = Scene::parse("drop", drop).unwrap();
    assert_eq!(scene.fluid[0].velocity.at(&[0.5, 0.25]), [-50.0, 25.0]);
    // p_center = ρ/2 R² A².
    assert_eq!(scene.fluid[0].pressure.at(&[0.0, 0.0], 1000.0, &[0.0, 0.0]), 5e6);
    assert_eq!(scene.fluid[0].pressure.at(&[0.6, 0.8], 1000.0, &[0.0, 0.0]), 0.0);
}

#[test]
fn particles_follow_from_the_scene() {
    let text = "spacing = 0.1\nrun.end_time = 1\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 1] }\n\
        cut = [{ disc = { center = [0.5, 0.5], radius = 0.2 } }]\nshell = 4\n\
        [[wall]]\nshape.block = { min = [0, 0], max = [1, 1] }\nfaces = [\"y_min\", \"y_max\"]\n\
        surface_velocity = [{ face = \"y_max\", velocity = [1.0, 0.0] }]";
    let scene = Scene::parse("x", text).unwrap();
    let fluid = scene.fluid[0].sample::<2>("fluid[0]", scene.spacing).unwrap();
    // Without the four sites deeper than 0.4 and the eight around them that the disc takes.
    assert_eq!(fluid.len(), 100 - 12);
    let walls = scene.wall[0].sample::<2>("wall[0]", scene.spacing).unwrap();
    assert_eq!(walls.len(), 2 * 2 * 10);
    for wall in &walls {
        let lid = wall.x[1] > 1.0;
        assert_eq!(scene.wall[0].surface_velocity_of(wall), [if lid { 1.0 } else { 0.0 }, 0.0]);
    }
}

#[test]
fn the_corners_of_a_lid_stay_at_rest() {
    let mut wall = Wall::new(Shape::Block(Block { min: vec![0.0, 0.0], max: vec![1.0, 1.0] }), Side::Inside);
    let lid = sph_core::scene::FaceVelocity { face: Some(Face::YMax), velocity: vec![1.0, 0.0] };
    wall.surface_velocity.push(lid);
    let samples = wall.sample::<2>("wall[0]", 0.02).unwrap();
    let moving: Vec<_> =
        samples.iter().filter(|wall_sample| wall.surface_velocity_of(wall_sample)[0] != 0.0).collect();
    assert_eq!(moving.len(), 2 * 50);
    assert!(moving.iter().all(|sample| sample.x[1] > 1.0 && sample.x[0] > 0.0 && sample.x[0] < 1.0));
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
