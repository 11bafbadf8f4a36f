//! The folder of a result: one run at a time, nothing of others is touched, and what a signal or a full disk leaves.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use crate::cli::{SCENE, assert_refused, folder, sph, stderr, stdout};
use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A folder with the tiny scene, and one that does not end by itself.
fn scenes(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("tiny.toml"), SCENE).unwrap();
    fs::write(folder.join("long.toml"), SCENE.replace("end_time = 0.02", "end_time = 10000.0")).unwrap();
    folder
}

fn start(folder: &Path, args: &[&str]) -> Child {
    // Where the tests run without a terminal, hang-ups may be ignored.
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_sph")]);
    command.current_dir(folder).args(args).env_remove("SPH_BACKEND").env_remove("SPH_ISA");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a file is there and not empty.
fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.metadata().is_ok_and(|about| about.len() > 0) {
        assert!(begun.elapsed() < Duration::from_secs(30), "{} does not come", path.display());
        sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.collect()
}

/// A run that has written its first frame, hence steps.
fn stepping(folder: &Path, more: &[&str]) -> Child {
    // Frames of an earlier run do not tell that this one steps.
    let _ = fs::remove_dir_all(folder.join("out/frames"));
    let child = start(folder, &[&["run", "long.toml", "--out", "out", "--format", "csv"], more].concat());
    wait_for(&folder.join("out/frames/frames.csv"));
    child
}

#[test]
fn a_second_run_in_a_folder_is_refused_while_the_first_goes_on() {
    let folder = scenes("two");
    let first = stepping(&folder, &[]);
    let holder = format!("--out: out is in use by process {} since 20", first.id());
    for second in ["run tiny.toml --out out --fresh", "compare --quick --out out", "soak --out out"] {
        assert_refused(&folder, &second.split(' ').collect::<Vec<_>>(), &[&holder, "another folder"]);
    }
    send("-INT", &first);
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(!folder.join("out/sph.lock").exists());
    let next = sph(&folder, &["run", "tiny.toml", "--out", "out", "--fresh"]);
    assert_eq!((next.status.code(), stderr(&next).as_str()), (Some(0), ""));
    // Nor is a report drawn over one that a run will write.
    let third = stepping(&folder, &[]);
    assert_refused(
        &folder,
        &["report", "out"],
        &[&format!("FOLDER: out is in use by process {}", third.id())],
    );
    send("-INT", &third);
    assert_eq!(third.wait_with_output().unwrap().status.code(), Some(130));
}

#[test]
fn a_lock_that_nobody_holds_is_told_and_taken_over() {
    let folder = scenes("stale");
    let mut killed = stepping(&folder, &[]);
    killed.kill().unwrap();
    assert_eq!(killed.wait().unwrap().signal(), Some(9));
    let run = || {
        let output = sph(&folder, &["run", "tiny.toml", "--out", "out"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!folder.join("out/sph.lock").exists());
        stderr(&output)
    };
    let left = format!("out/sph.lock: left by process {} since 20", killed.id());
    let told = run();
    assert!(told.starts_with(&left) && told.ends_with("which has ended; taken over\n"), "{told}");
    assert_eq!(run(), "");
    // The number is that of another process by now: of this one.
    let mine = format!("process {} since 2001-01-01 00:00:00 UTC", std::process::id());
    fs::write(folder.join("out/sph.lock"), &mine).unwrap();
    assert_eq!(run(), format!("out/sph.lock: left by {mine}, which has ended; taken over\n"));
}

#[test]
fn what_a_killed_run_left_unfinished_goes_and_what_others_wrote_stays() {
    let folder = scenes("leftovers");
    let run = ["run", "tiny.toml", "--out", "out", "--checkpoint-every", "1", "--format", "csv", "--fresh"];
    assert_eq!(sph(&folder, &run).status.code(), Some(0));
    let left =
        ["out/.results.json.12-3.part", "out/frames/.a.csv.1-0.part", "out/checkpoints/.c.sph.1-2.part"];
    let mine = [
        "out/mine.part",
        "out/.mine.part",
        "out/notes.txt",
        "out/frames/mine.csv",
        "out/checkpoints/mine.part",
    ];
    left.iter().chain(&mine).for_each(|name| fs::write(folder.join(name), "text").unwrap());
    assert_eq!(sph(&folder, &run).status.code(), Some(0));
    assert!(left.iter().all(|name| !folder.join(name).exists()), "{:?}", names(&folder.join("out")));
    assert!(mine.iter().all(|name| fs::read(folder.join(name)).unwrap() == b"text"));
}

#[test]
fn a_folder_of_results_from_before_there_were_marks_is_taken() {
    let folder = scenes("unmarked");
    let run = ["run", "tiny.toml", "--out", "out"];
    assert_eq!(sph(&folder, &run).status.code(), Some(0));
    fs::remove_file(folder.join("out/.sph-output")).unwrap();
    assert_eq!(sph(&folder, &run).status.code(), Some(0));
    // Other results are not.
    fs::remove_file(folder.join("out/.sph-output")).unwrap();
    fs::write(folder.join("out/results.json"), "{\"results\": []}").unwrap();
    assert_refused(&folder, &run, &["was not written by sph", "another folder"]);
}

#[test]
fn every_request_to_end_leaves_a_checkpoint_and_the_line_to_go_on_with() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = scenes(&format!("signal{signal}"));
        fs::write(folder.join("two words.toml"), SCENE).unwrap();
        let options = ["--checkpoint-every", "500", "--threads", "1", "--backend", "cpu", "--fresh"];
        let child = stepping(&folder, &options);
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{signal}: {text}");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("go on with: sph "))
            .unwrap_or_else(|| panic!("{text}"));
        let all =
            "run long.toml --out out --format csv --checkpoint-every 500 --threads 1 --backend cpu --resume";
        assert_eq!(line, all, "{signal}");
        // The line does what it says: the same run, from where it was.
        let again = start(&folder, &line.split(' ').collect::<Vec<_>>());
        wait_for(&folder.join("out/sph.lock"));
        sleep(Duration::from_millis(300));
        send("-INT", &again);
        let output = again.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert!(stderr(&output).starts_with("resumed: out/checkpoints/"), "{}", stderr(&output));
    }
}

/// `nohup sph …` shall not end with its terminal.
#[test]
fn a_hang_up_that_is_ignored_stays_so() {
    let folder = scenes("nohup");
    let mut command = Command::new("sh");
    let script =
        format!("trap '' HUP; exec {} run long.toml --out out --format csv", env!("CARGO_BIN_EXE_sph"));
    command.current_dir(&folder).args(["-c", &script]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(&folder.join("out/frames/frames.csv"));
    send("-HUP", &child);
    sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None);
    send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// There is nothing yet that a checkpoint could hold, and nothing is left.
#[test]
fn a_signal_ends_the_set_up_of_a_large_scene_at_once() {
    let folder = scenes("set-up");
    let large = SCENE.replace("spacing = 0.1", "spacing = 0.0004").replace("0.02", "1e-9");
    fs::write(folder.join("large.toml"), large).unwrap();
    let before = names(&folder);
    let mut child = start(&folder, &["run", "large.toml", "--out", "deep/out"]);
    wait_for(&folder.join("deep/out/sph.lock"));
    sleep(Duration::from_millis(100));
    assert_eq!(child.try_wait().unwrap(), None, "set-up is over too soon for this test");
    let sent = Instant::now();
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert!(sent.elapsed() < Duration::from_secs(1), "{:?}", sent.elapsed());
    assert_eq!(
        (output.status.code(), stderr(&output).as_str(), stdout(&output).as_str()),
        (Some(130), "interrupted\n", "")
    );
    assert_eq!(names(&folder), before);
}

/// A run whose disk is full names the step, the cause and how to go on.
/// A limit on the size of files stands in for a disk without room: the writes fail alike.
#[test]
fn a_disk_that_takes_no_more_names_step_cause_and_how_to_go_on() {
    let folder = scenes("disk");
    let steps = |n: u64| SCENE.replace("run.end_time", &format!("run.max_steps = {n}\nrun.end_time"));
    fs::write(folder.join("disk.toml"), steps(4)).unwrap();
    let run = "run disk.toml --out out --checkpoint-every 2";
    assert_eq!(sph(&folder, &run.split(' ').collect::<Vec<_>>()).status.code(), Some(0));
    fs::write(folder.join("disk.toml"), steps(8)).unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 2; exec {} {run} --resume", env!("CARGO_BIN_EXE_sph"));
    let output = Command::new("sh").current_dir(&folder).args(["-c", &script]).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "ended after step 4, t = ",
        "cannot write out/checkpoints/checkpoint-000000000004.sph: File too large",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let line = format!("go on with: sph {run} --resume\n");
    assert!(text.ends_with(&line) && !text.contains("panicked"), "{text}");
    assert!(!names(&folder.join("out/checkpoints")).iter().any(|name| name.ends_with(".part")));
    let again = sph(&folder, &format!("{run} --resume").split(' ').collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
}

/// What an earlier run has left is given up for a new run, not for one that does not begin.
#[test]
fn checkpoints_outlive_a_scene_that_is_refused() {
    let folder = scenes("outlive");
    let run =
        |scene: &str| sph(&folder, &["run", scene, "--out", "out", "--checkpoint-every", "1", "--fresh"]);
    assert_eq!(run("tiny.toml").status.code(), Some(0));
    let kept = names(&folder.join("out/checkpoints"));
    assert!(!kept.is_empty());
    let unstable = SCENE.replace("end_time", "time_step = 0.01\nrun.end_time");
    for (name, text) in [("unstable", unstable), ("huge", SCENE.replace("spacing = 0.1", "spacing = 1e-6"))] {
        let file = format!("{name}.toml");
        fs::write(folder.join(&file), text).unwrap();
        assert_eq!(run(&file).status.code(), Some(2), "{name}");
        assert_eq!(names(&folder.join("out/checkpoints")), kept, "{name}");
    }
}
