//! `cargo fuzz run checkpoint`: see "Fuzzing" in the book's page on contributing.
#![no_main]

#[path = "../src/checkpoint.rs"]
mod checkpoint;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checkpoint::reads_or_refuses(bytes));
