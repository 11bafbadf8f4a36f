//! What steps on a GPU promise, with the CUDA source itself executed on the CPU.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    reason = "a test that cannot go on has failed, and one that measures prints what it measured; no module uses all helpers"
)]

mod common;
mod cuda_source;
#[path = "../../../cuda-kernels/tests/common/emulated.rs"]
mod emulated;
mod failure;
mod parity;
mod plan;
#[path = "../../../cuda-kernels/tests/common/planning.rs"]
mod planning;
mod same;
#[path = "../../../sph-core/tests/solver/mod.rs"]
mod solver;
