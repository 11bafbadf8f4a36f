//! Fluid and walls as particles, and the sums over neighbors that methods share. Imports `neighbors`, `geometry`, `kernel`
//! and what is below; knows neither dynamic bodies nor methods.

pub mod areas;
pub mod boundary;
pub mod material;
pub mod operators;
pub mod particles;
pub mod sorted;
#[cfg(any(test, feature = "proptest"))]
pub mod strategies;
pub mod surface;
pub mod wall_surface;
