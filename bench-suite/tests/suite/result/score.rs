use bench_suite::result::*;

fn run() -> RunResult {
    RunResult {
        case: "dam break".into(),
        variant: "WCSPH, η=3".into(),
        n_fluid: 1000,
        steps: 10,
        simulated_s: 0.5,
        wall_s: 2.0,
        scores: vec![
            Score::new("slope", "-", 1.5).against(1.4).within(Band::error_at_most(0.1)).as_headline(),
        ],
        series: vec![Series {
            name: "front".into(),
            x: vec![0.0, 1.0],
            y: vec![1.0, 2.5],
            ..Series::default()
        }],
        frames: vec![Frame { t: 0.25, caption: "speed".into(), image: Image::File("frames/a.png".into()) }],
        ..RunResult::default()
    }
}

#[test]
fn a_comparison_survives_json() {
    let before = Comparison { title: "a < b".into(), results: vec![run()], ..Comparison::default() };
    let text = serde_json::to_string_pretty(&before).unwrap();
    let after: Comparison = serde_json::from_str(&text).unwrap();
    assert_eq!(before, after);
}

#[test]
fn numbers_that_are_not_finite_come_back_as_nan() {
    let mut before = run();
    before.failure = Some("step 12: density is NaN".into());
    before.simulated_s = f64::INFINITY;
    before.series[0].y[1] = f64::NAN;
    before.scores[0].value = f64::NAN;
    let after: RunResult = serde_json::from_str(&serde_json::to_string(&before).unwrap()).unwrap();
    assert!(after.simulated_s.is_nan() && after.series[0].y[1].is_nan() && after.scores[0].value.is_nan());
    assert_eq!(after.series[0].y[0], 1.0);
    assert_eq!(after.failure, before.failure);
}

#[test]
fn a_band_judges_value_or_error() {
    assert_eq!(Score::new("a", "m", 1.04).within(Band::between(0.9, 1.1)).passed, Some(true));
    assert_eq!(Score::new("a", "m", 1.2).within(Band::between(0.9, 1.1)).passed, Some(false));
    assert_eq!(Score::new("a", "m", 1.2).against(1.0).within(Band::error_at_most(0.1)).passed, Some(false));
    assert_eq!(
        Score::new("a", "m", 9.0).within(Band::error_at_most(0.1)).with_error(0.05).passed,
        Some(true)
    );
    assert_eq!(Score::new("a", "m", 1.2).passed, None);
}

#[test]
fn a_score_without_merit_is_missed() {
    let energy = || Score::new("loss of energy", "-", 0.0).within(Band::at_most(0.03));
    let area = |loss| Score::new("loss of area", "-", loss).within(Band::at_most(0.03));
    assert_eq!(energy().only_with(&area(0.0)), energy());
    assert_eq!(
        energy().only_with(&Score::new("corner", "-", 9.0)),
        energy(),
        "what has no band is not missed"
    );
    let lost = energy().only_with(&area(1.0));
    assert!(lost.passed == Some(false) && lost.note.ends_with("missed loss of area"), "{lost:?}");
    assert_eq!(RunResult { scores: vec![area(1.0), lost], ..run() }.bands(), (0, 2));
}

#[test]
fn nan_meets_no_band() {
    assert_eq!(Score::new("a", "m", f64::NAN).within(Band::at_most(1.0)).passed, Some(false));
    assert_eq!(Score::new("a", "m", 1.0).within(Band::error_at_most(1.0)).passed, Some(false));
}

#[test]
fn a_failed_run_meets_no_band() {
    let mut result = run();
    assert_eq!(result.bands(), (1, 1));
    result.failure = Some("blew up".into());
    assert_eq!(result.bands(), (0, 1));
}

#[test]
fn rate_is_particle_steps_over_wall_time() {
    let mut result = run();
    assert_eq!(result.particle_steps_per_s(), Some(5000.0));
    result.wall_s = 0.0;
    assert_eq!(result.particle_steps_per_s(), None);
}
