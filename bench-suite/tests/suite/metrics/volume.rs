use super::cloud::Cloud;
use bench_suite::metrics::{Metric, volume::*};

#[test]
fn a_pool_that_swells_at_a_steady_rate_has_drifted_by_it() {
    let mut metric = Volume::new(1.0, 1.0, 2.0);
    for t in 0..=10 {
        let mut cloud = Cloud::lattice(10, 10, 0.1);
        let stretch = 1.0 + 1e-3 * f64::from(t);
        cloud.x[1].iter_mut().for_each(|y| *y *= stretch as sph_core::Real);
        cloud.with_time(f64::from(t), |view| metric.observe(view));
    }
    let scores = metric.finish().scores;
    assert!((scores[0].value - 8e-3).abs() < 1e-6 && scores[0].passed == Some(true), "{scores:?}");
    assert!((scores[1].value - 1e-3).abs() < 1e-6, "{scores:?}");
}
