//! Does a run say how tight its walls were, and is it judged?

use bench_suite::{
    campaign::{self, registry},
    metrics::penetration,
    result::{RunResult, Score},
    run,
    system::processor::Processor,
};
use sph_core::scene::Scene;
use std::f64::consts::TAU;

/// Penetration and number of escaped, and their verdicts.
fn numbers(scores: &[Score]) -> [(f64, Option<bool>); 2] {
    [penetration::DEEPEST, penetration::ESCAPED].map(|name| {
        let score = scores.iter().find(|score| score.name == name).unwrap();
        (score.value, score.passed)
    })
}

pub fn ran(scene: &Scene) -> RunResult {
    let options = run::Options {
        case: "walls".into(),
        variant: String::new(),
        particles_across: 0,
        processor: Processor::default(),
        pictures: Vec::new(),
        progress: None,
        started: None,
        checkpoints: None,
        interrupt: None,
        output: None,
    };
    run::run(scene, Vec::new(), None, &options).unwrap().result
}

/// A closed tank half full, with these lines in its wall, of the run and of the solver.
pub fn tank(wall: &str, run: &str, solver: &str) -> Scene {
    let text = format!(
        "spacing = 0.04\nrun.end_time = 0.3\n{run}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [0.4, 0.4] }}\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0.0, 0.0], max = [0.8, 0.8] }}\nlayers = 3\n{wall}\n\
         [solver]\n{solver}\n"
    );
    Scene::parse("tank.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const METHODS: [&str; 4] = ["wcsph", "pbf", "viscoelastic", "projection"];

/// A run whose fluid has left its walls has failed, though it came to its end.
#[test]
fn a_run_whose_fluid_has_left_has_failed() {
    let mut scenes = vec![("slow sound", tank("", "", "name = \"wcsph\"\nsound_speed = 1e-6"))];
    for method in METHODS {
        let solver = format!("name = \"{method}\"");
        scenes.push(("fast wall", tank("motion.translation = { velocity = [1000.0, 0.0] }", "", &solver)));
        let long =
            "run.time_step = 0.05\nrun.allow_unstable_time_step = true\nrun.on_failure = \"reduce_dt\"";
        scenes.push(("long steps", tank("", long, &solver)));
    }
    for (what, scene) in scenes {
        let (method, result) = (scene.solver.name().unwrap().to_owned(), ran(&scene));
        let [_, (escaped, _)] = numbers(&result.scores);
        println!("{what}, {method}: {escaped} escaped, {:?}", result.failure);
        assert!(
            result.failure.is_some() || escaped <= 0.001 * result.n_fluid as f64,
            "{what}, {method}: {escaped}"
        );
        let cause = result.failure_report.map_or(String::new(), |report| report.likely_cause_name);
        assert!(what != "fast wall" || cause == "wall_too_fast", "{method}: {cause}");
        assert!(what != "slow sound" || cause == "sound_too_low", "{method}: {cause}");
    }
}

#[test]
fn all_particles_may_leave_where_the_scene_says_so() {
    let solver = "name = \"wcsph\"\nsound_speed = 1e-6";
    let result = ran(&tank("", "run.escape_limit = 1.0", solver));
    let [_, (escaped, _)] = numbers(&result.scores);
    assert_eq!(result.failure, None);
    assert!(escaped > 0.5 * result.n_fluid as f64, "{escaped}");
    assert!(
        result.warnings.iter().any(|warning| warning.contains("have passed walls")),
        "{:?}",
        result.warnings
    );
}

/// No wall moves farther than half a spacing in a step; a fixed step in which one would is refused.
#[test]
fn moving_walls_limit_the_step() {
    let motions = [
        ("translation = { velocity = [30.0, 0.0] }", 30.0),
        ("oscillation = { amplitude = [0.01, 0.0], frequency = 500.0 }", TAU * 5.0),
        ("rotation = { center = [0.4, 0.4], angular_velocity = 50.0 }", 50.0 * 0.5 * 2.0_f64.sqrt() * 0.9),
    ];
    for method in METHODS {
        for (motion, speed) in motions {
            let solver = format!("name = \"{method}\"");
            let scene = tank(&format!("motion.{motion}"), "", &solver);
            let mut run = run::simulation::<2>(&scene, &Processor::default()).unwrap();
            let dt = run.solver.max_dt(&run.state).unwrap();
            assert!(dt * speed <= 0.5001 * 0.04, "{method} {motion}: {dt}");
            let fixed = tank(
                &format!("motion.{motion}"),
                &format!("run.time_step = {:e}", 1.2 * 0.02 / speed),
                &solver,
            );
            let refused =
                run::simulation::<2>(&fixed, &Processor::default()).map(drop).unwrap_err().to_string();
            assert!(refused.contains("run.time_step"), "{method} {motion}: {refused}");
        }
    }
}

/// Iterations that end at their limit are told, and too many that end far from the solution stop the run.
#[test]
fn steps_that_do_not_converge_are_told() {
    let limited = |limit: u32, more: &str| {
        let solver = format!("name = \"projection\"\ncg_max_iter = {limit}\n{more}");
        ran(&tank("", "", &solver))
    };
    let far = limited(1, "");
    let failure = far.failure.unwrap();
    assert!(failure.contains("no convergence after"), "{failure}");
    let near = limited(30, "cg_tolerance = 1e-12");
    assert_eq!(near.failure, None);
    assert!(near.warnings.iter().any(|warning| warning.contains("iteration limit")), "{:?}", near.warnings);
    assert_eq!(limited(1000, "").warnings, Vec::<String>::new());
}

#[test]
fn walls_hold_a_fast_drop_at_low_resolution() {
    let case = registry::case("walls/fast_drop").unwrap();
    let job = campaign::Job::new(case, &registry::VALIDATION[0], 40);
    let result = campaign::run(&job, &Processor::default(), None).unwrap();
    assert_eq!(result.failure, None);
    let [(deepest, held), (escaped, none)] = numbers(&result.scores);
    assert!(deepest <= 0.1 && held == Some(true), "{deepest}");
    assert!(escaped == 0.0 && none == Some(true), "{escaped}");
}

/// A run says when a wall does not hold.
/// A wall of one layer without contact lets the same drop in: else the monitor would measure nothing.
#[test]
fn a_wall_that_does_not_hold_is_reported() {
    let mut scene: Scene = registry::case("walls/fast_drop").unwrap().scene(40);
    scene.wall[0].layers = 1;
    scene.solver.set("wall_contact", 0.0);
    let mut result = ran(&scene);
    penetration::judge(&mut result.scores, 0.1);
    let [(deepest, held), _] = numbers(&result.scores);
    assert!(deepest > 0.1 && held == Some(false), "{deepest}");
}

#[test]
fn the_name_of_a_group_stands_for_its_cases() {
    let names = |names: &[&str]| -> Vec<&str> {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let mut names: Vec<_> =
            campaign::validation(&names, &[], &[]).unwrap().iter().map(|job| job.case.name()).collect();
        names.dedup(); // one job for each method
        names
    };
    assert_eq!(names(&["walls"]).len(), 12);
    assert_eq!(names(&["walls/plates", "column"]), ["column", "walls/plates"]);
    assert!(names(&[]).iter().all(|name| !name.starts_with("walls")));
}
