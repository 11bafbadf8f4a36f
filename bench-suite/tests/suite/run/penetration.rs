//! Does a run say how tight its walls were, and is it judged?

use bench_suite::{
    campaign::{self, registry},
    metrics::penetration,
    result::Score,
    run,
    system::processor::Processor,
};
use sph_core::scene::Scene;

/// Penetration and number of escaped, and their verdicts.
fn numbers(scores: &[Score]) -> [(f64, Option<bool>); 2] {
    [penetration::DEEPEST, penetration::ESCAPED].map(|name| {
        let score = scores.iter().find(|score| score.name == name).unwrap();
        (score.value, score.passed)
    })
}

#[test]
fn walls_hold_a_fast_drop_at_low_resolution() {
    let case = registry::case("walls/fast_drop").unwrap();
    let job = campaign::Job { case, variant: &registry::VALIDATION[0], n: 40 };
    let result = campaign::run(&job, &Processor::default(), None).unwrap();
    assert_eq!(result.failure, None);
    let [(deepest, held), (escaped, none)] = numbers(&result.scores);
    assert!(deepest <= 0.1 && held == Some(true), "{deepest}");
    assert!(escaped == 0.0 && none == Some(true), "{escaped}");
}

/// A wall of one layer without contact lets the same drop in: else the monitor would measure nothing.
#[test]
fn a_wall_that_does_not_hold_is_reported() {
    let mut scene: Scene = registry::case("walls/fast_drop").unwrap().scene(40);
    scene.wall[0].layers = 1;
    scene.solver.set("wall_contact", 0.0);
    let options = run::Options {
        case: "leaky".into(),
        variant: String::new(),
        particles_across: 40,
        processor: Processor::default(),
        pictures: Vec::new(),
        progress: None,
        started: None,
        checkpoints: None,
        interrupt: None,
        output: None,
    };
    let mut result = run::run(&scene, Vec::new(), None, &options).unwrap().result;
    penetration::judge(&mut result.scores, 0.1);
    let [(deepest, held), _] = numbers(&result.scores);
    assert!(deepest > 0.1 && held == Some(false), "{deepest}");
}

#[test]
fn the_name_of_a_group_stands_for_its_cases() {
    let names = |names: &[&str]| -> Vec<&str> {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let mut names: Vec<_> = campaign::validation(&names).iter().map(|job| job.case.name()).collect();
        names.dedup(); // one job for each method
        names
    };
    assert_eq!(names(&["walls"]).len(), 12);
    assert_eq!(names(&["walls/plates", "column"]), ["column", "walls/plates"]);
    assert!(names(&[]).iter().all(|name| !name.starts_with("walls")));
}
