//! What steps on a card promise, with the CUDA text itself executed on the processor.

mod common;
mod failure;
mod parity;
mod same;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
