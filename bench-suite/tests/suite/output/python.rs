//! Readers and writers in Python, which know nothing of this project. `SPH_PYTHON` names the interpreter. Where it or a
//! module is missing the tests are skipped.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests")]

use crate::skip::skip;
use std::{path::Path, process::Command};

/// Exit code of a script that lacks a module.
const LACKS: i32 = 77;

/// Runs a script of this folder's parent on a folder of files; it must succeed. False where it could not start.
pub fn run(script: &str, folder: &Path) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let python = std::env::var("SPH_PYTHON").unwrap_or_else(|_| "python3".into());
    match Command::new(&python).arg(script).arg(folder).output() {
        Err(error) => skip(&format!("{python}: {error}")),
        Ok(out) if out.status.code() == Some(LACKS) => {
            skip(&format!("{python} lacks {}", String::from_utf8_lossy(&out.stdout).trim_end()));
        }
        Ok(out) => {
            println!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
            assert!(out.status.success(), "{python}: {}", String::from_utf8_lossy(&out.stderr));
            return true;
        }
    }
    false
}
