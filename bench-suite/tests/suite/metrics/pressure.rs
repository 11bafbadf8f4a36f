use super::cloud::Cloud;
use bench_suite::metrics::{Metric, pressure::*};
use sph_core::Real;

/// Depth 1 m, 20 rows of 4; the support is three spacings.
const SPACING: f64 = 0.05;
const GRAVITY: f64 = 10.0;

fn column() -> Cloud {
    let mut cloud = Cloud { gravity: GRAVITY, ..Cloud::lattice(4, 20, SPACING) };
    for i in 0..cloud.p.len() {
        cloud.p[i] = (GRAVITY * (1.0 - f64::from(cloud.x[1][i]))) as Real;
    }
    cloud
}

fn resting() -> Resting {
    Resting::new(1.0, 4.0 * SPACING, 0.1, 0.5)
}

#[test]
fn hydrostatic_pressure_has_no_error() {
    let mut resting = resting();
    assert!((resting.interval() - 0.1).abs() < 1e-12);
    column().with_time(0.5, |view| resting.observe(view));
    let scores = resting.finish().scores;
    assert!(scores.iter().all(|score| score.value.abs() < 1e-5 && score.passed == Some(true)), "{scores:?}");
}

/// Errors count by bins of a tenth of the depth and by single particles, below two supports and once the column rests.
#[test]
fn errors_of_pressure_are_those_of_bins() {
    let (mut resting, mut cloud) = (resting(), column());
    let hydrostatic = cloud.p.clone();
    cloud.p.iter_mut().for_each(|p| *p += 100.0);
    cloud.with_time(0.4, |view| resting.observe(view));
    cloud.p = hydrostatic;
    let mut add = |row: usize, columns: std::ops::Range<usize>, error: f64| {
        columns.for_each(|k| cloud.p[4 * row + k] += (GRAVITY * error) as Real);
    };
    for row in [4, 5] {
        add(row, 0..4, 0.03);
    }
    add(10, 0..1, -0.08);
    for row in 15..20 {
        add(row, 0..4, 0.5);
    }
    cloud.v[0].iter_mut().for_each(|v| *v = 0.1);
    cloud.with_time(0.6, |view| resting.observe(view));
    let outcome = resting.finish();
    let scores = &outcome.scores;
    assert!((scores[0].value - 0.03).abs() < 1e-5 && scores[0].passed == Some(false), "{scores:?}");
    assert!(scores[0].note.contains("single particles 0.080"), "{}", scores[0].note);
    // ½ ρ v² over ρgH.
    assert!((scores[2].value - 0.5 * 0.01 / GRAVITY).abs() < 1e-8, "{scores:?}");
    let profile = outcome.series.iter().find(|series| series.name == "pressure profile").unwrap();
    for (height, pressure) in [(0.05, 0.95), (0.25, 0.78), (0.55, 0.44), (0.85, 0.65)] {
        let at = profile.x.iter().position(|x| (x - height).abs() < 1e-9).unwrap();
        assert!((profile.y[at] - pressure).abs() < 1e-5, "{height}: {}", profile.y[at]);
    }
}

#[test]
fn a_column_without_pressure_is_known_by_its_volume() {
    let (mut resting, mut cloud) = (resting(), column());
    cloud.p.clear();
    cloud.x[1].iter_mut().for_each(|y| *y *= 0.98);
    cloud.with_time(0.5, |view| resting.observe(view));
    let scores = resting.finish().scores;
    assert!(
        (scores[0].value - 0.02).abs() < 1e-5 && scores[0].name == "loss of volume at rest",
        "{scores:?}"
    );
}
