//! What steps on a GPU promise, with the CUDA source itself executed on the processor.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    reason = "a test that cannot go on has failed, and one that measures prints what it measured; no module uses all helpers"
)]

mod common;
#[path = "../laws/corners.rs"]
mod corners;
mod cuda_text;
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
