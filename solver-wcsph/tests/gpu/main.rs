//! Steps on a card, executed on the processor from the CUDA text itself, against steps of the Rust text.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod parity;
mod plan;
