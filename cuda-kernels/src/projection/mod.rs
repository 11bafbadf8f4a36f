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

use crate::common::boundary::{containers::Enclosure, facets::Facets, wall_surfaces::Pose};
use sph_core::{fluid::wall_surface, geometry::sampling::Side, numerics::lane::each};

/// The formulas, twin of `solver-projection/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("projection.rs");

impl<const D: usize> Facing<D> {
    /// Of a wall that is at `pose`, or where it was drawn. `facets` has its own, if it has any.
    pub fn new(
        surface: &wall_surface::WallSurface<D>,
        pose: Option<&wall_surface::Pose<D>>,
        facets: &Facets<D>,
    ) -> Self {
        let region = Enclosure::of_region(&surface.region, facets);
        let outside = (surface.side == Side::Outside).into();
        let drawn = || Pose { columns: each(|k| each(|a| if a == k { 1.0 } else { 0.0 })), shift: [0.0; D] };
        let moved = |pose: &wall_surface::Pose<D>| Pose { columns: *pose.columns(), shift: *pose.shift() };
        Self { region, outside, posed: pose.is_some().into(), pose: pose.map_or_else(drawn, moved) }
    }
}
