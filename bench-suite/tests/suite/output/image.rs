use bench_suite::output::range;
use sph_core::Real;

#[test]
fn the_range_leaves_single_extremes_out_but_no_speed() {
    let mut values: Vec<Real> = (0..200).map(|i| i as Real).collect();
    values[100] = -1e6;
    values[101] = Real::NAN;
    assert_eq!(range("pressure", &values), (0.0, 198.0));
    assert_eq!(range("speed", &values), (0.0, 199.0));
    assert_eq!(range("pressure", &[3.0]), (3.0, 3.0));
    assert!(range("pressure", &[Real::NAN]).0 > range("pressure", &[]).1);
}
