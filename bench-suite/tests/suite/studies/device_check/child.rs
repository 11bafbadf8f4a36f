#![cfg(unix)]

use bench_suite::studies::device_check::child::*;
use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

fn sh(name: &str, script: &str, seconds: f64) -> Ended {
    let folder = std::env::temp_dir().join(format!("sph-child-{}-{name}", std::process::id()));
    let children = Children::new(&folder, "cpu").unwrap();
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    // What follows the script are its own arguments.
    let ended = children.wait(Command::new("sh").args(["-c", script, "sh"]), "cpu", deadline);
    fs::remove_dir_all(folder).unwrap();
    ended
}

#[test]
fn processes_end_well_refused_failed_or_out_of_time() {
    assert_eq!(sh("done", "echo $1 $2 $3", 60.0), Ended::Done { printed: "--json --backend cpu\n".into() });
    assert_eq!(sh("refused", "echo why >&2; exit 2", 60.0), Ended::Refused("why".into()));
    assert_eq!(sh("failed", "echo a; exit 9", 60.0), Ended::Failed("exit code 9: a".into()));
    assert_eq!(sh("never", "true", 0.0), Ended::OutOfTime);
    let long = "printf 'a\\nerror: why\\nb\\nc\\nd\\n' >&2; exit 2";
    assert_eq!(sh("long", long, 60.0), Ended::Refused("error: why; b; c".into()));
}

#[test]
fn what_takes_too_long_is_ended_with_all_that_it_started() {
    let mark = std::env::temp_dir().join(format!("sph-grandchild-{}", std::process::id()));
    let script = format!("(sleep 2; touch {}) & sleep 60", mark.display());
    let start = Instant::now();
    assert_eq!(sh("late", &script, 0.3), Ended::OutOfTime);
    assert!(start.elapsed() < Duration::from_secs(30));
    thread::sleep(Duration::from_secs(3));
    assert!(!mark.exists());
}
