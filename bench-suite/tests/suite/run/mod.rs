//! Laws of `run`.

mod container;
mod determinism;
mod forces;
mod measures;
mod memory_plan;
mod penetration;
mod restart;
mod solved;
mod totals;
