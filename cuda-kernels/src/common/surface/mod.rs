//! Cohesion, surface tension and adhesion, for every solver.
//!
//! Normals come first, as records `[n ρ]`, then forces, and of dynamic bodies what their samples get in turn. All in
//! the order of the cells of the fluid; only positions are read of its records, and of those of walls `[x y z psi]`.

use crate::common::numerics::kernel::{Adhesion, Cohesion};
use sph_core::{Real, fluid::surface::Tension};

crate::device::launch::generated!("common_surface.rs");

impl Surface {
    /// In `D` dimensions, with support radius `h` `[m]` and the strengths of `sph_core::fluid::surface`.
    pub fn new<const D: usize>(h: Real, tension: Tension) -> Self {
        Self {
            cohesion_kernel: Cohesion::new::<D>(h),
            adhesion_kernel: Adhesion::new::<D>(h),
            cohesion: tension.cohesion,
            curvature: tension.curvature,
            adhesion: tension.adhesion,
        }
    }
}
