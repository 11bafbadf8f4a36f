//! A test that is skipped cannot go unseen.

use crate::skip::skip;
use std::{env, fs, process::Command};

#[test]
#[ignore = "runs in a process that a test starts"]
fn skipped_on_purpose() {
    skip("nothing is missing");
}

#[test]
fn a_skip_is_told_counted_and_can_be_forbidden() {
    let file = env::temp_dir().join(format!("sph-skips-{}", std::process::id()));
    let run = |forbid: &str| {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "system::skips::skipped_on_purpose", "--ignored", "--test-threads=2"])
            .env("SPH_SKIPS", &file)
            .env("SPH_FORBID_SKIPS", forbid)
            .output()
            .unwrap()
    };
    let line = "system::skips::skipped_on_purpose: nothing is missing\n";
    for (forbid, times) in [("0", 1), ("", 2), ("1", 3)] {
        let out = run(forbid);
        assert_eq!(out.status.success(), forbid != "1", "{out:?}");
        assert_eq!(String::from_utf8(out.stderr).unwrap(), format!("skipped {line}"));
        assert_eq!(fs::read_to_string(&file).unwrap(), line.repeat(times));
    }
    fs::remove_file(file).unwrap();
}
