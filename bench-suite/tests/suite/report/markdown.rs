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
    let row = text.lines().find(|line| line.contains("dH")).unwrap();
    assert!(row.contains("\\|dH\\|") && row.contains("**missed**"));
    // A reader who cannot tell whose number it is has none.
    assert!(row.starts_with("| dam | PBF | "), "{row}");
    assert!(!text.contains("plain"));
}

#[test]
fn numbers_of_a_table_stand_to_the_right() {
    let rows = vec![vec![html::Cell::text("a|b"), html::Cell::number("1.5")]];
    assert_eq!(
        html::markdown(&["name", "size"], &rows),
        "| name | size |\n| --- | ---: |\n| a\\|b | 1.5 |\n"
    );
}
