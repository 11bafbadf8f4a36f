use bench_suite::result::number::*;

#[test]
fn digits_fit_the_size() {
    assert_eq!(significant(1.39876, 3), "1.4");
    assert_eq!(significant(-0.20581, 3), "−0.206");
    assert_eq!(significant(1234.6, 3), "1235");
    assert_eq!(significant(2.5e-7, 3), "2.5·10⁻⁷");
    assert_eq!(significant(-6.02e23, 3), "−6.02·10²³");
    assert_eq!(significant(0.0, 3), "0");
    assert_eq!(significant(f64::NAN, 3), "not a number");
    assert_eq!(percent(0.0312), "3.1\u{a0}%");
    assert_eq!(percent(1.5), "150\u{a0}%");
}

#[test]
fn units_fit_the_size() {
    assert_eq!(duration(0.0021), "2.1\u{a0}ms");
    assert_eq!(duration(2.1e-5), "21\u{a0}µs");
    assert_eq!(duration(61.26), "61.3\u{a0}s");
    assert_eq!(duration(4000.0), "1 h 6 min");
    assert_eq!(duration(659.7), "11 min 0 s");
    assert_eq!(bytes(3.0 * 1024.0 * 1024.0), "3\u{a0}MiB");
    assert_eq!(rate(2.4e6), "2.4\u{a0}M/s");
    assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    assert_eq!(count(12), "12");
}
