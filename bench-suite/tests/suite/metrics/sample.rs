use super::cloud::Cloud;
use bench_suite::metrics::sample::*;

#[test]
fn the_gauge_reads_a_flat_level_and_ignores_a_drop() {
    let mut cloud = Cloud::lattice(20, 12, 0.05);
    cloud.with(|view| assert!((level_at_wall(view) - 0.6).abs() < 0.05 * 0.03, "{}", level_at_wall(view)));
    cloud.push(0.025, 0.9);
    cloud.with(|view| assert!((level_at_wall(view) - 0.6).abs() < 0.05 * 0.03));
}

/// Particles that pass `kept` of a tank that is filled to 0.6 m, beside one drop of two particles over it.
fn level_of(kept: impl Fn(f64, f64) -> bool) -> f64 {
    let mut cloud = Cloud::lattice(20, 0, 0.05);
    for k in 0..20 * 12 {
        let (x, y) = ((f64::from(k % 20) + 0.5) * 0.05, (f64::from(k / 20) + 0.5) * 0.05);
        if kept(x, y) {
            cloud.push(x, y);
        }
    }
    cloud.push(0.025, 1.025);
    cloud.push(0.025, 1.06);
    cloud.with(level_at_wall)
}

#[test]
fn the_gauge_reads_the_level_over_a_void() {
    let full = level_of(|_, _| true);
    assert!((full - 0.6).abs() < 0.05 * 0.03, "{full}");
    // In the corner of the bed, over a particle that was left in it, and in the middle.
    assert_eq!(level_of(|x, y| x.max(y) > 0.15), full);
    assert_eq!(level_of(|x, y| x > 0.15 || !(0.05..0.25).contains(&y)), full);
    assert_eq!(level_of(|x, y| x > 0.15 || !(0.15..0.25).contains(&y)), full);
    // A dry wall has no level, whatever hangs on it.
    assert_eq!(level_of(|x, _| x > 0.2), 0.0);
    assert_eq!(level_of(|x, y| x > 0.2 || y > 0.45), 0.0);
}

#[test]
fn a_square_covers_its_area_and_a_cloud_nothing() {
    let area = Cloud::lattice(40, 40, 0.025).with(covered_area);
    assert!((area - 1.0).abs() < 0.02, "{area}");
    let mut cloud = Cloud::lattice(40, 40, 0.025);
    cloud.x.iter_mut().flatten().for_each(|x| *x *= 2.0);
    assert_eq!(cloud.with(covered_area), 0.0);
}
