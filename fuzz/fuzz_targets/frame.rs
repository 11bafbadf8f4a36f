//! `cargo fuzz run frame`: see "Fuzzing" in the book's page on contributing.
#![no_main]

#[path = "../src/frame.rs"]
mod frame;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| frame::writes_or_refuses(bytes));
