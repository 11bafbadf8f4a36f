//! What the suite and its command promise, in one binary: each takes long to compile.
//! What counts allocations or measures memory stands beside it, alone in its process.

mod bad;
mod book;
mod cli;
mod common;
mod conformance;
mod container;
mod determinism;
mod device_check;
mod disk;
mod failure;
mod kill;
mod leak;
mod mesh;
mod output;
mod processor;
mod python;
mod registry;
mod regression;
mod report;
mod restart;
mod scenes;
mod screenshot;
#[path = "../../../sph-core/tests/solver/skip.rs"]
mod skip;
mod skips;
mod sources;
mod synthetic;
mod viscoelastic;
