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
}
