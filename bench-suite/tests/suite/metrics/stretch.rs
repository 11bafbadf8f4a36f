use super::cloud::Cloud;
use bench_suite::{
    metrics::{Metric, Outcome, stretch::*},
    result::Band,
};

const BARS: Bars = Bars {
    between: 1.0,
    stretch: 0.2,
    release: 1.0,
    rest: 2.0,
    set: 0.0,
    source: "",
    band: Some(Band { of: bench_suite::result::Judged::Value, low: Some(-0.01), high: Some(0.01) }),
};

/// A bar above, and one below that is longer by `elongation`.
fn bars(elongation: f64) -> Cloud {
    let mut cloud = Cloud::lattice(20, 5, 0.1);
    let factor = 1.0 + elongation;
    cloud.x[0].iter_mut().for_each(|x| *x *= factor as sph_core::Real);
    for k in 0..100 {
        cloud.push((f64::from(k % 20) + 0.5) * 0.1, 2.05 + 0.1 * f64::from(k / 20));
    }
    cloud
}

fn run(elongations: [f64; 3]) -> Outcome {
    let mut metric = Stretch::new(BARS, 0.5);
    for (t, elongation) in [0.75, 2.5, 3.0].into_iter().zip(elongations) {
        bars(elongation).with_time(t, |view| metric.observe(view));
    }
    metric.finish()
}

#[test]
fn what_stays_is_the_mean_after_rest_and_is_judged() {
    let outcome = run([0.2, 0.05, 0.03]);
    let set = &outcome.scores[0];
    assert!((set.value - 0.04).abs() < 1e-3 && set.passed == Some(false), "{set:?}");
    assert!((set.error.unwrap() - 0.2).abs() < 5e-3, "{set:?}");
    assert!((outcome.scores[1].value - 0.2).abs() < 1e-3, "{:?}", outcome.scores[1]);
    assert_eq!(run([0.2, 0.001, -0.001]).scores[0].passed, Some(true));
}
