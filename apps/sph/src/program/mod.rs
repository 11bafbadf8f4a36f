//! The program as its caller meets it: how it was called, what it prints, memory, signals, exit codes,
//! and the processes that are started together.

pub mod call;
pub mod crew;
pub mod exit_code;
mod memory;
pub mod print;
pub mod scene;
pub mod taken;
