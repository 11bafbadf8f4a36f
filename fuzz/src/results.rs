//! What any bytes must pass as `results.json`: the fuzz target `results`, and the test that replays its corpus.

use bench_suite::report::{self, Page};
use std::{fs, path::PathBuf};

/// Reads bytes as results and writes their report. Whatever is refused is refused in words.
///
/// # Panics
/// When the text is neither drawn nor refused as it ought to be.
pub fn draws_or_refuses(bytes: &[u8]) {
    let folder = folder();
    let file = folder.join("results.json");
    if fs::create_dir_all(&folder).and_then(|()| fs::write(&file, bytes)).is_err() {
        return;
    }
    let drawn = report::load(&file).and_then(|all| report::write(&all, Page::of(&all), &folder));
    match drawn {
        Ok(()) => assert!(folder.join("index.html").is_file()),
        Err(error) => assert!(error.to_string().len() > file.display().to_string().len(), "{error}"),
    }
}

/// A folder of this process.
fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("sph-results-{}", std::process::id()))
}
