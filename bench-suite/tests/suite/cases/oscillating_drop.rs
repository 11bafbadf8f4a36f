use bench_suite::{cases::oscillating_drop::*, metrics::Curve, reference};

#[test]
fn period_and_amplitude_are_those_of_the_table() {
    let table = reference::table(TABLE).unwrap();
    let values = |name: &str| table.column(name).unwrap().values.clone();
    let (t, a, b) = (values("B t"), values("a/R"), values("b/R"));
    let y = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    let rises = Curve { x: t, y }.rises();
    assert!((rises[0] - PERIOD).abs() < 2e-3 && (rises[2] - 3.0 * PERIOD).abs() < 3e-3, "{rises:?}");
    let top = a.iter().copied().fold(0.0, f64::max);
    assert!(top <= a_max() && top > a_max() - 3e-3, "{top}");
}

/// A drop that has come to rest has lost all of its oscillation, and one without loss nothing.
#[test]
fn the_loss_is_that_of_the_oscillation() {
    assert!(lost(a_max()).abs() < 1e-12 && (lost(1.0) - 1.0).abs() < 1e-12);
    assert!((lost(1.0 + 0.9 * (a_max() - 1.0)) - 0.1).abs() < 1e-12);
    assert!(lost(f64::NAN).is_nan());
}
