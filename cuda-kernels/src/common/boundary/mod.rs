//! Walls and bodies: their samples, their surfaces, and containers that keep particles inside.

pub mod barriers;
pub mod containers;
pub mod walls;
pub mod weigh;
