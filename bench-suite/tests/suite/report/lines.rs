use bench_suite::report::plots::lines::*;

#[test]
fn a_line_is_clipped_at_the_edge() {
    assert_eq!(clip(&[(0.0, 0.0), (0.5, 0.5), (1.0, 2.0)]).len(), 1);
    assert_eq!(clip_segment((0.5, 0.5), (0.5, 2.0)), Some(((0.5, 0.5), (0.5, 1.0))));
    assert_eq!(clip_segment((0.0, 2.0), (1.0, 2.0)), None);
    assert_eq!(clip_segment((-1.0, 1.5), (0.4, 3.0)), None);
    assert_eq!(clip_segment((-1.0, 0.5), (2.0, 0.5)), Some(((0.0, 0.5), (1.0, 0.5))));
}

#[test]
fn a_gap_breaks_the_line() {
    let strokes = clip(&[(0.0, 0.0), (0.1, 0.1), (f64::NAN, 0.2), (0.3, 0.3), (0.4, 0.4)]);
    assert_eq!(strokes.len(), 2);
}

#[test]
fn thinning_keeps_the_peak() {
    let mut points: Vec<_> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
    points[54_321].1 = 9.0;
    let kept = thin(points);
    assert!(kept.len() <= 2 * BUCKETS && kept.contains(&(54_321.0, 9.0)));
    assert!(kept.windows(2).all(|pair| pair[0].0 <= pair[1].0));
}
