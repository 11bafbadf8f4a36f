//! Ranges of parameters.

use sph_core::keys::Range;

#[test]
fn reads_bounds_exactly() {
    let range = Range::parse("(-1.25e-3, 0.3]");
    assert_eq!((range.low(), range.high()), ((-1.25e-3, true), (0.3, false)));
    let range = Range::parse("[1, inf)");
    assert_eq!((range.low(), range.high()), ((1.0, false), (f64::INFINITY, true)));
    assert_eq!(Range::parse("[0, 1e6]").high().0, 1e6);
}

#[test]
fn refuses_open_ends_and_what_is_not_finite() {
    let range = Range::parse("(0, 1]");
    assert!(range.contains(1.0) && range.contains(f64::MIN_POSITIVE));
    assert!(!range.contains(0.0) && !range.contains(1.0 + f64::EPSILON));
    let all = Range::parse("(-inf, inf)");
    assert!(all.contains(f64::MAX));
    assert!(!Range::parse("[0, inf]").contains(f64::INFINITY));
    assert!(!all.contains(f64::NAN) && !all.contains(f64::INFINITY) && !all.contains_f32(f32::INFINITY));
}

#[test]
fn a_bound_is_inside_in_both_precisions() {
    let range = Range::parse("[0, 0.1]");
    assert!(range.contains(0.1) && range.contains_f32(0.1));
}

#[test]
fn malformed_ranges_panic() {
    for text in ["0, 1", "(0, 1", "(0,1)", "(1, 0)", "(a, b)", "(0, 1e99)", "(0, 1..2)", "(0, 1) "] {
        assert!(std::panic::catch_unwind(|| Range::parse(text)).is_err(), "{text}");
    }
}
