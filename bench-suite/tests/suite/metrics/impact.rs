use bench_suite::metrics::{Curve, impact::*};

/// A record with known arrival, plateau, noise and second peak.
fn record() -> Impact {
    let expected = Expected {
        arrival: (2.5, 0.15),
        plateau: 3.3..=4.5,
        pressure: 0.55,
        second_rise: 5.5,
        peak: (5.8, 0.87),
        source: "",
    };
    let mut impact = Impact { expected, curve: Curve::default(), point: Curve::default() };
    for k in 0..=1300 {
        let t = INTERVAL * f64::from(k);
        // Periods of four looks vanish in the mean, and have a standard deviation of 0.04.
        let noise = [0.04, -0.04, -0.04, 0.04][k as usize % 4];
        let steady = if t < 2.5 { 0.0 } else { 0.55 + noise };
        let second = if t < 5.5 { 0.0 } else { 0.3 * (1.0 - ((t - 5.8) / 0.3).powi(2)).max(0.0) };
        impact.curve.push(t, steady + second);
        impact.point.push(t, 2.0 * steady);
    }
    impact
}

#[test]
fn the_scores_are_those_of_a_record_that_is_known() {
    let scores = record().scores();
    let value = |name: &str| scores.iter().find(|score| score.name.starts_with(name)).unwrap().value;
    assert!((value("plateau") - 0.55).abs() < 1e-3, "{}", value("plateau"));
    assert!((value("plateau of the pressure p* at") - 1.1).abs() < 2e-3);
    assert!((value("arrival") - 2.5).abs() < 2.0 * INTERVAL);
    assert!((value("noise") - 0.04).abs() < 2e-3, "{}", value("noise"));
    assert!((value("second rise") - 5.55).abs() < 0.05, "{}", value("second rise"));
    assert!((value("second peak p*") - 0.85).abs() < 0.02 && (value("second peak t*") - 5.8).abs() < 0.03);
    assert!(scores.iter().filter(|score| score.band.is_some()).all(|score| score.passed == Some(true)));
}

#[test]
fn a_run_that_ends_early_has_no_plateau() {
    let mut impact = record();
    impact.curve.x.truncate(800);
    impact.curve.y.truncate(800);
    let scores = impact.scores();
    assert!(scores[0].value.is_nan() && scores[0].passed == Some(false) && scores[1].passed == Some(true));
}
