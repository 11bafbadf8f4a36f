use super::cloud::Cloud;
use bench_suite::{
    metrics::{Metric, front::*},
    reference::Table,
};

const GRAVITY: f64 = 2.0;

/// A base of 1 m and twice the height, so that T = 2 t: a front Z = 1 + T, and a height that stays.
fn experiment() -> Experiment {
    let table = |header: &str, value: fn(f64) -> f64| {
        let rows = (0..=10).map(|k| 0.1 * f64::from(k)).map(|t| format!("{t},{}\n", value(t)));
        Table::parse("made", &format!("# made for a test\n{header}\n{}", rows.collect::<String>())).unwrap()
    };
    Experiment {
        a: 1.0,
        n2: 2.0,
        front: table("T [-],Z [-]", |t| 1.0 + t),
        height: table("tau [-],H [-]", |_| 1.0),
        slope_range: 0.3..=0.9,
        judged: true,
        source: "a test",
    }
}

/// Drops that fly ahead of a front are not a part of it.
#[test]
fn a_front_is_where_three_others_are_near() {
    let mut cloud = Cloud::lattice(10, 2, 0.1);
    let front_of = |cloud: &Cloud| cloud.with(front);
    assert!((front_of(&cloud) - 1.0).abs() < 1e-6);
    for x in [1.95, 2.0, 2.05] {
        cloud.push(x, 0.5);
        assert!((front_of(&cloud) - 1.0).abs() < 1e-6, "{}", front_of(&cloud));
    }
    cloud.push(2.1, 0.5);
    assert!((front_of(&cloud) - 2.15).abs() < 1e-6, "{}", front_of(&cloud));
}

/// A front that comes late by 0.2 in T has the slope of the experiment, lags by 0.2, and agrees after a shift by that.
#[test]
fn a_late_front_lags() {
    let mut collapse = Collapse::new(experiment(), GRAVITY);
    assert!((collapse.interval() - 0.02 / GRAVITY.sqrt()).abs() < 1e-12);
    for k in 0..=12 {
        let cloud = Cloud::lattice(8 + k, 18, 0.1);
        cloud.with_time(0.05 * k as f64, |view| collapse.observe(view));
    }
    let scores = collapse.finish().scores;
    let [slope, rms, height, lag] = [0, 1, 2, 3].map(|k| scores[k].value);
    assert!((slope - 1.0).abs() < 1e-6 && scores[0].error.unwrap() < 1e-6, "{slope}");
    assert!(rms < 1e-6 && scores[1].headline, "{rms}");
    assert!(scores[1].note.contains("shift -0.200"), "{}", scores[1].note);
    assert!((lag - 0.2).abs() < 1e-6 && scores[3].passed == Some(false), "{lag}");
    // The level is that of a surface, found to a fraction of the spacing.
    assert!((height - 0.1).abs() < 0.025, "{height}");
}
