//! Laws of `run`.

mod container;
mod determinism;
mod flow;
mod forces;
mod forces_on_containers;
mod measures;
mod measures_on_gpu;
mod memory_plan;
mod penetration;
mod ranks;
mod restart;
mod solved;
mod statistics;
mod totals;
