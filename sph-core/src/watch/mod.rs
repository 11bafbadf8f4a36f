//! Monitoring of a run: measures, diagnosis of failures, penetration of walls, memory plan. Imports
//! `scene`, `method` and what is below; changes nothing.

pub mod diagnosis;
pub mod measure;
pub mod penetration;
pub mod plan;
