//! Costs and orders of runs whose errors are a known power of the resolution.

use bench_suite::{
    report::{
        answer::{
            self,
            ranking::{Cost, Point, cost, excess, order, points},
        },
        figures,
    },
    result::{Band, CaseInfo, Comparison, RunResult, Score},
};

/// Error `(10/n)ᵖ`, time `n³` microseconds.
fn run(method: &str, n: u64, power: f64) -> RunResult {
    let error = (10.0 / n as f64).powf(power);
    let wall_s = 1e-6 * (n as f64).powi(3);
    RunResult {
        case: "vortex".into(),
        variant: method.into(),
        particles_across: n,
        wall_s,
        timings_s: vec![0.9 * wall_s, wall_s, 1.2 * wall_s],
        steps: 1,
        scores: vec![Score::new("velocity error", "-", error).with_error(error).as_headline()],
        ..RunResult::default()
    }
}

fn all(results: Vec<RunResult>) -> Comparison {
    let info = CaseInfo { name: "vortex".into(), about: String::new(), is_exact: true };
    Comparison { results, cases: vec![info], ..Comparison::default() }
}

fn points_of(all: &Comparison) -> Vec<Point> {
    points(&figures::methods(all, "vortex")[0], "velocity error")
}

#[test]
fn a_power_of_the_resolution_is_found_and_its_cost_interpolated() {
    let all = all([20, 40, 80, 160].map(|n| run("WCSPH", n, 2.0)).into());
    let points = points_of(&all);
    let found = order(&points).unwrap();
    assert!((found.order - 2.0).abs() < 1e-12 && found.within < 1e-6, "{found:?}");
    // (10/n)² = 0.01 at n = 100, which takes 1 s: between 80 and 160 the time is a power of the error.
    let Cost::Between([least, median, most]) = cost(&points, 0.01) else { panic!() };
    assert!((median - 1.0).abs() < 1e-12 && (least - 0.9).abs() < 1e-12 && (most - 1.2).abs() < 1e-12);
    let Cost::AtMost([_, median, _]) = cost(&points, 0.3) else { panic!() };
    assert!((median - 0.008).abs() < 1e-15, "the coarsest run is good to it already");
    assert_eq!(cost(&points, 0.001), Cost::Never { best: 0.00390625, limit: None });
}

#[test]
fn an_error_that_comes_back_does_not_count_as_reached() {
    let mut results: Vec<_> = [20, 40, 80].map(|n| run("WCSPH", n, 2.0)).into();
    results[0].scores[0].error = Some(1e-5); // by chance
    let points = points_of(&all(results));
    assert!(matches!(cost(&points, 0.03), Cost::Between(_)), "{:?}", cost(&points, 0.03));
    assert!(cost(&points, 0.03).seconds().unwrap() > points[1].wall_s[1]);
}

#[test]
fn a_time_counts_only_with_its_physics() {
    let with = |score: Score| {
        let mut results: Vec<_> = [20, 40, 80].map(|n| run("WCSPH", n, 2.0)).into();
        results[2].scores.push(score);
        cost(&points_of(&all(results)), 0.03)
    };
    let energy = || Score::new("gain of energy", "J", 7.0);
    assert!(matches!(with(energy().within(Band::at_most(9.0))), Cost::Between(_)));
    let never = |best, limit: &str| Cost::Never { best, limit: Some(limit.into()) };
    assert_eq!(with(energy().within(Band::at_most(1.0))), never(f64::INFINITY, "gain of energy"));
    // Another error outside of its band counts as what it is.
    let period = |error| Score::new("period", "s", 1.0).with_error(error).within(Band::error_at_most(0.01));
    assert!(matches!(with(period(0.02)), Cost::Between(_)));
    assert_eq!(with(period(0.05)), never(0.05, "period"));
    let mut results: Vec<_> = [20, 40, 80].map(|n| run("WCSPH", n, 2.0)).into();
    // A run that failed has no error, whatever its scores say, and no coarser one stands for it.
    results[2].failure = Some("flew apart".into());
    for error in [Some(1e-9), Some(f64::NAN), None] {
        results[2].scores[0].error = error;
        let points = points_of(&all(results.clone()));
        assert_eq!(cost(&points, 0.1), never(f64::INFINITY, "the run failed"));
        assert_eq!(order(&points), None, "of two runs");
    }
}

#[test]
fn few_runs_have_no_order_and_scattered_ones_a_wide_one() {
    assert_eq!(order(&points_of(&all([20, 40].map(|n| run("WCSPH", n, 2.0)).into()))), None);
    let mut results: Vec<_> = [20, 40, 80].map(|n| run("WCSPH", n, 1.0)).into();
    results[1].scores[0].error = Some(0.6);
    let found = order(&points_of(&all(results))).unwrap();
    // One degree of freedom, t = 12.71; the middle is ln 2.4 off the line of the others, which are ln 4 apart.
    let within = 12.71 * (2.0 / 3.0 * 2.4_f64.ln().powi(2) / (2.0 * 2.0_f64.ln().powi(2))).sqrt();
    assert!((found.order - 1.0).abs() < 1e-12 && (found.within - within).abs() < 1e-9, "{found:?} {within}");
}

#[test]
fn bands_are_missed_by_the_factor_of_the_worst() {
    let mut bad = run("PBF", 20, 1.0);
    assert_eq!(excess(&bad), Some((1.0, "")));
    bad.scores.push(Score::new("loss", "-", 0.1).with_error(0.1).within(Band::error_at_most(0.05)));
    bad.scores.push(Score::new("rise", "m", 0.5).within(Band::between(2.0, 3.0)));
    bad.scores.push(Score::new("drift", "dx", -6.0).within(Band::between(-2.0, 2.0)));
    assert_eq!(excess(&bad), Some((4.0, "rise")));
    bad.scores.push(Score::new("gain", "J", 1.0).within(Band::at_most(0.0)));
    assert_eq!(excess(&bad), None, "no factor leads from 0 to 1");
}

#[test]
fn the_answer_names_the_cheapest_first_and_who_does_not_come_to_it() {
    let mut results: Vec<_> = [20, 40, 80, 160].map(|n| run("WCSPH", n, 2.0)).into();
    results.extend([20, 40, 80, 160].map(|n| {
        let mut quick = run("projection", n, 2.0);
        quick.timings_s.iter_mut().for_each(|time| *time *= 0.5);
        RunResult { wall_s: 0.5 * quick.wall_s, ..quick }
    }));
    results.extend([20, 40, 80, 160].map(|n| run("PBF", n, 0.5)));
    let page = answer::section(&all(results)).unwrap();
    for words in [
        "of 1 cases with exact or converged solutions: projection in 1.",
        "To 1\u{a0}% of velocity error: projection 500\u{a0}ms; WCSPH 1\u{a0}s. Not reached by PBF.",
        "2.0 ± 0.0",
        "1\u{a0}s (900\u{a0}ms to 1.2\u{a0}s)",
        "not reached: 25\u{a0}%",
        "33.3\u{a0}% apart",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

/// Results with a key that was set: one line over its values, with the value beside each point.
#[test]
fn a_key_that_was_set_is_what_errors_are_drawn_over() {
    let with = |value: &str, n: u64| RunResult {
        settings: vec![("solver.dt_max".into(), value.into()), ("solver.eta".into(), "3".into())],
        ..run("PBF", n, 1.0)
    };
    let all = all(vec![with("0.001", 20), with("0.01", 30), with("0.1", 40)]);
    let drawn = figures::against_key(&all, "vortex").unwrap();
    assert_eq!(drawn.len(), 2);
    assert!(drawn[0].svg.contains("Error against solver.dt_max: vortex"));
    assert!(drawn[1].svg.contains("Wall time against solver.dt_max: vortex"));
    let times = figures::error_against_wall_time(&all, "vortex").unwrap().unwrap();
    assert!(times.caption.contains("values of solver.dt_max"), "{}", times.caption);
    let one_line = |svg: &str| svg.contains("eta = 3; PBF") && !svg.contains("dt_max = 0.001");
    assert!(one_line(&times.svg) && one_line(&drawn[0].svg));
    assert_eq!(figures::methods(&all, "vortex").len(), 3, "each value is a method of its own elsewhere");
}

/// The answer for two methods, of which the second takes `factor` times as long.
fn compared(factor: f64, change: impl Fn(&mut RunResult)) -> String {
    let mut results: Vec<_> = [20, 40, 80, 160].map(|n| run("WCSPH", n, 2.0)).into();
    results.extend([20, 40, 80, 160].map(|n| {
        let mut other = run("PBF", n, 2.0);
        other.wall_s *= factor;
        other.timings_s.iter_mut().for_each(|time| *time *= factor);
        change(&mut other);
        other
    }));
    answer::section(&all(results)).unwrap()
}

#[test]
fn only_what_is_cheaper_beyond_noise_is_the_cheapest() {
    let first = "solutions: WCSPH in 1.";
    assert!(compared(1.4, |_| {}).contains(first));
    assert!(!compared(1.3, |_| {}).contains("Cheapest"), "0.9 · 1.3 < 1.2");
    // What ran once has a spread that nobody knows.
    assert!(!compared(9.0, |other| other.timings_s.truncate(1)).contains("Cheapest"));
    // A program whose time is not known costs nothing that could be told.
    let unknown = compared(1.0, |other| {
        other.wall_s = 0.0;
        other.timings_s.clear();
    });
    assert!(
        unknown.contains(first) && unknown.contains("To 1\u{a0}% of velocity error: WCSPH 1\u{a0}s."),
        "{unknown}"
    );
    // A bound is no time, and says so.
    let bound = compared(0.5, |other| other.scores[0].error = Some(0.001));
    assert!(bound.contains("To 1\u{a0}% of velocity error: PBF ≤ 4\u{a0}ms; WCSPH 1\u{a0}s."), "{bound}");
    assert!(bound.contains("solutions: PBF in 1."), "what takes 1 s takes longer than a bound of 4 ms");
}

#[test]
fn a_method_that_failed_when_refined_is_not_shown_as_fine() {
    let failed = compared(1.0, |other| {
        other.scores[0] = other.scores[0].clone().within(Band::error_at_most(0.5));
        other.failure = (other.particles_across == 160).then(|| "flew apart".into());
    });
    assert!(failed.contains("✗ failed, 160 across; 80 across: ✓ 1.6\u{a0}%"), "{failed}");
}
