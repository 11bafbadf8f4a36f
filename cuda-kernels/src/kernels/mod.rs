//! The phases of the solvers on a card: one launcher a kernel, beside the text that it launches.

mod launch;
pub mod pbf;
mod pbf_motion;
mod pbf_reaction;
mod pbf_surface;
mod pbf_tension;
mod pbf_velocity;
pub mod projection;
pub mod projection_cg;
pub mod projection_levels;
pub mod projection_motion;
mod projection_multilevel;
pub mod projection_reaction;
pub mod projection_velocity;
mod projection_viscosity;
pub mod surface;
pub mod viscoelastic;
pub mod viscoelastic_bodies;
pub mod viscoelastic_contact;
pub mod viscoelastic_motion;
pub mod viscoelastic_springs;
mod viscoelastic_viscosity;
pub mod wcsph;
mod wcsph_motion;
pub mod weigh;
