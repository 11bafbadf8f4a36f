use bench_suite::report::plots::{axis::Label, *};

fn chart(points: Vec<(f64, f64)>) -> Chart {
    Chart {
        title: "Front & height".into(),
        x: Label::linear("time", "s"),
        y: Label::log("error", "%"),
        lines: vec![
            Line::new("a <b>", Look::Curve, 0, points),
            Line::new("guide", Look::Guide, 0, vec![(0.0, 1.0), (1.0, 2.0)]),
        ],
        x_ticks: Vec::new(),
    }
}

#[test]
fn a_plot_is_one_element_with_text_as_text() {
    let svg = chart((1..50).map(|i| (f64::from(i), f64::from(i * i))).collect()).svg().unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("Front &amp; height") && svg.contains("a &lt;b&gt;"));
    assert!(svg.contains("time [s]") && svg.contains("error [%]"));
    assert!(!svg.contains("<path d=\"M"), "text as outlines");
}

#[test]
fn numbers_that_cannot_be_drawn_are_left_out() {
    let odd = vec![(f64::NAN, 1.0), (0.0, f64::INFINITY), (1.0, -1.0), (2.0, 3.0), (3.0, 4.0)];
    let svg = chart(odd).svg().unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert!(chart(Vec::new()).svg().is_ok());
}

#[test]
fn the_numbers_of_a_plot_are_a_table() {
    let mut chart = chart(vec![(0.5, 1.0 / 3.0), (1e-7, f64::NAN)]);
    chart.lines[0].label = "a, b".into();
    assert_eq!(chart.csv(), "time [s],error [%],line\n0.5,0.3333333,\"a, b\"\n1e-7,,\"a, b\"\n");
    let bars = bars::Bars {
        title: "Time".into(),
        unit: "ms".into(),
        parts: vec!["sort".into(), "force".into()],
        bars: vec![("WCSPH, 40 across".into(), vec![1.25, 2.0])],
    };
    assert_eq!(
        bars.csv(),
        "value [ms],part,bar\n1.25,sort,\"WCSPH, 40 across\"\n2,force,\"WCSPH, 40 across\"\n"
    );
}

#[test]
fn a_label_too_long_is_cut_short() {
    let mut chart = chart(vec![(1.0, 1.0), (2.0, 2.0)]);
    chart.lines[0].label = "long ".repeat(40);
    let svg = chart.svg().unwrap();
    assert!(svg.contains('…') && !svg.contains(&"long ".repeat(30)));
}

#[test]
fn a_long_legend_takes_more_rows() {
    let labels = ["x".repeat(40), "y".repeat(40), "z".into()];
    let rows = legend_rows(labels.iter().map(String::as_str));
    assert_eq!(rows.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [0, 1, 1]);
}
