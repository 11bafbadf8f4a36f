use bench_suite::cases::{Case, wall_pressure::*};

#[test]
fn what_is_expected_is_what_the_curves_say() {
    let (expected, curves) = (WallPressure::expected(), WallPressure.references());
    assert_eq!(curves.len(), 2);
    for curve in curves {
        let points = || curve.x.iter().copied().zip(curve.y.iter().copied());
        let plateau: Vec<f64> =
            points().filter(|(t, _)| expected.plateau.contains(t)).map(|(_, p)| p).collect();
        let mean = plateau.iter().sum::<f64>() / plateau.len() as f64;
        assert!((mean / expected.pressure - 1.0).abs() < 0.05, "{}: {mean}", curve.label);
        let peak = points().filter(|(t, _)| *t > 4.5).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!(
            (peak.0 - expected.peak.0).abs() < 0.05 && (peak.1 - expected.peak.1).abs() < 0.03,
            "{peak:?}"
        );
    }
}

#[test]
fn the_tank_is_a_whole_number_of_spacings_long() {
    for n in [20, 40, 80] {
        let dx = H / n as f64;
        let end = far_wall(dx);
        assert!(
            end >= TANK - 1e-6 && end < TANK + dx && (end / dx).fract().min(1.0 - (end / dx).fract()) < 1e-9
        );
    }
}
