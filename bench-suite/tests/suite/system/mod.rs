//! Laws of `system`.

mod machine;
mod processor;
mod skips;
mod write;
