//! The page in a real browser: `apps/view/tests/browser.py` drives Debian's Chromium. The long form is a step of
//! `scripts/check-all`.

use crate::skip::skip;
use std::{path::Path, process::Command};

#[test]
fn a_browser_can_do_all_of_it() {
    let python = std::env::var("SPH_PYTHON").unwrap_or_else(|_| "python3".into());
    let finds = "import shutil, playwright; assert shutil.which('chromium')";
    if !Command::new(&python).args(["-c", finds]).output().is_ok_and(|found| found.status.success()) {
        return skip(&format!("{python} lacks playwright, or there is no chromium"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(python);
    command.current_dir(root).args(["apps/view/tests/browser.py", "--sph", env!("CARGO_BIN_EXE_sph")]);
    let out = command.output().unwrap();
    let text = [out.stdout, out.stderr].concat();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&text));
}
