//! The kernels of Position Based Fluids.
//!
//! Names and order are those of the loops in `solver-pbf/src/cpu`. Records of particles are quads in arrays of their
//! own: `place` `[x y z ·]`, `push` `[x y z λ̂]`, `delta` `[Δx count]`, `at` `[x y z m]`, `motion` `[v ρ]`, and of walls
//! `samples` `[x y z psi]` and `motion` `[v no-slip]`. If masses are unequal, μ is a field beside. All particles are in
//! the order of their cells, and neighbors come from rows that were listed at the predicted positions.
//!
//! **Health.** A launcher that may find a particle unhealthy sets its flag in `lost` to 1 and leaves all others: who
//! clears the flags once and reads their largest by [`Reduce::max_counts`] knows of all phases in between.
//!
//! [`Reduce::max_counts`]: crate::common::numerics::reduce::Reduce::max_counts

/// The formulas, twin of `solver-pbf/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("pbf.rs");
