use bench_suite::studies::device_check::{Line, Verdict, parity::*};
use serde_json::{Value, json};

#[test]
fn what_parts_further_than_its_bounds_fails() {
    let verdict = |ulp: [Value; 2], rounding: [Value; 2], drift: Value| {
        let [[half, most], [r_half, r_most]] = [ulp, rounding];
        // Of all particles there is no bound.
        let field = json!({
            "name": "velocity", "in_ulp": [half, most, 1e9], "of_rounding": [r_half, r_most, 1.0]
        });
        let drift = json!({ "name": "volume", "relative": drift });
        let moment = json!({ "step": 10, "fields": [field], "drifts": [drift] });
        judge(&json!({ "moments": [moment] }), Line::new("x", Verdict::Passed)).verdict == Verdict::Passed
    };
    let ulp = |half: f64, most: f64| [(ROUNDINGS * half).into(), (ROUNDINGS * most).into()];
    let rounding = || [5.0.into(), 30.0.into()];
    assert!(verdict(ulp(5.0, 30.0), rounding(), 0.0.into()));
    assert!(!verdict(ulp(5.1, 30.0), rounding(), 0.0.into()));
    assert!(!verdict(ulp(5.0, 30.1), rounding(), 0.0.into()));
    // Not a number is no small difference, and bounds none.
    assert!(!verdict([Value::Null, 0.0.into()], rounding(), 0.0.into()));
    assert!(!verdict(ulp(5.0, 30.0), [5.0.into(), Value::Null], 0.0.into()));
    // What rounding does not move may differ by few roundings all the same.
    assert!(verdict(ulp(1.0, 1.0), [0.0.into(), 0.0.into()], 0.0.into()));
    assert!(!verdict(ulp(1.1, 1.0), [0.0.into(), 0.0.into()], 0.0.into()));
    assert!(verdict(ulp(0.0, 0.0), rounding(), (0.99 * MOST_DRIFT).into()));
    assert!(!verdict(ulp(0.0, 0.0), rounding(), (-1.01 * MOST_DRIFT).into()));
    assert!(!verdict(ulp(0.0, 0.0), rounding(), Value::Null));
    assert!(judge(&json!({ "moments": [] }), Line::new("x", Verdict::Passed)).verdict != Verdict::Passed);
}
