use bench_suite::report::plots::axis::*;

fn texts(axis: &Axis) -> Vec<String> {
    axis.ticks.iter().map(|tick| axis.tick_text(*tick)).collect()
}

#[test]
fn linear_ticks_are_round() {
    assert_eq!(
        texts(&Axis::fit([0.1, 0.97].into_iter(), false, 6)),
        ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    );
    let axis = Axis::fit([-0.2, 1.0].into_iter(), false, 6);
    assert_eq!(texts(&axis), ["0.0", "0.5", "1.0"]);
}

#[test]
fn small_values_move_their_power_into_the_caption() {
    let axis = Axis::fit([0.0, 1.25e-5].into_iter(), false, 6);
    assert_eq!(axis.caption(&Label::linear("speed", "m/s")), "speed [10⁻⁶ m/s]");
    assert_eq!(texts(&axis).last().map(String::as_str), Some("10"));
}

#[test]
fn log_ticks_cover_one_decade_or_many() {
    assert_eq!(texts(&Axis::fit([10.0, 40.0].into_iter(), true, 5)), ["10", "20", "30", "50"]);
    assert_eq!(texts(&Axis::fit([1e-7, 1e-5].into_iter(), true, 4)), ["10⁻⁷", "10⁻⁶", "10⁻⁵"]);
}

#[test]
fn one_value_alone_still_has_an_axis() {
    for (value, log) in [(0.0, false), (3.0, false), (-1e3, false), (2.0, true)] {
        let axis = Axis::fit([value].into_iter(), log, 6);
        assert!(axis.lo < value && value < axis.hi && axis.ticks.len() >= 2, "{axis:?}");
    }
    assert!(Axis::fit(std::iter::empty(), true, 6).ticks.len() >= 2);
}
