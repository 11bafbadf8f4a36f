//! The kernels of Position Based Fluids.
//!
//! Names and order are those of the loops in `solver-pbf/src/cpu`. Records of particles are quads in arrays of their
//! own: `x_star` `[x y z ·]`, `x_lambda` `[x y z λ̂]`, `delta` `[Δx count]`, `v_rho` `[v ρ]`, `x_rho` `[x y z ρ]`, and of
//! walls `x_psi` `[x y z psi]`. All particles are in the order of their cells, and neighbors come from rows that were
//! listed at the predicted positions.
//!
//! **Lost particles.** A launcher that finds a particle not finite or outside of the domain sets its flag in `lost` to 1
//! and leaves all others: flags that are cleared once hold for all phases until [`Reduce::max_counts`] reads them.
//!
//! [`Reduce::max_counts`]: crate::common::numerics::reduce::Reduce::max_counts

/// The formulas, twin of `solver-pbf/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("pbf.rs");
