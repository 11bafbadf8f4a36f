//! The kernels of the viscoelastic fluid.
//!
//! Names and order are those of the loops in `solver-viscoelastic/src/cpu`. Records of particles are quads in arrays
//! of their own: `position` `[x y z ·]`, `pressure` `[x y z P]` with P_near in a separate field, `velocity` `[v ·]`,
//! `delta` `[Δ ·]`, and of walls `samples` `[x y z w]`. All particles are in the order of their cells, and neighbors
//! come from rows that were listed at the predicted positions.
//!
//! A launcher that finds numbers that are not finite sets the flag of the particle in `lost` to 1 and leaves the
//! others.

pub mod spring_rows;

/// The formulas, twin of `solver-viscoelastic/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("viscoelastic.rs");
