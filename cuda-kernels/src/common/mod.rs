//! What all methods share: numbers and fields, the search of neighbors, walls and bodies, the run of a step.

pub mod boundary;
pub mod numerics;
pub mod run;
pub mod search;
pub mod surface;
