//! One run on several ranks: processes, on one machine or many, or threads of one process.
//!
//! A rank owns boxes of cells ([`Partition`](crate::neighbors::Partition)) and the particles in them. Before neighbors are
//! searched, particles that have left go over to their owners, and copies of those around come from theirs: the ghosts. They
//! stand among the own ones, by cell and id, as on one rank; so rows have the same neighbors in the same order, and sums the
//! same bits. Ghosts have no rows: what the sums make of them comes from their owners, and after the last sum they are
//! dropped. Between steps a rank holds its own particles alone.
//!
//! To the loop over steps, all of this is a method that works in another memory ([`lead`]).

pub mod exchange;
mod leader;
pub mod links;
mod member;
mod order;
mod part;
mod pieces;
pub mod plan;
pub mod shared;
pub mod transport;
mod wire;

pub use leader::{Start, follow, lead};
