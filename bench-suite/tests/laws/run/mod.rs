//! Laws of `run`.

mod container;
mod determinism;
mod leak;
mod memory_plan;
mod restart;
mod solved;
