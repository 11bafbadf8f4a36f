use bench_suite::{
    report::figures::*,
    result::{Comparison, RunResult, Series, SeriesGroup, series_name},
};

#[test]
fn residuals_are_drawn_over_decades_and_apart_from_what_is_kept() {
    let series = Series {
        name: series_name::RESIDUAL.into(),
        group: SeriesGroup::Iteration,
        x: vec![1.0, 2.0, 3.0],
        y: vec![1e-1, 1e-3, 1e-5],
        ..Series::default()
    };
    let run = RunResult { case: "dam".into(), series: vec![series], ..RunResult::default() };
    let all = Comparison { results: vec![run], ..Comparison::default() };
    let figures = iterations(&all, "dam").unwrap();
    assert!(figures.len() == 1 && figures[0].svg.contains("10⁻⁵"), "{figures:?}");
    assert!(conservation(&all, "dam").unwrap().is_empty() && results(&all, "dam").unwrap().is_empty());
}
