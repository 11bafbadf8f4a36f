use super::cloud::Cloud;
use bench_suite::metrics::impact::*;
use sph_core::Real;

const SENSOR: Sensor = Sensor { wall: 2.0, center: 0.5, diameter: 0.3 };

fn tank(pressure: impl Fn(f64, f64) -> f64) -> Cloud {
    let mut cloud = Cloud::lattice(40, 20, 0.05);
    for i in 0..cloud.p.len() {
        cloud.p[i] = pressure(f64::from(cloud.x[0][i]), f64::from(cloud.x[1][i])) as Real;
    }
    cloud
}

#[test]
fn a_sensor_reads_the_pressure_of_its_center_in_water_at_rest() {
    let read = tank(|_, y| 1.0 - y).with(|view| SENSOR.pressure(view));
    assert!((read - 0.5).abs() < 1e-3, "{read}");
    // Far from the wall anything may be.
    let read = tank(|x, _| if x < 1.8 { 9.0 } else { 2.0 }).with(|view| SENSOR.pressure(view));
    assert!((read - 2.0).abs() < 1e-6, "{read}");
}

#[test]
fn a_dry_sensor_reads_nothing_and_a_half_wet_one_half() {
    let away = Sensor { wall: 3.0, ..SENSOR };
    assert_eq!(tank(|_, _| 1.0).with(|view| away.pressure(view)), 0.0);
    // Its middle is in air, as far over the water as the kernel reaches; the height there is a seventh of the disc.
    let level = Sensor { center: 1.0 + 0.15, diameter: 2.0, ..SENSOR };
    let read = tank(|_, _| 1.0).with(|view| level.pressure(view));
    assert!((read - 0.5 * (1.0 - 0.14)).abs() < 0.01, "{read}");
}

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
    let mut impact = Impact::new(SENSOR, 1.0, 1.0, expected);
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
