//! A test that lacks what it needs says so, and is counted.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::{
    env,
    fs::OpenOptions,
    io::{Write, stderr},
    thread,
};

/// Skips the test of this thread: one line with its name and the reason on standard error, past the harness, which
/// captures what is printed; and the same line at the end of the file that `SPH_SKIPS` names.
///
/// # Panics
/// With `SPH_FORBID_SKIPS=1`.
pub fn skip(reason: &str) {
    let line = format!("{}: {reason}\n", thread::current().name().unwrap_or("a test"));
    stderr().write_all(format!("skipped {line}").as_bytes()).unwrap();
    if let Some(file) = env::var_os("SPH_SKIPS") {
        let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
    let is_forbidden = env::var("SPH_FORBID_SKIPS").is_ok_and(|value| value == "1");
    assert!(!is_forbidden, "skipped with SPH_FORBID_SKIPS=1: {reason}");
}
