use super::cloud::Cloud;
use bench_suite::metrics::{Metric, Outcome, bounce::*};

fn run(heights: &[f64], rebounds: bool) -> Outcome {
    let mut metric = Bounce::new(Body { standing: 0.5, fall: 1.0, rebounds }, 0.1);
    for (k, height) in heights.iter().enumerate() {
        let mut cloud = Cloud::lattice(10, 10, 0.1);
        // Below its height at rest the body is pressed together.
        cloud.x[1].iter_mut().for_each(|y| {
            let place = f64::from(*y);
            let moved = if *height < 0.5 { place * height / 0.5 } else { place + height - 0.5 };
            *y = moved as sph_core::Real;
        });
        cloud.with_time(0.1 * k as f64, |view| metric.observe(view));
    }
    metric.finish()
}

#[test]
fn a_quarter_of_the_height_is_half_the_speed() {
    let scores = run(&[1.5, 1.0, 0.4, 0.3, 0.6, 0.75, 0.7], true).scores;
    assert!((scores[0].value - 0.5).abs() < 1e-6, "{:?}", scores[0]);
    assert!((scores[2].value - 2.5).abs() < 1e-5 && scores[2].passed == Some(true), "{:?}", scores[2]);
}

#[test]
fn what_stays_on_the_floor_has_no_restitution() {
    let heights = [1.5, 1.0, 0.4, 0.3, 0.2, 0.25, 0.2];
    assert_eq!(run(&heights, false).scores[0].value, 0.0);
    let passed = [true, false].map(|rebounds| run(&heights, rebounds).scores[2].passed);
    assert_eq!(passed, [Some(false), Some(true)]);
}

#[test]
fn what_never_lands_meets_no_band() {
    let scores = run(&[1.5, 1.4, 1.3], true).scores;
    assert!(scores[0].value.is_nan() && scores[2].passed == Some(false), "{scores:?}");
}
