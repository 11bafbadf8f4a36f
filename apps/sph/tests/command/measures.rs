//! Measures of runs that are resumed, repeated, and go back.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use crate::cli::{SCENE, folder, sph, stderr};
use std::{fs, path::Path};

const LEVEL: &str =
    "[[measure]]\nname = \"level\"\ngauge = { from = [0.25, 0.0], to = [0.25, 0.9] }\n[solver]";

fn scene(end: f64, measures: &str) -> String {
    let run = format!("end_time = {end}\nrun.time_step = 0.001");
    SCENE.replace("end_time = 0.02", &run).replace("[solver]", measures)
}

fn run(folder: &Path, text: &str, more: &[&str]) {
    fs::write(folder.join("scene.toml"), text).unwrap();
    let output = sph(folder, &[&["run", "scene.toml", "--out", "out"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

fn times(folder: &Path) -> Vec<f64> {
    let text = fs::read_to_string(folder.join("out/measures/level.csv")).unwrap();
    text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

/// The interval that a scene leaves out follows from the length of the run that began: a longer one goes on with it.
#[test]
fn a_resumed_run_that_becomes_longer_keeps_its_interval() {
    let folder = folder("measures-longer");
    run(&folder, &scene(0.2, LEVEL), &["--checkpoint-every", "5"]);
    let short = times(&folder);
    run(&folder, &scene(0.4, LEVEL), &["--resume"]);
    let long = times(&folder);
    // The shorter run ends at its end by name, the longer one goes by sums.
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near(&long, &short) && long.len() > short.len(), "what was measured stays: {long:?}");
    let explicit = LEVEL.replace("gauge", "interval = 0.002\ngauge");
    run(&folder, &scene(0.4, &explicit), &["--fresh"]);
    let whole = times(&folder);
    let message = "as if it had been so long from the beginning";
    assert!(near(&long, &whole) && long.len() == whole.len() && whole.len() == 201, "{message}: {long:?}");
}

#[test]
fn what_is_measured_no_more_leaves_no_file() {
    let folder = folder("measures-stale");
    let other = LEVEL.replace("\"level\"", "\"old level\"");
    run(&folder, &scene(0.02, &other), &[]);
    fs::write(folder.join("out/measures/notes.txt"), "mine").unwrap();
    run(&folder, &scene(0.02, LEVEL), &[]);
    let mut names: Vec<_> =
        fs::read_dir(folder.join("out/measures")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["level.csv", "level.npz", "notes.txt"]);
}

/// A run that goes back forgets what it has measured since: each interval has one sample, in order.
#[test]
fn a_run_that_goes_back_measures_each_moment_once() {
    let folder = folder("measures-back");
    let text = "title = \"Falling\"\nspacing = 0.05\nrun.end_time = 0.4\nrun.escape_limit = 1.0\nrun.time_step = 0.006\n\
                run.allow_unstable_time_step = true\nrun.on_failure = \"reduce_dt\"\nrun.snapshot_every = 3\n[[fluid]]\n\
                shape.block = { min = [0.0, 0.3], max = [0.5, 0.8] }\n[[wall]]\nshape.block = { min = [0, 0], max = [1, 1] }\n\
                layers = 3\n[[measure]]\nname = \"level\"\ninterval = 0.01\ntotals = [\"center\"]\n[solver]\nname = \"wcsph\"\n";
    fs::write(folder.join("scene.toml"), text).unwrap();
    let output = sph(&folder, &["run", "scene.toml", "--out", "out"]);
    let message = stderr(&output);
    assert!(message.starts_with("step 6, t = 0.036000 s: back to step 3, steps times 0.5"), "{message}");
    let times = times(&folder);
    for pair in times.windows(2) {
        let intervals = [pair[0], pair[1]].map(|t| (t / 0.01 + 1e-9).floor());
        assert!(intervals[1] == intervals[0] + 1.0, "{times:?}");
    }
    // The steps that failed had come to 0.024 s. Those of half the size, from 0.018 s on, meet the interval sooner.
    assert!((times[2] - 0.021).abs() < 1e-9 && times.len() > 10, "{times:?}");
}
