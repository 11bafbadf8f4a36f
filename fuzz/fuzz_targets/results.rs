//! `cargo fuzz run results`: see "Fuzzing" in the book's page on contributing.
#![no_main]

#[path = "../src/results.rs"]
mod results;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| results::draws_or_refuses(bytes));
