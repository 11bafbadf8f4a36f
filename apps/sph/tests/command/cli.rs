//! The `sph` command as people and scripts meet it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use bench_suite::campaign::{Effort, plan};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A tiny dam break that is over in a moment.
pub const SCENE: &str = r#"
title = "Tiny"
spacing = 0.1
run.end_time = 0.02

[[fluid]]
shape.block = { min = [0.0, 0.0], max = [0.5, 0.5] }

[[wall]]
shape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }
layers = 3

[solver]
name = "wcsph"
"#;

/// Runs `sph` in a folder of its own.
pub fn sph(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sph"))
        .current_dir(folder)
        .args(args)
        .env_remove("SPH_ISA")
        .env_remove("SPH_BACKEND")
        .output()
        .unwrap()
}

pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Refused input: exit code 2, one clean line that holds `parts`, and nothing written.
pub fn assert_refused(folder: &Path, args: &[&str], parts: &[&str]) {
    let before = names(folder);
    let output = sph(folder, args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{args:?}: {part:?} is not in {message:?}");
    }
    assert!(!message.contains("panicked"), "{message}");
    assert_eq!(names(folder), before, "{args:?} left something behind");
}

fn run_tiny(folder: &Path, more: &[&str]) -> Output {
    fs::write(folder.join("tiny.toml"), SCENE).unwrap();
    let output = sph(folder, &[&["run", "tiny.toml", "--out", "out"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

#[test]
fn list_names_cases_variants_solvers_and_scenes() {
    let text = stdout(&sph(&folder("list"), &["list"]));
    for name in ["dam_break", "column_3d", "wcsph-delta", "wcsph-graphics", "wcsph ", "dam_break_2d.toml"] {
        assert!(text.contains(name), "{name} is not in {text}");
    }
}

#[test]
fn list_is_json_for_machines() {
    let list: Value = serde_json::from_str(&stdout(&sph(&folder("list-json"), &["list", "--json"]))).unwrap();
    let has =
        |table: &str, key: &str, value: &str| list[table].as_array().unwrap().iter().any(|e| e[key] == value);
    assert!(has("cases", "name", "dam_break") && has("variants", "name", "wcsph-delta"));
    assert!(has("solvers", "name", "wcsph") && has("scenes", "title", "Dam break in 2D"));
}

#[test]
fn list_parameters_tells_unit_range_and_default() {
    let folder = folder("parameters");
    let text = stdout(&sph(&folder, &["list", "--parameters"]));
    let line = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap().to_owned();
    let words = |name: &str| line(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(words("cfl_sound"), "cfl_sound - (0, 2] 0.5");
    assert_eq!(words("end_time"), "end_time s (0, inf) must be given");
    let json: Value =
        serde_json::from_str(&stdout(&sph(&folder, &["list", "--parameters", "--json"]))).unwrap();
    let cfl = json["solver, wcsph"].as_array().unwrap().iter().find(|p| p["name"] == "cfl").unwrap().clone();
    assert_eq!((cfl["range"].as_str(), cfl["default"].as_str()), (Some("(0, 1]"), Some("0.4")));
}

#[test]
fn list_parameters_tells_commands_and_choices() {
    let folder = folder("choices");
    let text = stdout(&sph(&folder, &["list", "--parameters"]));
    for table in
        ["[[command]]", "[[fluid]], command.add", "command.push.path", "motion.piecewise", "solver, pbf"]
    {
        assert!(text.lines().any(|line| line == table), "{table:?} is not in {text}");
    }
    let json: Value =
        serde_json::from_str(&stdout(&sph(&folder, &["list", "--parameters", "--json"]))).unwrap();
    let values = |table: &str, key: &str| {
        let found = json[table].as_array().unwrap().iter().find(|p| p["name"] == key).unwrap();
        found["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(values("neighbors", "backend"), ["dense_grid", "hash_grid", "brute_force"]);
    assert_eq!(
        values("[[wall]]", "motion"),
        ["static", "translation", "oscillation", "rotation", "piecewise", "formula", "table"]
    );
    assert_eq!(values("domain", "periodic"), ["x", "y", "z"]);
    assert_eq!(values("solver", "preset")[..2], ["validation", "graphics"]);
    assert!(values("[[command]]", "close").is_empty());
}

#[test]
fn schema_is_json_and_knows_the_solver() {
    let schema: Value = serde_json::from_str(&stdout(&sph(&folder("schema"), &["schema"]))).unwrap();
    let solver = &schema["$defs"]["Solver"];
    assert_eq!(solver["properties"]["delta_sph"]["default"], 0.1);
    assert_eq!(solver["properties"]["preset"]["enum"][1], "graphics");
    assert_eq!(solver["additionalProperties"], false);
}

#[test]
fn run_writes_report_results_and_particles() {
    let folder = folder("run");
    let text = stdout(&run_tiny(&folder, &[]));
    for part in
        ["25 fluid particles", "wall samples", "support radius h: 0.3", "sound speed", "(binds)", "steps/s"]
    {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let names = names(&folder.join("out"));
    for name in ["index.html", "results.json", "final.vtu"] {
        assert!(names.iter().any(|n| n == name), "{name} is not among {names:?}");
    }
    let results: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("out/results.json")).unwrap()).unwrap();
    assert_eq!(results["results"][0]["n_fluid"], 25);
    assert!(results["results"][0]["steps"].as_u64().unwrap() > 0);
}

#[test]
fn run_writes_frames_and_picture_draws_them() {
    let folder = folder("frames");
    let frames = ["--format", "vtu,csv", "--frames-every", "5", "--fields", "velocity,speed,pressure"];
    let text = stdout(&run_tiny(&folder, &frames));
    assert!(text.contains("frames: out/frames"), "{text}");
    let found = names(&folder.join("out/frames"));
    for name in ["fluid.pvd", "frames.csv", "walls.vtu", "frame_000000000.csv", "frame_000000005.vtu"] {
        assert!(found.iter().any(|n| n == name), "{name} is not among {found:?}");
    }
    let draw = ["picture", "out", "--color-by", "pressure", "--size", "320x240"];
    let output = sph(&folder, &draw);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let drawn = stdout(&output).lines().count();
    assert_eq!(
        drawn,
        found.iter().filter(|name| name.starts_with("frame_") && name.ends_with("vtu")).count()
    );
    let mut picture = png::Decoder::new(std::io::Cursor::new(
        fs::read(folder.join("out/frames/frame_000000005.png")).unwrap(),
    ));
    let head = picture.read_header_info().unwrap();
    assert_eq!((head.width, head.height), (320, 240));
    assert_refused(&folder, &["picture", "out/results.json"], &["out/results.json", "no .vtu file"]);
    assert_refused(
        &folder,
        &["picture", "out", "--color-by", "heat"],
        &["\"heat\"", "velocity, speed, pressure"],
    );
    assert_refused(&folder, &["picture", "out", "--range", "2,1"], &["the lower first"]);
    assert_refused(&folder, &["picture", "out", "--size", "10x10"], &["10 × 10 pixels"]);
    assert_refused(&folder, &["picture", "."], &["holds no frames"]);
}

/// As the help of `sph picture` says.
#[test]
fn picture_of_a_plain_run_draws_its_last_particles() {
    let folder = folder("plain-picture");
    run_tiny(&folder, &[]);
    let output = sph(&folder, &["picture", "out", "--size", "320x240"]);
    assert_eq!((stdout(&output), stderr(&output)), ("out/final.png\n".into(), String::new()));
    // Frames in other formats are none that it could draw.
    run_tiny(&folder, &["--format", "csv"]);
    assert_eq!(stdout(&sph(&folder, &["picture", "out", "--size", "320x240"])), "out/final.png\n");
}

#[cfg(not(feature = "mesh"))]
#[test]
fn mesh_says_how_to_get_it() {
    let folder = folder("no-mesh");
    let line = "cargo run --release --features mesh -- mesh out --cube 0.5 'a b'";
    assert_refused(&folder, &["mesh", "out", "--cube", "0.5", "a b"], &[line]);
}

/// One run is compared with nothing.
#[test]
fn the_report_of_a_run_has_a_page_of_its_own() {
    let folder = folder("page");
    run_tiny(&folder, &[]);
    let page = fs::read_to_string(folder.join("out/index.html")).unwrap();
    for part in [
        "Came to its end",
        "Fluid particles",
        "Hash of the last state",
        "Before the first step",
        "sound speed",
        "Time by phase",
    ] {
        assert!(page.contains(part), "{part:?}");
    }
    for part in ["Across", "0 across", "finest", "none set", "Which method for what"] {
        assert!(!page.contains(part), "{part:?}");
    }
    assert!(page.contains("cargo run --release -- run tiny.toml --out out"));
}

#[test]
fn frames_that_cannot_be_are_refused() {
    let folder = folder("no-frames");
    fs::write(folder.join("tiny.toml"), SCENE).unwrap();
    let refused = |args: &[&str], parts: &[&str]| {
        assert_refused(&folder, &[&["run", "tiny.toml", "--out", "out"], args].concat(), parts);
    };
    refused(&["--format", "bmp"], &["bmp", "vtu"]);
    refused(&["--fields", "heat"], &["--fields = \"heat\": is no field", "velocity", "pressure"]);
    refused(&["--format", "png", "--color-by", "heat"], &["--color-by = \"heat\""]);
    refused(&["--color-by", "speed"], &["--format png"]);
    refused(&["--frames-every", "0"], &["--frames-every"]);
    refused(&["--frame-interval", "-1"], &["--frame-interval"]);
    refused(&["--frame-interval", "1", "--frames-every", "2"], &["cannot be used with"]);
}

#[test]
fn run_prints_nothing_but_json_for_machines() {
    let folder = folder("run-json");
    let printed: Value = serde_json::from_str(&stdout(&run_tiny(&folder, &["--json"]))).unwrap();
    assert_eq!(printed["results"][0]["case"], "tiny");
}

#[test]
fn threads_of_the_scene_hold_unless_the_command_line_names_others() {
    let folder = folder("threads");
    let threads = |more: &[&str]| {
        fs::write(folder.join("t.toml"), SCENE.replace("run.end_time", "run.threads = 3\nrun.end_time"))
            .unwrap();
        let output = sph(&folder, &[&["run", "t.toml", "--out", "out", "--json"], more].concat());
        let printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
        printed["results"][0]["threads"].as_u64().unwrap()
    };
    assert_eq!(threads(&[]), 3);
    assert_eq!(threads(&["--threads", "2"]), 2);
}

#[test]
fn report_draws_the_same_page_again() {
    let folder = folder("report");
    run_tiny(&folder, &[]);
    let page = folder.join("out/index.html");
    let first = fs::read(&page).unwrap();
    fs::remove_file(&page).unwrap();
    let output = sph(&folder, &["report", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(first.len() > 10_000 && fs::read(&page).unwrap() == first);
}

#[test]
fn a_run_that_stops_ends_with_one_and_says_why() {
    let folder = folder("stops");
    let text = SCENE.replace("[solver]", "[solver]\nsound_speed = 1e9");
    fs::write(folder.join("stops.toml"), text).unwrap();
    let output = sph(&folder, &["run", "stops.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("below its floor"), "{}", stderr(&output));
    assert!(fs::read_to_string(folder.join("out/index.html")).unwrap().contains("below its floor"));
}

#[test]
fn a_wrong_scene_is_refused_with_its_place() {
    let folder = folder("wrong");
    let wrong = [
        ("spacing = 0.1", "spacing = -0.1", "wrong.toml:3:11: spacing = -0.1: must lie in (0, inf) [m]"),
        ("layers = 3", "leyers = 3", "wrong.toml:11:1"),
        ("name = \"wcsph\"", "name = \"pbd\"", "wrong.toml:14:8"),
        (
            "name = \"wcsph\"",
            "name = \"wcsph\"\ncfl = 2.0",
            "wrong.toml:15:7: solver.cfl = 2: must lie in (0, 1] [-]",
        ),
        ("title = \"Tiny\"", "title = \"Tiny", "wrong.toml:2:"),
        ("max = [0.5, 0.5]", "max = [0.5, 0.5, 0.5]", "wrong.toml:7:41"),
    ];
    for (right, mistake, place) in wrong {
        fs::write(folder.join("wrong.toml"), SCENE.replace(right, mistake)).unwrap();
        assert_refused(&folder, &["run", "wrong.toml", "--out", "out"], &["error: ", place]);
    }
}

#[test]
fn what_is_no_scene_file_is_refused() {
    let folder = folder("no-scene");
    fs::create_dir(folder.join("folder.toml")).unwrap();
    fs::write(folder.join("bytes.toml"), [0xff, 0xfe, 0x00, 0x81]).unwrap();
    fs::write(folder.join("empty.toml"), "").unwrap();
    fs::write(folder.join("good.toml"), SCENE).unwrap();
    assert_refused(&folder, &["run", "missing.toml"], &["missing.toml: "]);
    assert_refused(&folder, &["run", "folder.toml"], &["folder.toml: "]);
    assert_refused(&folder, &["run", "bytes.toml"], &["bytes.toml: ", "UTF-8"]);
    assert_refused(&folder, &["run", "empty.toml"], &["empty.toml:1:1", "missing"]);
    assert_refused(
        &folder,
        &["run", "good.toml", "--out", "bytes.toml"],
        &["bytes.toml", "must be a folder"],
    );
    assert_refused(&folder, &["report", "folder.toml"], &["results.json"]);
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let folder = folder("names");
    assert_refused(&folder, &["compare", "--case", "damm"], &["--case \"damm\" is unknown", "dam_break"]);
    assert_refused(&folder, &["compare", "--variant", "x"], &["--variant \"x\" is unknown", "wcsph-delta"]);
    assert_refused(&folder, &["validate", "--case", "x"], &["--case \"x\" is unknown"]);
    assert_refused(
        &folder,
        &["compare", "--isa", "mmx"],
        &["mmx", sph_core::numerics::lane::Isa::BASELINE.name()],
    );
    assert_refused(&folder, &["compare", "--threads", "0"], &["--threads"]);
    assert_refused(&folder, &["frobnicate"], &["frobnicate"]);
}

#[test]
fn soak_writes_series_figures_and_page() {
    let folder = folder("soak");
    let output = sph(&folder, &["soak", "--steps", "60", "--particles", "150", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("It held."), "{}", stdout(&output));
    let series = fs::read_to_string(folder.join("out/soak.csv")).unwrap();
    assert_eq!(series.lines().count(), 61, "a head and a line a step");
    let page = fs::read_to_string(folder.join("out/soak.md")).unwrap();
    assert!(page.starts_with("# Long rest") && page.contains("growth of memory"), "{page}");
    let figures: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("out/soak.json")).unwrap()).unwrap();
    assert_eq!((figures["steps"].as_u64(), figures["escaped"].as_u64()), (Some(60), Some(0)));
    assert!(figures["samples"][59]["energy"].as_f64().unwrap() < 1e-5);
}

#[test]
fn run_reports_how_tight_its_walls_are() {
    let text = stdout(&run_tiny(&folder("penetration"), &[]));
    assert!(text.contains("escaped particles: 0") && text.contains("deepest penetration: 0"), "{text}");
}

#[test]
fn help_shows_examples_and_exit_codes() {
    let folder = folder("help");
    let help = sph(&folder, &["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for part in
        ["Examples:", "sph compare --quick", "Exit codes: 0 done; 1", "2 bad input", "130 interrupted"]
    {
        assert!(stdout(&help).contains(part), "{part:?}");
    }
    let commands = [
        "list",
        "devices",
        "parity",
        "device-check",
        "run",
        "compare",
        "validate",
        "report",
        "schema",
        "bench",
        "picture",
        "soak",
    ];
    for command in commands {
        assert!(stdout(&sph(&folder, &[command, "--help"])).contains("Example"), "{command}");
    }
}

/// Every case and resolution of a comparison stands in its help.
#[test]
fn help_says_what_an_effort_contains() {
    let help = stdout(&sph(&folder("efforts"), &["compare", "--help"]));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for effort in [Effort::Quick, Effort::Default, Effort::Full] {
        for (case, across) in plan(effort) {
            let (last, first) = across.split_last().unwrap();
            let first = first.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let all = if first.is_empty() { last.to_string() } else { format!("{first} and {last}") };
            let behind =
                |(k, _)| help[k..].split_once(" at ").is_some_and(|(_, rest)| rest.starts_with(&all));
            assert!(help.match_indices(case).any(behind), "{effort}: {case} at {all}: {help}");
        }
    }
}

/// `sph … | head` is no failure of ours.
#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_it_without_a_word() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
    let mut child = command.arg("schema").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
}
