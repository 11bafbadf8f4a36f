//! The search of neighbors: cells, rows of neighbors, and cells by color.

pub mod cells;
pub mod colors;
pub mod neighbors;

crate::device::launch::generated!("common_search.rs");
