//! The kept corpus of the fuzz target `scene`, replayed: what once was found stays mended.
#![allow(clippy::unwrap_used, reason = "a failure is that of the test")]

#[path = "../../fuzz/src/scene.rs"]
mod scene;

use std::{fs, path::Path};

/// Every scene file and every kept input is accepted, or refused in words.
#[test]
fn replays_the_kept_corpus() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut replayed = 0;
    for folder in ["fuzz/corpus/scene", "bench-suite/scenes"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let file = entry.unwrap().path();
            let bytes = fs::read(&file).unwrap();
            let ended = std::panic::catch_unwind(|| scene::accepts_or_refuses(&bytes));
            assert!(ended.is_ok(), "{}", file.display());
            replayed += 1;
        }
    }
    assert!(replayed >= 100, "only {replayed} inputs");
}
