//! A run that is killed at any moment goes on from its checkpoints, with the bits of a run that was not.
//!
//! `SPH_KILLS` says how often (default 12): `SPH_KILLS=1000 cargo test --release -p sph --test command kill::`.
#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]
#![allow(clippy::print_stdout, reason = "skips and counts are printed")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

const SCENE: &str = r#"
title = "Killed"
spacing = 0.04
run.end_time = 0.25
[[fluid]]
shape.block = { min = [0.0, 0.0], max = [0.5, 0.6] }
[[wall]]
name = "paddle"
shape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }
side = "outside"
motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }
[[wall]]
shape.block = { min = [0.0, 0.0], max = [1.2, 1.0] }
[[command]]
at = 0.02
emitter = { name = "tap", center = [0.9, 0.6], direction = [-1.0, 0.2], radius = 0.06, speed = 2.0 }
[[command]]
at = 0.1
set = { key = "gravity", value = [1.0, -9.0] }
[solver]
name = "wcsph"
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self::with(name, SCENE)
    }

    fn with(name: &str, scene: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("sph-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("scene.toml"), scene).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sph(folder: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
    command.current_dir(folder).args([
        "run",
        "scene.toml",
        "--out",
        "out",
        "--json",
        "--checkpoint-every",
        "2",
    ]);
    command.args(more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The hash of the last state, when the program ended by itself.
fn hash(child: Child) -> String {
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["results"][0]["state_hash"].as_str().unwrap().to_owned()
}

fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("out/checkpoints")).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "sph"))
        .collect();
    all.sort();
    all
}

#[test]
fn a_killed_run_goes_on_with_equal_bits() {
    goes_on_when_killed("kill-wcsph", SCENE);
}

#[test]
fn with_what_position_based_fluids_keep_it_goes_on_too() {
    let table = "name = \"pbf\"\nvelocity_update = \"second_order\"\ndt_max = 0.004";
    let longer = SCENE.replace("end_time = 0.25", "end_time = 1.0");
    goes_on_when_killed("kill-pbf", &longer.replace("name = \"wcsph\"", table));
}

fn goes_on_when_killed(name: &str, scene: &str) {
    let kills: u64 = std::env::var("SPH_KILLS").map_or(12, |n| n.parse().unwrap());
    let folder = Folder::with(name, scene);
    let begun = Instant::now();
    let whole = hash(sph(&folder.0, &["--fresh"]));
    let long = begun.elapsed();
    let mut random = 42_u64;
    let (mut done, mut finished, mut passed) = (0, 0, 0);
    fs::remove_dir_all(folder.0.join("out")).unwrap();
    while done < kills {
        let resume: &[&str] = if checkpoints(&folder.0).is_empty() { &["--fresh"] } else { &["--resume"] };
        let mut child = sph(&folder.0, resume);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sleep(long.mul_f64((random >> 33) as f64 / (1_u64 << 31) as f64 * 0.4));
        if child.try_wait().unwrap().is_some() {
            // It came to its end first.
            assert_eq!(hash(child), whole, "after {done} kills");
            finished += 1;
            fs::remove_dir_all(folder.0.join("out")).unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        done += 1;
        let all = checkpoints(&folder.0);
        assert!(all.len() <= 3, "{all:?}");
        if let Some(newest) = all.last() {
            // A rename is all or nothing: the newest itself is whole, not only the one before it.
            bench_suite::run::checkpoints::read(newest).unwrap_or_else(|error| panic!("{error}"));
            passed += 1;
        }
    }
    let resume: &[&str] = if checkpoints(&folder.0).is_empty() { &["--fresh"] } else { &["--resume"] };
    assert_eq!(hash(sph(&folder.0, resume)), whole);
    println!(
        "{name}: {kills} kills, {passed} left checkpoints, {finished} runs came to their end between them"
    );
    assert!(passed > 0);
}

#[test]
fn an_interrupted_run_writes_a_checkpoint_and_goes_on() {
    let folder = Folder::new("interrupt");
    let whole = hash(sph(&folder.0, &["--fresh"]));
    fs::remove_dir_all(folder.0.join("out")).unwrap();
    let child = sph(&folder.0, &["--fresh"]);
    while checkpoints(&folder.0).is_empty() {
        sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(130), "{text}");
    assert!(text.contains("--resume") && text.contains("interrupted after step"), "{text}");
    assert!(folder.0.join("out/index.html").is_file());
    assert_eq!(hash(sph(&folder.0, &["--resume"])), whole);
}

#[test]
fn a_fresh_run_does_not_mix_with_another() {
    let folder = Folder::new("mix");
    hash(sph(&folder.0, &["--fresh"]));
    let out = sph(&folder.0, &[]).wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("--fresh") && text.contains("--resume"), "{text}");
    let other = SCENE.replace("0.04", "0.05");
    fs::write(folder.0.join("scene.toml"), other).unwrap();
    let out = sph(&folder.0, &["--resume"]).wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("spacing = 0.05") && text.contains("0.04"), "{text}");
}
