use bench_suite::studies::parity::*;
use sph_core::Real;

#[test]
fn differences_are_those_of_equal_names_in_units_of_the_last_place() {
    let (a, b) = ([1.0, 4.0, -8.0], [4.0, 1.0, -8.0]);
    let found = |b: &[Real]| difference(("x", "m"), (&[&a], &[0, 1, 2]), (&[b], &[1, 0, 2]));
    let same = found(&b);
    assert_eq!((same.scale, same.in_ulp, same.relative), (8.0, [0.0; 3], [0.0; 3]));
    let ulp = (8.0 as Real).next_up() - 8.0;
    let moved = found(&[4.0, 1.0 + ulp, -8.0 - 2.0 * ulp]);
    assert_eq!((moved.ulp, moved.in_ulp), (f64::from(ulp), [1.0, 2.0, 2.0]));
    assert_eq!(moved.relative[2], 2.0 * f64::from(ulp) / 8.0);
    assert!(found(&[4.0, Real::NAN, -8.0]).in_ulp[2].is_nan());
}

#[test]
fn quantiles_are_values_that_stand_there() {
    let values: Vec<f64> = (1..=200).map(f64::from).collect();
    assert_eq!([0.5, 0.99, 1.0].map(|part| quantile(&values, part)), [100.0, 198.0, 200.0]);
    assert_eq!((quantile(&[], 0.5), quantile(&[3.0], 0.5)), (0.0, 3.0));
}
