//! The phases of the solvers on a card: one launcher a kernel, beside the text that it launches.

pub mod surface;
pub mod wcsph;
mod wcsph_motion;
pub mod weigh;
