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

/// Lightness and both hues of a color `#rrggbb` in CIELAB, under daylight D65.
fn lab(name: &str) -> [f64; 3] {
    let channel = |at: usize| {
        let c = f64::from(u8::from_str_radix(&name[at..at + 2], 16).unwrap()) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = [1, 3, 5].map(channel);
    let root = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    let y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// `compare` has ten methods. An eye sees a difference of 2.3 (Mahy, Van Eycken & Oosterlinck 1994).
#[test]
fn sixteen_styles_look_different() {
    let names: Vec<_> = (0..100).map(|style| color_names(style)[0].clone()).collect();
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
    let colors: Vec<_> = names[..16].iter().map(|name| lab(name)).collect();
    for (i, a) in colors.iter().enumerate() {
        for (j, b) in colors[..i].iter().enumerate() {
            let apart = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
            assert!(apart > 4.0 * 2.3, "styles {j} and {i}: {apart:.1}");
        }
    }
    let marked = |style| {
        let mut chart = chart(Vec::new());
        chart.lines = vec![Line::new("a", Look::Joined, style, vec![(0.0, 1.0), (1.0, 2.0)])];
        chart.svg().unwrap().contains("<circle")
    };
    assert!(marked(0) && !marked(8), "the first and the ninth have the same marker");
}
