//! Comparisons that are interrupted, and keys that are set for them.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::cli::{SCENE, folder, sph, stderr, stdout};
use bench_suite::{campaign::Store, report};
use std::{fs, path::Path, process::Command, thread, time::Duration};

/// A part of the column's time: some seconds, in which a busy machine finds the time to kill it.
const CALL: [&str; 8] =
    ["compare", "--quick", "--case", "column", "--set", "run.end_time=0.8", "--out", "out"];

fn hashes(folder: &Path) -> Vec<String> {
    let all = report::load(&folder.join("out/results.json")).unwrap();
    all.results
        .iter()
        .map(|run| format!("{} {} {}", run.variant, run.particles_across, run.state_hash))
        .collect()
}

/// Killed after any number of runs, the same call does only the others, and has the same results.
#[test]
fn a_comparison_that_was_killed_goes_on() {
    let (killed, whole) = (folder("compare-killed"), folder("compare-whole"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_sph")).args(CALL).current_dir(&killed).spawn().unwrap();
    let store = killed.join("out").join(Store::FILE);
    let lines = || fs::read_to_string(&store).unwrap_or_default().matches('\n').count();
    while lines() < 2 && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let n_done = lines();
    assert!(n_done >= 2 && !killed.join("out/index.html").exists());
    let again = stderr(&sph(&killed, &CALL));
    assert!(again.contains(&format!("going on: {n_done} of 10 runs are done")), "{again}");
    assert!(!store.exists());
    // Bands that were met before, and are missed now.
    let mut better = report::load(&killed.join("out/results.json")).unwrap();
    let judged =
        better.results.iter_mut().flat_map(|run| &mut run.scores).filter(|score| score.band.is_some());
    judged.for_each(|score| score.passed = Some(true));
    fs::create_dir(killed.join("better")).unwrap();
    report::save(&better, &killed.join("better/results.json")).unwrap();
    let against = sph(&killed, &["report", "out", "--against", "better"]);
    assert_eq!(against.status.code(), Some(1));
    assert!(stdout(&against).contains("10 runs in both, 0 in one alone;"), "{}", stdout(&against));
    let twice = sph(&killed, &["report", "out", "better", "--out", "joined"]);
    assert!(stderr(&twice).contains("is there twice at one resolution"), "{}", stderr(&twice));
    let alone = sph(&killed, &["report", "out", "better"]);
    assert!(stderr(&alone).contains("--out: must be given"), "{}", stderr(&alone));
    let first = stderr(&sph(&whole, &CALL));
    assert!(!first.contains("going on"), "{first}");
    assert_eq!(hashes(&killed), hashes(&whole));
}

/// What is set stands in the resolved scene, in the results and in the report.
#[test]
fn keys_that_are_set_are_what_ran() {
    let folder = folder("set");
    fs::write(folder.join("tiny.toml"), SCENE).unwrap();
    let ran = sph(&folder, &["run", "tiny.toml", "--set", "fluid[0].jitter=0.05", "--out", "out"]);
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    let all = report::load(&folder.join("out/results.json")).unwrap();
    assert!(all.results[0].scene_toml.contains("jitter = 0.05"));

    let set = ["--variant", "projection", "--set", "solver.support_ratio=2.0,2.5"];
    let ran = sph(&folder, &[&CALL[..], &set].concat());
    assert!(stdout(&ran).contains("0 of 4 runs failed"), "{} {}", stdout(&ran), stderr(&ran));
    let all = report::load(&folder.join("out/results.json")).unwrap();
    let ratios: Vec<_> = all.results.iter().map(|run| run.settings[1].1.as_str()).collect();
    assert_eq!(ratios, ["2.0", "2.5", "2.0", "2.5"]);
    assert!(
        all.results
            .iter()
            .all(|run| run.scene_toml.contains(&format!("support_ratio = {}", run.settings[1].1)))
    );
    let page = fs::read_to_string(folder.join("out/index.html")).unwrap();
    assert!(page.contains("Error against solver.support_ratio: column"));
}
