//! What looks at a run and draws conclusions: why a step failed, what went through walls, how much memory it takes. Imports
//! `scene`, `method` and what is below; changes nothing.

pub mod diagnosis;
pub mod leak;
pub mod plan;
