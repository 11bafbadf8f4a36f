use bench_suite::{studies::sweep::*, system::processor::Processor};

#[test]
fn s_corr_keeps_particles_of_a_column_apart() {
    let at = |k| {
        measure(Rest { epsilon: 1e-2, k, iterations: 4, ..Rest::default() }, &Processor::default()).unwrap()
    };
    let (without, with) = (at(0.0), at(0.1));
    assert!(with.nearest_least > without.nearest_least, "{without:?} {with:?}");
    assert!((with.height - 1.0).abs() < 0.1 && with.density_error < 0.03, "{with:?}");
}
