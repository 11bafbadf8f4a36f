//! The machine: its description and clock, files that are read and written whole, and where steps run.

pub mod clock;
pub mod folder;
pub mod machine;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod processor;
pub mod ranks;
pub mod read;
pub mod write;
