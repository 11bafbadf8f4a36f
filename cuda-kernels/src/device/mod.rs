//! Where kernels run: a GPU or the processor in its place, and how kernels get there.

#[cfg(feature = "cuda")]
pub mod backend;
pub mod compile;
pub mod counting;
pub mod counts;
#[cfg(feature = "cuda")]
mod driver;
#[cfg(feature = "host")]
pub mod emulator;
pub mod error;
pub mod executor;
#[cfg(feature = "cuda")]
pub mod gpu;
pub mod launch;
pub mod layout;
#[cfg(feature = "cuda")]
mod profile;
#[cfg(feature = "cuda")]
mod staging;
