//! Are the results at low resolution those that were stored?
//!
//! A change of physics moves them, and is accepted with its reason by
//! `cargo run --release -- update-goldens --reason "…"` and the same with `--features f64`.

use bench_suite::{campaign::golden, system::processor::Processor};
use std::collections::BTreeSet;

/// Threads, instruction sets and build profiles change no bit, so on one machine the difference is zero. On
/// another one `exp`, `sin` or `powf` of its C library may round differently; a few hundred steps of a collapse
/// make more of the last bit, though not of sums over all particles by a thousandth.
const RELATIVE: f64 = 1e-3;
/// Scores near zero are differences of large numbers: round-off of single precision, ten times.
const ABSOLUTE: f64 = 1e-6;

fn agree(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a - b).abs() <= RELATIVE * b.abs() + ABSOLUTE
}

#[test]
fn results_are_the_stored_ones() {
    let stored = golden::stored().unwrap();
    assert!(
        !stored.scores.is_empty(),
        "nothing is stored: cargo run --release -- update-goldens --reason \"…\""
    );
    let today = golden::measure(&Processor::default()).unwrap();
    let keys: BTreeSet<_> = stored.scores.keys().chain(today.keys()).collect();
    let mut changed = Vec::new();
    for key in keys {
        match (stored.scores.get(key), today.get(key)) {
            (Some(&was), Some(&is)) if agree(is, was) => {}
            (was, is) => changed.push(format!("{key}: was {was:?}, is {is:?}")),
        }
    }
    assert!(
        changed.is_empty(),
        "{} results have changed since {:?}:\n  {}\nif that is meant: cargo run --release -- update-goldens --reason \"…\"",
        changed.len(),
        stored.reason,
        changed.join("\n  ")
    );
}

#[test]
fn a_thousandth_is_a_change_and_round_off_is_none() {
    assert!(agree(1.000_5, 1.0) && !agree(1.002, 1.0) && agree(1e-8, 0.0) && !agree(1e-5, 0.0));
    assert!(!agree(f64::NAN, 1.0) && agree(f64::NAN, f64::NAN));
}
