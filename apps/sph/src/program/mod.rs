//! The program as its caller meets it: how it was called, what it prints, memory, signals, and exit codes.

pub mod call;
pub mod exit_code;
mod memory;
pub mod print;
pub mod scene;
pub mod taken;
