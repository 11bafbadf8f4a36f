use super::cloud::Cloud;
use bench_suite::metrics::{Metric, standing::*};
use sph_core::Real;
use std::f64::consts::TAU;

const EXACT: Exact = Exact { amplitude: 0.05, length: 2.0, depth: 1.0, gravity: 9.81 };

#[test]
fn deep_water_has_the_frequency_of_its_length_and_shallow_water_the_speed_of_its_depth() {
    let deep = Exact { depth: 50.0, ..EXACT };
    assert!((deep.frequency().powi(2) / (9.81 * TAU / 2.0) - 1.0).abs() < 1e-12);
    let shallow = Exact { depth: 1e-3, ..EXACT };
    assert!((shallow.length / shallow.period() / (9.81e-3_f64).sqrt() - 1.0).abs() < 1e-5);
}

/// The amplitude of a standing wave is that of its surface.
/// Columns of particles are spread as in water whose surface is a cosine.
#[test]
fn the_amplitude_is_that_of_the_surface() {
    let mut cloud = Cloud::lattice(80, 40, 0.025);
    for i in 0..cloud.x[0].len() {
        // x + ξ with ∂ξ/∂x = −η/H: mass goes where the surface is high.
        let x = f64::from(cloud.x[0][i]);
        cloud.x[0][i] = (x - 0.04 / std::f64::consts::PI * (std::f64::consts::PI * x).sin()) as Real;
    }
    let mut standing = Standing::new(EXACT, "");
    cloud.with(|view| standing.observe(view));
    assert!((standing.wave.y[0] * EXACT.amplitude - 0.04).abs() < 2e-4, "{:?}", standing.wave.y);
}

/// The field of the start has the whole energy, and is told from a uniform motion.
#[test]
fn the_wave_is_told_from_other_motion() {
    let mut cloud = Cloud::lattice(80, 40, 0.025);
    for i in 0..cloud.x[0].len() {
        let v = EXACT.field().at(&[0, 1].map(|axis| f64::from(cloud.x[axis][i])));
        (cloud.v[0][i], cloud.v[1][i]) = (v[0] as Real, v[1] as Real);
    }
    let mut standing = Standing::new(EXACT, "");
    cloud.with(|view| standing.observe(view));
    cloud.v[0].iter_mut().for_each(|u| *u = 0.9 * *u + 0.1);
    cloud.v[1].iter_mut().for_each(|v| *v *= 0.9);
    cloud.with_time(1.0, |view| standing.observe(view));
    assert!((standing.energy.y[0] - 1.0).abs() < 1e-6, "{:?}", standing.energy.y);
    assert!((standing.energy.y[1] - 0.81).abs() < 1e-6, "{:?}", standing.energy.y);
    assert!(standing.kinetic.y[1] > 1.0, "{:?}", standing.kinetic.y);
}

#[test]
fn a_damped_wave_has_its_period_and_its_losses() {
    let mut standing = Standing::new(EXACT, "");
    let (omega, rate) = (EXACT.frequency() / 1.01, 0.02);
    for k in 0..=(200.0 * 3.1) as u32 {
        let t = f64::from(k) * EXACT.period() / 200.0;
        let (decayed, (sin, cos)) = ((-rate * t).exp(), (omega * t).sin_cos());
        standing.wave.push(t, decayed * sin);
        standing.speed.push(t, decayed * cos);
        standing.energy.push(t, decayed * decayed);
        standing.kinetic.push(t, decayed * decayed * cos * cos + 0.1);
    }
    let scores = standing.scores();
    let end = 3.0 * EXACT.period();
    let off = |t: f64| (-rate * t).exp() * (omega * t).sin() - (EXACT.frequency() * t).sin();
    let expected = ((0..10_000).map(|k| off(end * 1e-4 * f64::from(k)).powi(2)).sum::<f64>() / 1e4).sqrt();
    assert!(
        (scores[0].value / expected - 1.0).abs() < 0.01 && scores[0].headline,
        "{} {expected}",
        scores[0].value
    );
    assert!((scores[1].error.unwrap() - 0.01).abs() < 1e-4 && scores[1].passed == Some(true), "{scores:?}");
    // Crest at a quarter and trough at three quarters of the third period.
    let left = 0.5 * [2.25, 2.75].map(|k| (-rate * k * 1.01 * EXACT.period()).exp()).iter().sum::<f64>();
    assert!((scores[2].value - (1.0 - left)).abs() < 1e-3, "{} {left}", scores[2].value);
    let kept = (-2.0 * rate * 3.0 * 1.01 * EXACT.period()).exp();
    assert!((scores[3].value - (1.0 - kept)).abs() < 1e-3, "{} {kept}", scores[3].value);
    assert!((scores[4].value - 0.1).abs() < 1e-3, "{}", scores[4].value);
}

#[test]
fn a_run_that_ends_early_has_no_period() {
    let mut standing = Standing::new(EXACT, "");
    standing.wave.push(0.0, 0.0);
    standing.speed.push(0.0, 1.0);
    standing.energy.push(0.0, 1.0);
    standing.kinetic.push(0.0, 1.0);
    let scores = standing.scores();
    assert!(scores.iter().all(|score| score.value.is_nan() && score.passed != Some(true)), "{scores:?}");
}

#[test]
fn the_exact_wave_is_a_sine_of_its_period() {
    let (curve, period) = (EXACT.curve("wave", 3.0, "a test"), EXACT.period());
    assert!((Standing::new(EXACT, "").interval() - period / 200.0).abs() < 1e-12);
    assert!(curve.x[0] == 0.0 && (curve.x.last().unwrap() / period - 3.0).abs() < 1e-9, "{:?}", curve.x);
    for (k, (t, y)) in curve.x.iter().zip(&curve.y).enumerate() {
        assert!((t / period - 0.015 * k as f64).abs() < 1e-9, "{k}: {t}");
        assert!((y - (TAU * t / period).sin()).abs() < 1e-9, "{t}: {y}");
    }
}
