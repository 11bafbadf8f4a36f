use bench_suite::studies::device_check::{Line, Verdict, variants::*};

#[test]
fn another_energy_fails() {
    let passes =
        |expected, energy| near(expected, energy, Line::new("x", Verdict::Passed)).verdict == Verdict::Passed;
    assert!(passes(2.0, 2.001) && passes(2.0, 2.0));
    assert!(!passes(2.0, 2.003) && !passes(2.0, f64::NAN) && !passes(f64::NAN, 2.0));
}
