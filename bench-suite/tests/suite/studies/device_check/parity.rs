use bench_suite::studies::device_check::{Line, Verdict, parity::*, scenes};
use serde_json::{Value, json};

#[test]
fn what_parts_further_than_its_bounds_fails() {
    let sample = &scenes::rounds().next().unwrap()[0];
    let [one, ten] = [1, 10].map(|step| sample.bounds(step).unwrap());
    let verdict = |step: u64, p99: Value, most: f64, drift: Value| {
        let field = json!({ "name": "velocity", "in_ulp": [0.0, p99, most] });
        let drift = json!({ "name": "volume", "relative": drift });
        let moment = json!({ "step": step, "fields": [field], "drifts": [drift] });
        judge(sample, &json!({ "moments": [moment] }), Line::new("x", Verdict::Passed)).verdict
    };
    let ok = |verdict| verdict == Verdict::Passed;
    assert!(ok(verdict(1, one.p99.into(), one.most, 0.0.into())));
    assert!(!ok(verdict(1, (1.01 * one.p99).into(), one.most, 0.0.into())));
    assert!(!ok(verdict(10, ten.p99.into(), 1.01 * ten.most, 0.0.into())));
    // Not a number is no small difference.
    assert!(!ok(verdict(1, Value::Null, 0.0, 0.0.into())));
    assert!(!ok(verdict(1, 0.0.into(), 0.0, Value::Null)));
    // After many steps the sums count alone.
    assert!(ok(verdict(100, 1e9.into(), 1e9, (0.99 * scenes::MOST_DRIFT).into())));
    assert!(!ok(verdict(100, 0.0.into(), 0.0, (-1.01 * scenes::MOST_DRIFT).into())));
    assert!(!ok(judge(sample, &json!({ "moments": [] }), Line::new("x", Verdict::Passed)).verdict));
}
