//! What changed between two sets of results.

use bench_suite::{
    report::against::changes,
    result::{Band, Comparison, RunResult, Score},
};

fn run(across: u64, error: f64, timings_s: [f64; 3]) -> RunResult {
    RunResult {
        case: "column".into(),
        variant: "PBF".into(),
        particles_across: across,
        wall_s: timings_s[1],
        timings_s: timings_s.into(),
        state_hash: format!("{error}"),
        scores: vec![Score::new("pressure", "-", error).with_error(error).within(Band::error_at_most(0.02))],
        ..RunResult::default()
    }
}

fn set(results: Vec<RunResult>) -> Comparison {
    Comparison { results, ..Comparison::default() }
}

#[test]
fn what_is_the_same_is_not_told() {
    let old = set(vec![run(10, 0.01, [0.9, 1.0, 1.1]), run(20, 0.01, [4.0, 4.1, 4.2])]);
    // Slower by 8 %, but times of before and now overlap; slower by 4 %, which is no slowdown.
    let new = set(vec![run(10, 0.01, [1.05, 1.08, 1.2]), run(20, 0.01, [4.25, 4.26, 4.3])]);
    let found = changes(&new, &old);
    assert!(found.are_fine() && found.table.is_empty(), "{found:?}");
    assert_eq!((found.n_both, found.n_alone, found.n_physics), (2, 0, 0));
}

#[test]
fn slower_runs_and_lost_bands_are() {
    let old =
        set(vec![run(10, 0.01, [0.9, 1.0, 1.1]), run(20, 0.01, [0.9, 1.0, 1.1]), run(30, 0.01, [1.0; 3])]);
    let failed = RunResult { failure: Some("flew apart".into()), ..run(30, 0.01, [1.0; 3]) };
    let new = set(vec![
        run(10, 0.01, [1.2, 1.3, 1.4]),
        run(20, 0.05, [0.5, 0.6, 0.7]),
        failed,
        run(40, 0.1, [1.0; 3]),
    ]);
    let found = changes(&new, &old);
    assert!(!found.are_fine());
    assert_eq!((found.n_both, found.n_alone, found.n_slower, found.n_lost, found.n_physics), (3, 1, 1, 2, 2));
    for words in [
        "| column | PBF | 10 across | 1\u{a0}% | 1\u{a0}% | 1.3\u{a0}s | 1\u{a0}s | 130\u{a0}% of the time |",
        "misses pressure; another last state; 60\u{a0}% of the time",
        "| – | 1\u{a0}% |",
    ] {
        assert!(found.table.contains(words), "{words}: {}", found.table);
    }
    assert_eq!(found.n_timed, 3);
    let both = set([new.results.clone(), new.results.clone()].concat());
    assert_eq!((changes(&both, &old).n_both, changes(&both, &old).n_alone), (3, 5), "a run has one partner");
    let threads = |n| set(vec![RunResult { threads: n, ..run(10, 0.01, [n as f64; 3]) }]);
    assert_eq!(
        (changes(&threads(1), &threads(9)).n_timed, changes(&threads(9), &threads(1)).n_slower),
        (0, 0)
    );
    // One time alone says nothing of noise.
    let once = |run: RunResult, wall_s| set(vec![RunResult { wall_s, timings_s: vec![wall_s], ..run }]);
    assert!(changes(&once(run(10, 0.01, [1.0; 3]), 9.0), &once(run(10, 0.01, [1.0; 3]), 1.0)).are_fine());
}

#[test]
fn joined_sets_have_all_runs_and_name_other_machines() {
    let mut other = set(vec![run(10, 0.03, [1.0; 3])]);
    (other.title, other.commit, other.command) = ("Frames scored".into(), "abc".into(), "sph score".into());
    other.machine.cpu = "Another".into();
    let first = Comparison { command: "sph compare".into(), ..set(vec![run(10, 0.01, [1.0; 3])]) };
    let all = first.joined(vec![other]);
    assert_eq!(all.results.len(), 2);
    assert_eq!(all.command, "sph compare\nsph score");
    assert_eq!(all.note.as_deref(), Some("Frames scored: commit abc, Another"));
}
