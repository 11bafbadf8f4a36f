use bench_suite::{
    report::csv::*,
    result::{Comparison, RunResult, Score, Series},
};

#[test]
fn cells_with_commas_are_quoted_and_rows_are_even() {
    let run = RunResult {
        variant: "WCSPH, \"plain\"".into(),
        failure: Some("step 3:\nNaN".into()),
        scores: vec![Score::new("slope", "-", 1.4)],
        series: vec![Series { x: vec![0.0, 1e-7], y: vec![1.0, f64::NAN], ..Series::default() }],
        ..RunResult::default()
    };
    let all = Comparison { results: vec![run], ..Comparison::default() };
    assert!(scores(&all).contains("\"WCSPH, \"\"plain\"\"\""));
    assert!(series(&all).ends_with("1e-7,\n"));
    let commas = |line: &str| line.chars().filter(|c| *c == ',').count();
    let text = series(&all).replace("WCSPH, ", "WCSPH ");
    assert!(text.lines().all(|line| commas(line) == commas(text.lines().next().unwrap())));
    assert!(runs(&all).trim_end().ends_with("\"step 3:\nNaN\""));
}
