//! Volumes of wall samples.

use crate::common::numerics::reduce::NONE;
use sph_core::fluid::boundary::Boundary;

crate::device::launch::generated!("common_boundary_weigh.rs");

/// The group of each rigid set of `walls` that is weighed as one: all sets at rest are. To be uploaded.
pub fn groups<const D: usize>(walls: &Boundary<D>) -> Vec<u32> {
    walls.bodies.iter().enumerate().map(|(k, set)| if set.is_fixed() { NONE } else { k as u32 }).collect()
}
