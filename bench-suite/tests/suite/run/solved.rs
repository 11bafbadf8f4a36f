use bench_suite::run::solved::*;
use sph_core::method::report::StepReport;

#[test]
fn a_look_sees_the_mean_since_the_last_one() {
    let mut solved = Solved::default();
    solved.look(0.0);
    for (t, all) in [(1.0, vec![10, 20]), (2.0, vec![40]), (3.0, Vec::new())] {
        all.into_iter()
            .for_each(|iterations| solved.count(&StepReport { iterations, ..StepReport::default() }));
        solved.look(t);
    }
    assert_eq!(solved.mean(3), Some(70.0 / 3.0));
    let series = solved.series(&[0.5, 0.1]);
    assert_eq!((series[0].x.clone(), series[0].y.clone()), (vec![1.0, 2.0], vec![15.0, 40.0]));
    assert_eq!((series[1].x.clone(), series[1].y.clone()), (vec![1.0, 2.0], vec![0.5, 0.1]));
}

#[test]
fn a_method_that_does_not_iterate_has_nothing_to_show() {
    let mut solved = Solved::default();
    solved.count(&StepReport::default());
    solved.look(1.0);
    assert!(solved.series(&[]).is_empty() && solved.mean(1).is_none());
}
