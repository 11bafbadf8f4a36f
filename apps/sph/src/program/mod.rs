//! The program as its caller meets it: how it was called, what it prints, signals, and exit codes.

pub mod call;
pub mod exit_code;
pub mod print;
pub mod taken;
