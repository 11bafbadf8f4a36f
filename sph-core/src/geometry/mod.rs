//! Space without fluid: shapes, points that fill or line them, lattices, prescribed motion, values at the nodes of grids.
//! Imports `keys`, `kernel` (for the sums of a lattice) and what is below.

pub mod grid;
pub mod lattice;
pub mod motion;
pub mod sampling;
pub mod shape;
