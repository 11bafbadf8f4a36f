//! `cargo fuzz run script`: see "Fuzzing" in the book's page on contributing.
#![no_main]

#[path = "../src/script.rs"]
mod script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| script::runs_or_refuses(bytes));
