//! The kernels of the staggered projection.
//!
//! Names and order are those of the loops in `solver-projection/src/cpu`. Records of particles are quads in arrays of
//! their own: `place` `[x y z 1/α]`, `motion` `[v*, 1 beside a wall]` and later `[v ρ]`, `moments` `[Σ w n | Σ w]`,
//! `sums` `[Σ_j a w² | the same with ghosts | D v* | Σ_j of wall corrections]`, the tangential wall correction
//! in [`WallCorrections`], and of walls those of [`Walls`]. All particles are in the order of their cells, and entries of the
//! matrix stand where rows have their neighbors.
//!
//! **Health.** A launcher that may find a particle unhealthy sets its flag in `lost` to 1 and leaves all others.

pub mod aggregation;
pub mod vcycle;

/// The formulas, twin of `solver-projection/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("projection.rs");
