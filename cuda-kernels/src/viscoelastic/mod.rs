//! The kernels of the viscoelastic fluid.
//!
//! Names and order are those of the loops in `solver-viscoelastic/src/cpu`. Records of particles are quads in arrays of
//! their own: `position` `[x y z ·]`, `pressure` `[x y z P]` with P_near in a field beside, `velocity` `[v ·]`, `delta` `[Δ ·]`, and
//! of walls `samples` `[x y z w]`. All particles are in the order of their cells, and neighbors come from rows that were
//! listed at the predicted positions.
//!
//! **Health.** A launcher that may find a particle unhealthy sets its flag in `lost` to 1 and leaves all others.

pub mod spring_rows;

/// The formulas, twin of `solver-viscoelastic/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("viscoelastic.rs");
