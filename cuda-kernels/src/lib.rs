//! The CUDA text of the solvers, the launchers that call it, and the device it runs on.
//!
//! The same text runs in two places: on a card (feature `cuda`, compiled by NVRTC at run time), and on
//! the processor (feature `host`, compiled by the system's C++ compiler over a shim), which is how tests
//! judge every kernel without a card. This crate knows no solver, and is the only one that names cudarc.
//!
//! A Rust file and its CUDA twin share their name: `cells.cu` holds the kernels, `cells.rs` their launchers, which
//! check lengths and types and serve both places through the trait [`executor::Executor`]. All `unsafe` of cards is
//! here. Device code in `.cuh` files is what kernels of solvers include.

#[cfg(feature = "cuda")]
pub mod ahead;
#[cfg(feature = "cuda")]
pub mod backend;
pub mod barriers;
pub mod cells;
pub mod colors;
#[cfg(feature = "cuda")]
mod compile;
pub mod containers;
pub mod counting;
pub mod counts;
#[cfg(feature = "cuda")]
pub mod device;
#[cfg(feature = "cuda")]
mod driver;
#[cfg(feature = "host")]
pub mod emulator;
pub mod error;
pub mod executor;
pub mod fields;
#[cfg(feature = "cuda")]
pub mod fused;
pub mod kernels;
pub mod neighbors;
pub mod physics;
pub mod plan;
#[cfg(feature = "cuda")]
mod profile;
pub mod reduce;
pub mod resident;
pub mod rigid;
pub mod room;
pub mod run;
pub mod scan;
#[cfg(all(test, feature = "cuda"))]
#[path = "../../sph-core/tests/solver/skip.rs"]
mod skip;
pub mod source;
#[cfg(feature = "cuda")]
mod staging;
pub mod summary;
pub mod variant;
pub mod walls;
