//! Rotations.

use sph_core::rigid::Rotation;

#[test]
fn turns_like_a_matrix_of_cosines() {
    let quarter = Rotation::by(&[0.0, 0.0, std::f64::consts::FRAC_PI_2]);
    let turned = quarter.rotate(&[1.0, 2.0, 3.0]);
    let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-15);
    assert!(near(turned, [-2.0, 1.0, 3.0]), "{turned:?}");
    assert!(near(quarter.inverse_rotate(&turned), [1.0, 2.0, 3.0]));
    let half = quarter.after(&quarter);
    assert!(near(half.rotate(&[1.0, 0.0, 0.0]), [-1.0, 0.0, 0.0]));
    assert!((half.angle() - std::f64::consts::PI).abs() < 1e-15);
    let small = Rotation::by(&[1e-9, 0.0, 0.0]).rotate(&[0.0, 1.0, 0.0]);
    assert!((small[2] - 1e-9).abs() < 1e-24);
}

#[test]
fn of_two_the_second_turns_what_the_first_has_turned() {
    let (a, b) = (Rotation::by(&[0.3, -0.2, 0.9]), Rotation::by(&[-1.1, 0.4, 0.2]));
    let x = [0.3, -2.0, 1.0];
    let (both, twice) = (b.after(&a).rotate(&x), b.rotate(&a.rotate(&x)));
    assert!((0..3).all(|k| (both[k] - twice[k]).abs() < 4.0 * f64::EPSILON * 2.3), "{both:?} {twice:?}");
}
