use bench_suite::{
    report::{html, validate},
    result::{Band, Comparison, RunResult, Score},
};

#[test]
fn bars_in_names_do_not_break_the_table_and_misses_are_shown() {
    let score = Score::new("largest |dH|", "-", 0.04).with_error(0.04).within(Band::error_at_most(0.03));
    let run = RunResult {
        case: "dam".into(),
        variant: "PBF".into(),
        scores: vec![score, Score::new("plain", "-", 1.0)],
        ..RunResult::default()
    };
    let text = validate::markdown(&Comparison { results: vec![run], ..Comparison::default() });
    assert!(text.starts_with("0 of 1 checks met."));
    assert!(text.contains("\n| PBF | 0 of 1 | dam 1.3×, largest \\|dH\\| |\n"), "{text}");
    let row = text.lines().find(|line| line.contains("**missed**")).unwrap();
    assert!(row.contains("\\|dH\\|"));
    // A reader who cannot tell whose number it is has none.
    assert!(row.starts_with("| dam | PBF | "), "{row}");
    assert!(!text.contains("plain"));
}

/// Where a method fails, the worst comes first: a run that failed, then by the factor.
#[test]
fn the_worst_case_of_a_method_comes_first() {
    let run = |case: &str, error: f64, failure: Option<&str>| RunResult {
        case: case.into(),
        variant: "PBF".into(),
        scores: vec![Score::new("error", "-", error).with_error(error).within(Band::error_at_most(0.1))],
        failure: failure.map(Into::into),
        ..RunResult::default()
    };
    let results = vec![
        run("met", 0.1, None),
        run("near", 0.12, None),
        run("far", 0.5, None),
        run("gone", 0.0, Some("x")),
    ];
    let text = validate::markdown(&Comparison { results, ..Comparison::default() });
    assert!(text.contains("| 1 of 4 | gone: the run failed; far 5.0×, error; near 1.2×, error |"), "{text}");
}

#[test]
fn numbers_of_a_table_stand_to_the_right() {
    let rows = vec![vec![html::Cell::text("a|b"), html::Cell::number("1.5")]];
    assert_eq!(
        html::markdown(&["name", "size"], &rows),
        "| name | size |\n| --- | ---: |\n| a\\|b | 1.5 |\n"
    );
}
