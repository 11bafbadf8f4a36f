use super::cloud::Cloud;
use bench_suite::metrics::{
    Metric, Outcome,
    oldroyd::{OldroydB, Start},
    start_up::*,
};
use sph_core::Real;

const START: Start = Start { half_width: 0.5, force: 2.0 };
const FLOW: Flow = Flow { start: START, end: 10.0, relaxation: 1.0, case: "channel", source: "a source" };

/// A channel whose velocity is the fluid's on the center line, and a parabola with `slip` across.
fn run(fluid: &OldroydB, slip: f64) -> Outcome {
    let mut metric = StartUp::new(FLOW, 0.1);
    let mut cloud = Cloud::lattice(10, 20, 0.05);
    for k in 0..=100 {
        let t = 0.1 * f64::from(k);
        let u = fluid.velocity(&START, t);
        for i in 0..cloud.x[0].len() {
            let y = f64::from(cloud.x[1][i]) / 0.5;
            cloud.v[0][i] = (u * (slip + (1.0 - slip) * y * (2.0 - y))) as Real;
        }
        cloud.with_time(t, |view| metric.observe(view));
    }
    metric.finish()
}

#[test]
fn the_fluid_of_an_elastic_start_up_is_found_with_its_overshoot_and_slip() {
    let outcome = run(&OldroydB { viscosity: 0.25, relaxation: 1.0, solvent: 1.0 / 9.0 }, 0.1);
    let value = |name: &str| outcome.scores.iter().find(|s| s.name.contains(name)).unwrap().value;
    // The particles nearest to the center line stand 0.05 h off.
    assert!((value("viscosity") / 0.25 - 1.0).abs() < 0.02, "{:?}", outcome.scores);
    assert!((value("relaxation") - 1.0).abs() < 0.02 && (value("solvent") - 1.0 / 9.0).abs() < 0.01);
    assert!((value("overshoot") - 0.7).abs() < 0.01, "2.55 over 1.5: {:?}", outcome.scores);
    assert!((value("walls") - 0.1).abs() < 2e-3 && value("residual") < 1e-3, "{:?}", outcome.scores);
    assert!(outcome.scores.iter().all(|score| score.band.is_none()), "nothing is judged");
    assert!(outcome.scores.iter().any(|score| score.note.contains("it appears")));
    assert_eq!(outcome.fits[0].y.len(), outcome.series[0].y.len());
}

#[test]
fn a_newtonian_start_up_has_no_overshoot() {
    let outcome = run(&OldroydB { viscosity: 0.25, relaxation: 1e-4, solvent: 0.5 }, 0.0);
    assert!(
        outcome.scores.iter().any(|score| score.note.contains("does not appear")),
        "{:?}",
        outcome.scores
    );
}
