//! The machine: its description and clock, files that are written whole, and where steps run.

pub mod clock;
pub mod folder;
pub mod machine;
pub mod processor;
pub mod write;
