//! The CUDA text of the solvers, the launchers that call it, and the device it runs on.
//!
//! The same text runs in two places: on a card (feature `cuda`, compiled by NVRTC at run time), and on
//! the processor (feature `host`, compiled by the system's C++ compiler over a shim), which is how tests
//! judge every kernel without a card. This crate knows no solver, and is the only one that names cudarc.

pub mod physics;
