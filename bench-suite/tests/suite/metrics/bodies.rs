use bench_suite::metrics::{HostBody, Metric, bodies::*};

#[test]
fn each_number_of_each_body_is_a_curve() {
    let mut metric = BodyCurves::every(0.1);
    for t in [0.0, 0.1] {
        let body =
            |name: &str, x| HostBody { name: name.into(), numbers: vec![("x", "m", x), ("angle", "rad", t)] };
        metric.add(t, &[body("box", 1.0 + t), body("ball", 2.0)]);
    }
    let series = metric.finish().series;
    let names: Vec<_> = series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["box x", "box angle", "ball x", "ball angle"]);
    assert_eq!((&series[0].x, &series[0].y), (&vec![0.0, 0.1], &vec![1.0, 1.1]));
    assert_eq!(series[1].y_unit, "rad");
}
