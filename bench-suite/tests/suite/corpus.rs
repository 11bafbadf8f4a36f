//! The kept corpora of the fuzz targets, replayed: what once was found stays mended.
#![allow(clippy::unwrap_used, reason = "a failure is that of the test")]

#[path = "../../../fuzz/src/checkpoint.rs"]
mod checkpoint;
#[path = "../../../fuzz/src/frame.rs"]
mod frame;
#[path = "../../../fuzz/src/results.rs"]
mod results;
#[path = "../../../fuzz/src/scene.rs"]
mod scene;
#[path = "../../../fuzz/src/script.rs"]
mod script;

use std::{fs, path::Path};

fn replay(folders: &[&str], target: fn(&[u8])) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut replayed = 0;
    for folder in folders {
        let files = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            let bytes = fs::read(&file).unwrap();
            let ended = std::panic::catch_unwind(|| target(&bytes));
            assert!(ended.is_ok(), "{}", file.display());
            replayed += 1;
        }
    }
    replayed
}

/// Every kept input is taken, or refused in words.
#[test]
fn replays_what_is_kept() {
    let scenes = replay(&["fuzz/corpus/scene", "bench-suite/scenes"], scene::accepts_or_refuses);
    let rest = [
        ("checkpoint", checkpoint::reads_or_refuses as fn(&[u8])),
        ("script", script::runs_or_refuses),
        ("results", results::draws_or_refuses),
        ("frame", frame::writes_or_refuses),
    ];
    let rest = rest.map(|(input, target)| replay(&[&format!("fuzz/corpus/{input}")], target));
    assert!(
        scenes >= 100 && rest[0] >= 5 && rest[1..].iter().all(|&n| n >= 2),
        "{scenes} and {rest:?} inputs"
    );
}

/// A seed in the form that the target mends: the header, a zero, the arrays.
#[test]
fn a_whole_checkpoint_is_among_what_the_target_reaches() {
    let mut run = checkpoint::simulation().unwrap();
    for _ in 0..3 {
        run.step(f64::INFINITY).unwrap();
    }
    let mut bytes = Vec::new();
    sph_core::run::checkpoint::write(&mut run, "", "seed", &mut bytes).unwrap();
    checkpoint::reads_or_refuses(&bytes);
    if let Ok(folder) = std::env::var("SPH_WRITE_SEEDS") {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let arrays = &bytes[(24 + length).next_multiple_of(64)..];
        let seed = [&bytes[24..24 + length], b"\n\0", arrays].concat();
        fs::write(Path::new(&folder).join("whole"), &bytes).unwrap();
        fs::write(Path::new(&folder).join("mended"), seed).unwrap();
    }
}
