use bench_suite::metrics::*;

/// `sin(2πx)` at every hundredth.
fn wave() -> Curve {
    let x: Vec<f64> = (0..=250).map(|k| 0.01 * f64::from(k)).collect();
    Curve { y: x.iter().map(|x| (std::f64::consts::TAU * x).sin()).collect(), x }
}

#[test]
fn a_sine_rises_once_a_period() {
    let rises = Curve { x: wave().x, y: wave().x.iter().map(|x| (6.0 * x - 1.0).sin()).collect() }.rises();
    assert!(rises.len() == 3 && (rises[0] - 1.0 / 6.0).abs() < 1e-4, "{rises:?}");
    assert!((rises[2] - rises[1] - std::f64::consts::TAU / 6.0).abs() < 1e-4, "{rises:?}");
}

#[test]
fn the_mean_over_a_period_is_that_of_the_slow_part() {
    let mut curve = wave();
    curve.x.iter().zip(&mut curve.y).for_each(|(x, y)| *y += 3.0 * x);
    // 0.99 wide: a hundred points, which are a period.
    let mean = curve.running_mean(0.991);
    assert!((mean.at(1.2) - 3.6).abs() < 0.02, "{}", mean.at(1.2));
    assert!((curve.mean(0.0..=0.991) - 3.0 * 0.495).abs() < 1e-9);
    assert!(curve.mean(9.0..=9.5).is_nan());
}

#[test]
fn the_error_of_a_shifted_curve_is_its_shift() {
    let exact = |x: f64| (std::f64::consts::TAU * x).sin() - 0.25;
    assert!((wave().rms(2.5, exact) - 0.25).abs() < 1e-12);
    let mut bent = wave();
    bent.y.iter_mut().skip(101).for_each(|y| *y += 100.0);
    assert!((bent.rms(1.0, exact) - 0.25).abs() < 1e-12, "what comes later does not count");
    assert!(wave().rms(2.6, exact).is_nan(), "a curve that ends early has no error");
    assert!(Curve::default().rms(0.0, exact).is_nan());
}
