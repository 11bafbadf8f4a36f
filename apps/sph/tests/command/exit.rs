//! Exit codes of every subcommand, and what becomes of results that cannot be printed.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use crate::cli::{SCENE, folder, sph, stderr, stdout};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Calls of a subcommand, which is their first words, that end with each code. Some succeed on machines with a GPU alone.
struct Codes {
    command: &'static str,
    succeeds: &'static [&'static str],
    fails: &'static [&'static str],
    refused: &'static [&'static str],
}

const fn codes(
    command: &'static str,
    succeeds: &'static [&'static str],
    fails: &'static [&'static str],
    refused: &'static [&'static str],
) -> Codes {
    Codes { command, succeeds, fails, refused }
}

const CODES: &[Codes] = &[
    codes("list", &["list", "list --parameters", "list --json"], &[], &["list all"]),
    codes("devices", &["devices"], &[], &["devices 0"]),
    codes(
        "run",
        &["run tiny.toml --out run", "run soft.toml --set solver.sound_speed=20.0 --out set"],
        &["run soft.toml --out soft"],
        &["run nowhere.toml", "run tiny.toml --set spacing=0.1,0.2", "run tiny.toml --set run.end_time=-1"],
    ),
    codes("view", &[], &[], &["view nowhere.toml", "view --port 65536", "view --most-particles 0"]),
    codes("picture", &["picture run"], &[], &["picture nowhere.vtu"]),
    #[cfg(not(feature = "mesh"))]
    codes("mesh", &[], &[], &["mesh run --cube 0.5"]),
    #[cfg(feature = "mesh")]
    codes("mesh", &[], &[], &["mesh run --cube none"]),
    codes(
        "compare",
        &["compare --quick --case column --variant wcsph-delta --out compare"],
        &["compare --quick --case dam_break --variant projection-peridyno --out missed"],
        &[
            "compare --quick --case dam_break --case column_3d",
            "compare --quick --case column --set solver.cfm_epsilon=0.1",
            "compare --quick --set spacing",
        ],
    ),
    codes(
        "validate",
        &["validate --case rebound_liquid --out validate"],
        &["validate --case dam_break --out dam"],
        &["validate --case x"],
    ),
    codes("score", &[], &[], &["score dam_break_pressure nowhere"]),
    codes("device-check", &[], &[], &["device-check --only speed"]),
    codes("kernels", &[], &[], &["kernels out --arch sm_9x"]),
    codes("parity", &[], &[], &["parity tiny.toml --backend cpu", "parity tiny.toml --set spacing"]),
    codes(
        "report",
        &["report run", "report run compare --out joined", "report compare --against compare"],
        &[],
        &[
            "report missed --against compare --out changed",
            "report nowhere",
            "report run compare",
            "report run --against nowhere",
        ],
    ),
    codes("soak", &["soak --steps 20 --particles 150 --out soak"], &[], &["soak --steps 0"]),
    codes("schema", &["schema"], &[], &["schema scene"]),
    codes(
        "bench step",
        &["bench step --m 2 --steps 1 --warmup 0 --set solver.support_ratio=3.0"],
        &[],
        &["bench step --m 1", "bench step --m 2 --set solver.scorr_k=1.0"],
    ),
    codes(
        "bench repeat",
        &["bench repeat tiny.toml --steps 2 --runs 2 --set fluid[0].jitter=0.1"],
        &[],
        &["bench repeat nowhere.toml", "bench repeat tiny.toml --set fluid[0].jitter=9.0"],
    ),
    codes(
        "bench output",
        &["bench output --m 2 --every 1 --pairs 1 --out frames"],
        &[],
        &["bench output --m 1"],
    ),
    codes("bench copy", &[], &[], &["bench copy --mib 0"]),
    codes("bench solve", &["bench solve --m 3 --steps 1 --warmup 0"], &[], &["bench solve --m 1"]),
    codes("help", &["help", "--help", "--version", "run --help"], &[], &["frobnicate"]),
];

/// A folder with a scene that runs and one that explodes.
fn scenes(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("tiny.toml"), SCENE).unwrap();
    fs::write(folder.join("soft.toml"), SCENE.replace("[solver]", "[solver]\nsound_speed = 1e9")).unwrap();
    folder
}

fn words(call: &str) -> Vec<&str> {
    call.split(' ').collect()
}

/// The subcommands that help names.
fn listed(folder: &Path, of: &[&str]) -> BTreeSet<String> {
    let help = stdout(&sph(folder, &[of, &["--help"]].concat()));
    let lines = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names = lines
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn every_subcommand_ends_with_the_code_of_what_happened() {
    let folder = scenes("codes");
    let mut all: BTreeSet<_> = listed(&folder, &[]);
    all.remove("bench");
    all.extend(
        listed(&folder, &["bench"])
            .into_iter()
            .filter(|name| name != "help")
            .map(|name| format!("bench {name}")),
    );
    let asked: BTreeSet<_> = CODES.iter().map(|codes| codes.command.to_owned()).collect();
    assert_eq!(asked, all);
    for codes in CODES {
        for (code, calls) in [(0, codes.succeeds), (1, codes.fails), (2, codes.refused)] {
            for call in calls {
                let output = sph(&folder, &words(call));
                let text = stderr(&output) + &stdout(&output);
                assert_eq!(output.status.code(), Some(code), "{call}: {text}");
                assert!(!text.contains("panicked"), "{call}: {text}");
                // What is shown as failed or missed is never a success, and the other way around.
                let bad = ["MISSED", "FAILED", "the run stopped"];
                let is_bad =
                    text.lines().any(|line| bad.iter().any(|word| line.trim_start().starts_with(word)));
                assert_eq!(is_bad, code == 1, "{call}: {text}");
            }
        }
    }
}

/// A result that cannot be written ends `sph` with 1, as a failure, and not as a refusal of the input.
/// The input was right and the work is done.
#[test]
fn results_that_cannot_be_written_are_no_refusal() {
    let folder = scenes("unwritten");
    let compare = "compare --quick --case column --variant wcsph-delta --out compare";
    for (call, file) in [
        (compare, "compare/index.html"),
        ("run tiny.toml --out run", "run/final.vtu"),
        ("picture run", "run/final.png"),
    ] {
        assert_eq!(sph(&folder, &words(call)).status.code(), Some(0), "{call}");
        fs::remove_file(folder.join(file)).unwrap();
        fs::create_dir(folder.join(file)).unwrap();
        let output = sph(&folder, &words(call));
        assert_eq!(output.status.code(), Some(1), "{call}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(&format!("error: cannot write {file}: ")),
            "{call}: {}",
            stderr(&output)
        );
        fs::remove_dir(folder.join(file)).unwrap();
        assert_eq!(sph(&folder, &words(call)).status.code(), Some(0), "{call}");
    }
}

#[test]
fn results_that_cannot_be_printed_are_no_success() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return crate::skip::skip("there is no /dev/full");
    }
    let folder = scenes("full");
    for call in CODES.iter().flat_map(|codes| codes.succeeds) {
        let open = fs::File::options().write(true).open(full).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
        command.current_dir(&folder).args(words(call)).stdout(open).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{call}: {text}");
        assert!(text.contains("error: cannot write to standard output: No space left"), "{call}: {text}");
        assert!(!text.contains("panicked"), "{call}: {text}");
    }
    // The work is done all the same.
    assert!(folder.join("run/index.html").is_file() && folder.join("run/final.vtu").is_file());
    // Nor does it matter when nobody can be told why.
    let open = || fs::File::options().write(true).open(full).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
    let status = command.args(["run", "nowhere.toml"]).stdout(open()).stderr(open()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

/// A system that refuses memory during a run ends it with a message.
/// The system refuses more than the process may have, which the plan cannot know.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_cannot_be_had_ends_with_a_message() {
    let folder = folder("no-memory");
    let large = SCENE.replace("spacing = 0.1", "spacing = 0.0003");
    assert_ne!(large, SCENE);
    fs::write(folder.join("scene.toml"), large).unwrap();
    let run =
        format!("ulimit -v 600000; exec {} run scene.toml --out out --threads 1", env!("CARGO_BIN_EXE_sph"));
    let output = Command::new("sh").current_dir(&folder).args(["-c", &run]).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("bytes of memory more cannot be had"), "{text}");
}
