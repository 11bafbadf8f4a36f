//! Does a report hold what it must, and nothing that reaches out?

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests")]

use super::synthetic;

use std::path::{Path, PathBuf};

use bench_suite::report::{self, Page};
use bench_suite::result::{Comparison, CurveStyle, Image, ReferenceCurve};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sph-report-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn written(all: &Comparison, page: Page, name: &str) -> (PathBuf, String) {
    let folder = folder(name);
    report::write(all, page, &folder).unwrap();
    let html = std::fs::read_to_string(folder.join("index.html")).unwrap();
    (folder, html)
}

/// Every opened element is closed, in order.
fn assert_balanced(html: &str) {
    const EMPTY: [&str; 14] = [
        "meta", "link", "img", "br", "!DOCTYPE", "?xml", "circle", "rect", "line", "polyline", "polygon",
        "path", "hr", "input",
    ];
    let without = |html: &str, name: &str| {
        let end = format!("</{name}>");
        html.split(&format!("<{name}>")).map(|part| part.split(&end).last().unwrap()).collect::<String>()
    };
    let body = without(&without(html, "style"), "script");
    let mut open = Vec::new();
    for tag in body.split('<').skip(1).map(|tag| tag.split('>').next().unwrap()) {
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "closed in the wrong order");
        } else if !EMPTY.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

fn assert_fetches_nothing(html: &str) {
    for reach in [
        "src=\"http",
        "src=\"/",
        "<script ",
        "import",
        "fetch(",
        "XMLHttp",
        "url(",
        "<iframe",
        "<object",
        "<base",
        "srcset",
    ] {
        assert!(!html.contains(reach), "{reach}");
    }
    let links = html.split("<link ").skip(1);
    assert!(links.map(|link| link.split('>').next().unwrap()).all(|link| link.contains("href=\"data:")));
}

#[test]
fn a_comparison_holds_all_its_parts() {
    let (folder, html) = written(&synthetic::comparison(), Page::Compare, "compare");
    for part in [
        "Which method for what",
        "Smallest error of the finest runs:",
        "Wall time to an error",
        "Error against wall time: dam break 2D",
        "Convergence: resting column",
        "Martin &amp; Moyce 1952",
        "first order",
        "Particles",
        "Conservation",
        "total energy [J/m]",
        "Time per step",
        "Memory of each run",
        "Invented CPU 9000 &amp; Sons",
        "0123456789ab",
        "cargo run --release -- compare",
        "Resolved scenes",
        "spacing = ",
        "https://doi.org/10.1098/rsta.1952.0006",
        "particle 1377 has density NaN &lt;at",
        "data:image/png;base64,",
        "avx2",
        "f32",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("NaN,") && !html.contains("inf,"), "a coordinate is not finite");
    assert_balanced(&html);
    assert_fetches_nothing(&html);
    for name in ["results.json", "runs.csv", "scores.csv", "series.csv", "phases.csv"] {
        assert!(folder.join(name).metadata().unwrap().len() > 100, "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_validation_says_what_is_met_and_what_is_missed() {
    let (folder, html) = written(&synthetic::comparison(), Page::Validate, "validate");
    for part in [
        "checks are met",
        "Where each method fails",
        "✗ missed",
        "✓ met",
        "run failed",
        "error ≤ 6\u{a0}%",
        "hydrostatic, exact",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert_balanced(&html);
    assert_fetches_nothing(&html);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn stored_results_give_the_same_page() {
    let all = synthetic::comparison();
    let (folder, html) = written(&all, Page::Compare, "again");
    let stored = report::load(&folder.join("results.json")).unwrap();
    assert_eq!(stored.results.len(), all.results.len());
    assert!(report::compare::page(&stored, &folder).unwrap() == html, "the pages differ");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_and_only_failures_still_give_a_page() {
    let empty = Comparison { title: "Nothing".into(), ..Comparison::default() };
    assert_balanced(&report::compare::page(&empty, Path::new(".")).unwrap());
    assert_balanced(&report::validate::page(&empty, Path::new(".")).unwrap());
    assert_balanced(&report::run::page(&empty, Path::new(".")).unwrap());
    let mut all = synthetic::comparison();
    for run in &mut all.results {
        run.failure = Some("out of <memory>".into());
        run.series.iter_mut().for_each(|series| series.y.fill(f64::NAN));
        run.scores.clear();
    }
    for page in [report::compare::page, report::validate::page, report::run::page] {
        let html = page(&all, Path::new(".")).unwrap();
        assert_balanced(&html);
        assert!(html.contains("out of &lt;memory&gt;"));
    }
}

/// Plots of the quantity that only some methods have name those alone; a line of text names the others.
#[test]
fn a_method_that_lacks_a_quantity_is_named_and_not_drawn() {
    let mut all = synthetic::comparison();
    all.results.retain(|run| run.case == "resting column");
    let last = all.results.last().unwrap().variant.clone();
    let line = format!("No pressure over depth of {last}: the method has no such quantity.");
    let figures = |all: &Comparison| report::figures::results(all, "resting column").unwrap();
    let drawn = |all: &Comparison| figures(all)[0].svg.contains(&last);
    let page = |all: &Comparison| report::validate::page(all, Path::new(".")).unwrap();
    assert!(drawn(&all) && !page(&all).contains(&line));
    for run in all.results.iter_mut().filter(|run| run.variant == last) {
        (run.series[0].x, run.series[0].y) = (Vec::new(), Vec::new());
    }
    assert!(!drawn(&all) && page(&all).contains(&line));
    assert!(report::compare::page(&all, Path::new(".")).unwrap().contains(&line));
    // Where all lack it there is no plot.
    all.results.retain(|run| run.variant == last);
    assert!(figures(&all).is_empty() && page(&all).contains(&line));
}

/// A curve that was fitted to a run is drawn beside the run's own.
#[test]
fn fitted_curves_are_drawn() {
    let mut all = synthetic::comparison();
    let run = all.results.iter_mut().find(|run| run.case == "resting column").unwrap();
    run.fits = vec![ReferenceCurve {
        case: run.case.clone(),
        series: run.series[0].name.clone(),
        label: "a fitted line".into(),
        style: CurveStyle::Line,
        x: vec![0.0, 1.0],
        y: vec![9000.0, 0.0],
        ..ReferenceCurve::default()
    }];
    assert!(report::validate::page(&all, Path::new(".")).unwrap().contains("a fitted line"));
}

/// Results may come from anyone.
#[test]
fn a_picture_outside_of_the_folder_is_not_shown() {
    let inner = Path::new(env!("CARGO_TARGET_TMPDIR")).join("picture-outside/inner");
    std::fs::create_dir_all(&inner).unwrap();
    let outer = inner.with_file_name("outer.png");
    [&outer, &inner.join("own.png")].iter().for_each(|path| std::fs::write(path, "a secret").unwrap());
    let mut all = synthetic::comparison();
    all.results.retain(|run| !run.frames.is_empty());
    let mut shows = |path: &str| {
        all.results[0].frames[0].image = Image::File(path.into());
        !report::compare::page(&all, &inner).unwrap().contains("is missing")
    };
    assert!(shows("own.png"));
    for path in ["../outer.png", outer.to_str().unwrap(), "/dev/zero", "./../outer.png"] {
        assert!(!shows(path), "{path}");
    }
}

#[test]
fn a_missing_picture_is_told() {
    let mut all = synthetic::comparison();
    all.results.retain(|run| !run.frames.is_empty());
    all.results[0].frames[0].image = Image::File("frames/<gone>.png".into());
    let html = report::compare::page(&all, Path::new("/nowhere")).unwrap();
    assert!(html.contains("The picture frames/&lt;gone&gt;.png is missing."));
}
