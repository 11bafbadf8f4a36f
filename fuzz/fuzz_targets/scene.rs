//! `cargo fuzz run scene`: see "Fuzzing" in the book's page on contributing.
#![no_main]

#[path = "../src/scene.rs"]
mod scene;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| scene::accepts_or_refuses(bytes));
