//! The CUDA source of the solvers, the launchers that call it, and the device it runs on.
//!
//! The same source runs in two places: on a GPU (feature `cuda`, compiled by NVRTC at run time), and on
//! the processor (feature `host`, compiled by the system's C++ compiler over a shim), which is how tests
//! judge every kernel without a GPU. This crate knows no solver, and is the only one that names cudarc.
//!
//! **Launchers are generated.** The signature of a kernel stands once, in its `.cu`; the build reads it and writes the
//! launcher, which checks lengths and serves both places through the trait [`device::executor::Executor`], and the Rust
//! twins of the structs that kernels take. [`device::launch`] says how a signature is written.
//!
//! Layers stand on each other: [`device`], [`common`], and on these the methods.

pub mod common;
pub mod device;
pub mod pbf;
pub mod projection;
#[cfg(all(test, feature = "cuda"))]
#[path = "../../sph-core/tests/solver/skip.rs"]
mod skip;
pub mod twins;
pub mod viscoelastic;
pub mod wcsph;
