//! What the suite promises, in one binary: each takes long to link. What counts allocations stands beside it, alone in its
//! process; what starts the command stands with it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

mod common;
#[path = "../../../sph-core/tests/solver/skip.rs"]
mod skip;

mod cases;
mod corpus;
mod metrics;
mod output;
mod report;
mod result;
mod run;
mod scenes;
mod studies;
mod system;
