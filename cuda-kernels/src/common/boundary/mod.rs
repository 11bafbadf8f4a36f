//! Walls and bodies: their samples, their surfaces, and containers that keep particles inside.

pub mod containers;
pub mod facets;
pub mod loads;
pub mod wall_surfaces;
pub mod walls;
pub mod weigh;
