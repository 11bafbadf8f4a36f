//! What a failed run leaves behind: why it stopped, the particles around the culprit, and no number that is not
//! finite.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use bench_suite::{
    output::{self, FrameData, Values},
    result::failure::Failure,
    run,
    system::processor::Processor,
};
use serde_json::Value;
use sph_core::{Real, run::simulation::Simulation, scene::Scene};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const SCENE: &str = r#"
title = "Too soft"
spacing = 0.05
run.end_time = 2.0

[[fluid]]
shape.block = { min = [0.0, 0.5], max = [0.5, 1.5] }

[[wall]]
shape.block = { min = [0.0, 0.0], max = [0.5, 1.6] }
layers = 3

[solver]
name = "wcsph"
sound_speed = 3.0
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failure-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The particles around the failure, as they were written.
fn written(folder: &Path) -> FrameData<2> {
    output::read_vtu(&folder.join(run::FAILURE_FILE)).unwrap().try_into().unwrap()
}

fn flags(frame: &FrameData<2>) -> &[u32] {
    match &frame.field("not_finite").unwrap().values {
        Values::Count(flags) => flags,
        other => panic!("{other:?}"),
    }
}

/// Positions and all fields are finite.
fn is_finite(frame: &FrameData<2>) -> bool {
    let fields = frame.fields.iter().flat_map(|field| match &field.values {
        Values::Scalar(values) => vec![values],
        Values::Vector(axes) => axes.iter().collect(),
        Values::Count(_) => Vec::new(),
    });
    frame.x.iter().chain(fields).all(|values| values.iter().all(|x| x.is_finite()))
}

#[test]
fn the_command_says_why_and_leaves_the_culprit() {
    let folder = folder("command");
    fs::write(folder.join("soft.toml"), SCENE).unwrap();
    let mut sph = Command::new(env!("CARGO_BIN_EXE_sph"));
    let output = sph.current_dir(&folder).args(["run", "soft.toml", "--out", "out"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["the run stopped: step ", "likely cause: the sound speed is too low", "suggested: "] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    let text = fs::read_to_string(folder.join("out/results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let run = &results["results"][0];
    let report = &run["failure_report"];
    assert_eq!(report["likely_cause_name"], "sound_too_low");
    assert_eq!(run["failure"].as_str().unwrap().lines().count(), 1);
    let id = report["culprit"]["id"].as_u64().unwrap();
    let frame = written(&folder.join("out"));
    assert!(frame.id.contains(&id) && is_finite(&frame) && frame.field("pressure").is_some());
    assert!(!folder.join("out/final.vtu").exists(), "the last state cannot be continued from");
    for name in ["results.json", "index.html"] {
        assert!(!fs::read_to_string(folder.join("out").join(name)).unwrap().contains("NaN"), "{name}");
    }
}

/// A run that went on from a checkpoint and fails before the next one names the one that it came from.
#[test]
fn the_last_checkpoint_is_named_after_a_restart_too() {
    let folder = folder("restart");
    fs::write(folder.join("soft.toml"), SCENE).unwrap();
    let sph = |more: &[&str]| {
        let mut sph = Command::new(env!("CARGO_BIN_EXE_sph"));
        let run = ["run", "soft.toml", "--out", "out"];
        let output = sph.current_dir(&folder).args(run).args(more).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let named = |message: &str| {
        let line = message.lines().find(|line| line.contains("last good checkpoint: ")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{message}"))
    };
    let first = named(&sph(&["--checkpoint-every", "5"]));
    assert!(first.contains("checkpoint-") && named(&sph(&["--resume"])) == first, "{first}");
}

#[test]
fn what_is_not_finite_is_flagged_and_not_written() {
    let folder = folder("flags");
    let scene = Scene::parse("soft.toml", SCENE).unwrap();
    let mut sim: Simulation<2> = run::simulation(&scene, &Processor::default()).unwrap();
    sim.run(1.0, 3, &mut []).unwrap();
    let id = sim.state.fluid.id[50];
    sim.state.fluid.v[1][50] = Real::NAN;
    sim.state.fluid.rho[50] = Real::INFINITY;
    let failure = Failure::of(&sim.step(1.0).unwrap_err());
    assert_eq!(
        (failure.phase.as_str(), failure.likely_cause_name.as_str()),
        ("before the step", "bad_value")
    );
    failure.write_vtu(&sim, &folder).unwrap();
    let frame = written(&folder);
    let (ids, flags) = (&frame.id, flags(&frame));
    assert!(ids.len() > 10 && ids.len() < sim.state.fluid.len(), "{} particles", ids.len());
    assert!(ids.iter().zip(flags).all(|(&i, &flag)| flag == if i == id { 2 + 4 } else { 0 }));
    assert!(is_finite(&frame));
}

/// A NaN position has no surroundings; the particle is written all the same.
#[test]
fn a_culprit_without_a_place_stands_alone() {
    let folder = folder("alone");
    let scene = Scene::parse("soft.toml", SCENE).unwrap();
    let mut sim: Simulation<2> = run::simulation(&scene, &Processor::default()).unwrap();
    sim.state.fluid.x[0][50] = Real::NAN;
    let failure = Failure::of(&sim.step(1.0).unwrap_err());
    failure.write_vtu(&sim, &folder).unwrap();
    let frame = written(&folder);
    assert_eq!((frame.id.len(), flags(&frame)), (1, &[1][..]));
    let text = serde_json::to_string(&failure).unwrap();
    let again: Failure = serde_json::from_str(&text).unwrap();
    assert!(again.culprit.unwrap().x[0].is_nan(), "{text}");
}

#[test]
fn a_checkpoint_to_go_on_from_is_named() {
    let failure =
        Failure { text: "stopped".into(), last_checkpoint: Some("a/b".into()), ..Failure::default() };
    assert_eq!(failure.to_string(), "stopped\n  last good checkpoint: a/b");
}

/// Smaller steps do not mend a fluid that is too soft: the run says what it tried, and gives up.
#[test]
fn retries_are_told_and_kept() {
    let folder = folder("retries");
    // Else the run ends when its first particles have passed a wall.
    let policy =
        "run.end_time = 2.0\nrun.escape_limit = 1.0\nrun.on_failure = \"reduce_dt\"\nrun.max_retries = 2";
    fs::write(folder.join("soft.toml"), SCENE.replace("run.end_time = 2.0", policy)).unwrap();
    let mut sph = Command::new(env!("CARGO_BIN_EXE_sph"));
    let output = sph.current_dir(&folder).args(["run", "soft.toml", "--out", "out"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains(": back to step ") && message.contains("tried before: step "), "{message}");
    let results: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("out/results.json")).unwrap()).unwrap();
    let retries = results["results"][0]["retries"].as_array().unwrap();
    assert!(retries.len() >= 2 && retries[0]["scale"] == 0.5, "{retries:?}");
}
