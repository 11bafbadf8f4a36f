//! What scenes say.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests may panic as tests do.
use sph_core::{
    Real,
    geometry::{
        motion::{Motion, Rotation},
        sampling::{Face, Lattice, Side},
        shape::{Ball, Block, Shape},
    },
    scene::{
        Container, Fluid, Hydrostatic, MassMode, PressureField, Scene, SolverSettings, StandingWave,
        TaylorGreen, VelocityField, Wall,
    },
};

use crate::dam;
use dam::DAM;

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

#[test]
fn a_resolved_scene_reads_back_equal() {
    let scene = Scene::parse("dam.toml", DAM).unwrap();
    let text = scene.to_toml().unwrap();
    assert_eq!(Scene::parse("again.toml", &text).unwrap(), scene);
    for default in ["rest_density = 1000.0", "gravity = [0.0, -9.81]", "offset = 0.5", "slip = \"no_slip\""] {
        assert!(text.contains(default), "{default} in\n{text}");
    }
}

/// What only a solver can refuse is written as it stands, infinite numbers too.
#[test]
fn values_for_solvers_read_back_equal() {
    let command = "\n[[command]]\nat = 0.1\nset = { key = \"solver.cfl\", value = [1.0, -inf] }\n";
    let scene = Scene::parse("dam.toml", &(DAM.replace("cfl = 0.3", "cfl = inf") + command)).unwrap();
    assert_eq!(Scene::parse("again.toml", &scene.to_toml().unwrap()).unwrap(), scene);
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
    let scene = Scene::parse("dam.toml", &DAM.replace("cfl = 0.3", "cfl = \"fast\"")).unwrap();
    let error = scene.solver.parameters_over(&Params::default()).unwrap_err();
    assert_eq!((error.line(), error.column(), error.key()), (Some(36), Some(7), Some("solver.cfl")));
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
    assert_eq!(run["properties"]["threads"]["maximum"], 1024.0);
    let density = &schema["properties"]["rest_density"];
    assert_eq!(density["default"], 1000.0);
    assert_eq!(density["description"], "Rest density `ρ_0`; left out, that of `[water]`.");
    assert_eq!(schema["$defs"]["Fluid"]["properties"]["jitter"]["maximum"], 0.5);
    assert!(schema["$defs"]["Shape"]["oneOf"].as_array().unwrap().len() == 10);
}

#[test]
fn fields_of_velocity_and_pressure_are_those_of_the_references() {
    let vortex = TaylorGreen { speed: 1.0, length: 1.0 };
    let v = VelocityField::TaylorGreen(vortex.clone()).at(&[0.0, 0.25]);
    assert!((v[0] + 1.0).abs() < 1e-15 && v[1].abs() < 1e-15, "{v:?}");
    let p = PressureField::TaylorGreen(vortex).at(&[0.0, 0.0], 2.0, &[0.0, 0.0]);
    assert!((p + 1.0).abs() < 1e-15);
    let wave = VelocityField::StandingWave(StandingWave { speed: 0.5, length: 2.0, depth: 1.0 });
    assert!((wave.at(&[0.0, 1.0])[1] - 0.5).abs() < 1e-15 && wave.at(&[0.3, 0.0])[1] == 0.0);
    let k = std::f64::consts::PI;
    let (u, along) = (wave.at(&[0.5, 0.25])[0], -0.5 * (0.25 * k).cosh() / k.sinh());
    assert!((u - along).abs() < 1e-15, "{u} {along}");
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

/// The set-ups of `bench-suite/reference/README.md`, sections 3 to 9, coarse.
const REFERENCES: &[(&str, &str)] = &[
    (
        "dam break with obstacle",
        r#"dim = 3
spacing = 0.05
run.end_time = 6.0
gravity = [0.0, 0.0, -9.81]
[[fluid]]
shape.block = { min = [1.992, 0.0, 0.0], max = [3.22, 1.0, 0.55] }
origin = [0.0, 0.0, 0.0]
[[wall]]
shape.block = { min = [0.0, 0.0, 0.0], max = [3.22, 1.0, 1.0] }
[[wall]]
name = "obstacle"
side = "outside"
shape.block = { min = [0.6635, 0.2955, 0.0], max = [0.8245, 0.6985, 0.161] }"#,
    ),
    (
        "lid-driven cavity",
        r#"spacing = 0.02
run.end_time = 10.0
rest_density = 1.0
gravity = [0.0, 0.0]
fluid = [{ shape.block = { min = [0.0, 0.0], max = [1.0, 1.0] } }]
[[wall]]
shape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }
layers = 3
surface_velocity = [{ face = "y_max", velocity = [1.0, 0.0] }]"#,
    ),
    (
        "Taylor-Green vortex",
        r#"dim = 3
spacing = 0.19634954084936207
run.end_time = 10.0
gravity = [0.0, 0.0, 0.0]
domain = { min = [0, 0, 0], max = [6.283185307179586, 6.283185307179586, 6.283185307179586], periodic = ["x", "y", "z"] }
[[fluid]]
shape.block = { min = [0, 0, 0], max = [6.283185307179586, 6.283185307179586, 6.283185307179586] }
jitter = 0.2
velocity.taylor_green.length = 6.283185307179586
pressure.taylor_green.length = 6.283185307179586"#,
    ),
    (
        "Couette",
        r#"spacing = 2e-5
run.end_time = 1.2
gravity = [1e-4, 0.0]
domain = { min = [0.0, -1e-4], max = [5e-4, 1.1e-3], periodic = ["x"] }
fluid = [{ shape.block = { min = [0.0, 0.0], max = [5e-4, 1e-3] } }]
[[wall]]
shape.block = { min = [0.0, 0.0], max = [5e-4, 1e-3] }
faces = ["y_min", "y_max"]
surface_velocity = [{ face = "y_max", velocity = [1.25e-5, 0.0] }]"#,
    ),
    (
        "pipe",
        r#"dim = 3
spacing = 0.05
run.end_time = 1.0
gravity = [0.1, 0.0, 0.0]
domain = { min = [-0.4, -1, -1], max = [0.4, 1, 1], periodic = ["x"] }
[[fluid]]
shape.cylinder = { center = [0, 0, 0], axis = [1, 0, 0], radius = 0.5, length = 0.8 }
[[wall]]
shape.cylinder = { center = [0, 0, 0], axis = [1, 0, 0], radius = 0.5, length = 0.8 }
faces = ["side"]"#,
    ),
    (
        "hydrostatic column",
        r#"spacing = 0.05
run.end_time = 5.0
damping = { rate = 22.0, until = 1.0 }
[[fluid]]
shape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }
pressure.hydrostatic.surface = 1.0
[[wall]]
shape.block = { min = [0.0, 0.0], max = [1.0, 1.5] }
faces = ["x_min", "x_max", "y_min"]
slip = "free_slip""#,
    ),
    (
        "centrally forced drop",
        r#"dim = 3
spacing = 0.1
run.end_time = 15.0
gravity = [0.0, 0.0, 0.0]
forces.central = { center = [0.0, 0.0, 0.0], strength = 1.0 }
[[fluid]]
shape.ball = { center = [0.0, 0.0, 0.0], radius = 1.0 }
velocity.linear = { center = [0, 0, 0], matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -2]] }
pressure.strained_drop = { center = [0, 0, 0], radius = 1.0, rate = 1.0, strength = 1.0 }"#,
    ),
];

fn particles<const D: usize>(scene: &Scene) -> Vec<[f64; D]> {
    let mut points = Vec::new();
    for (i, body) in scene.fluid.iter().enumerate() {
        points.extend(body.sample::<D>(&format!("fluid[{i}]"), scene.spacing).unwrap());
    }
    for (i, body) in scene.wall.iter().enumerate() {
        let samples = body.sample::<D>(&format!("wall[{i}]"), scene.spacing).unwrap();
        points.extend(samples.iter().map(|sample| sample.x));
    }
    points
}

#[test]
fn the_set_ups_of_the_references_can_be_described() {
    for (name, text) in REFERENCES {
        let scene = Scene::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Scene::parse(name, &scene.to_toml().unwrap()).unwrap(), scene);
        let count = if scene.dim == 2 { particles::<2>(&scene).len() } else { particles::<3>(&scene).len() };
        assert!(count > 500, "{name}: {count}");
    }
}
