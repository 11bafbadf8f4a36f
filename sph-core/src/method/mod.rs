//! The contract of a method: the state that it advances, what it must answer, what it reports, how its failures read. A
//! solver implements it, and `watch` and `run` see no more of a solver than this. Imports `rigid`, `fluid` and what is below.

pub mod failure;
pub mod likely_cause;
pub mod observer;
pub mod phases;
pub mod report;
pub mod sample;
pub mod scales;
pub mod solids;
pub mod solver;
pub mod state;
pub mod stopwatch;
