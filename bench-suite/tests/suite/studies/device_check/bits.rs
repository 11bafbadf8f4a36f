use bench_suite::studies::device_check::{Line, Verdict, bits::*};
use serde_json::json;

#[test]
fn one_hash_that_is_the_emulators_passes_and_no_other() {
    let verdict = |ends: &[&str], expected: &[&str]| {
        let expected: Vec<_> = expected.iter().map(|hash| (*hash).to_owned()).collect();
        equal(&json!({ "hashes": ends }), &expected, Line::new("x", Verdict::Passed)).verdict
    };
    assert_eq!(verdict(&["a"], &["a"]), Verdict::Passed);
    for (ends, expected) in [(&["a"][..], &["b"][..]), (&[], &[]), (&["a", "b"], &["a", "b"]), (&["a"], &[])]
    {
        assert!(matches!(verdict(ends, expected), Verdict::Failed(_)), "{ends:?} {expected:?}");
    }
}
