use super::cloud::Cloud;
use bench_suite::metrics::{Metric, rotation::*};
use sph_core::Real;

/// A unit square about the origin that turns with `omega`.
fn square(omega: f64) -> Cloud {
    let mut cloud = Cloud::lattice(50, 50, 0.02);
    for i in 0..cloud.x[0].len() {
        let (x, y) = (cloud.x[0][i] - 0.5, cloud.x[1][i] - 0.5);
        (cloud.x[0][i], cloud.x[1][i]) = (x, y);
        (cloud.v[0][i], cloud.v[1][i]) = (-y * omega as Real, x * omega as Real);
    }
    cloud
}

#[test]
fn a_rigid_square_has_the_momentum_of_its_moment_of_inertia() {
    let spin = square(3.0).with(Rotation::spin);
    assert!((spin - 3.0 / 6.0).abs() < 1e-3, "{spin}");
    let corner = square(3.0).with(Rotation::corner);
    assert!((corner - 0.5_f64.sqrt()).abs() < 1e-6, "{corner}");
}

#[test]
fn a_square_that_slows_down_has_lost_energy_by_the_square() {
    let mut metric = Rotation::new(1.0, 0.1, "");
    square(2.0).with(|view| metric.observe(view));
    square(1.98).with_time(1.0, |view| metric.observe(view));
    let scores = metric.finish().scores;
    assert!((scores[1].value - (1.0 - 0.99 * 0.99)).abs() < 1e-5 && scores[1].passed == Some(true));
    assert!((scores[3].value - 0.01).abs() < 1e-5 && (scores[4].value - 1.0).abs() < 1e-6, "{scores:?}");
    assert_eq!((scores[0].value, scores[0].passed), (0.0, Some(true)));
}

/// All particles keep their velocities, and are twice as far apart.
#[test]
fn the_energy_of_a_square_that_flew_apart_has_no_merit() {
    let mut metric = Rotation::new(1.0, 0.1, "");
    square(2.0).with(|view| metric.observe(view));
    let mut apart = square(2.0);
    apart.x.iter_mut().flatten().for_each(|x| *x *= 2.0);
    apart.with_time(1.0, |view| metric.observe(view));
    let scores = metric.finish().scores;
    assert_eq!((scores[0].value, scores[0].passed), (1.0, Some(false)));
    assert_eq!((scores[1].value, scores[1].passed), (0.0, Some(false)), "{:?}", scores[1]);
}
