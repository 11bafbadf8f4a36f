//! Laws of `cases`.

mod conformance;
mod exact;
mod folder;
mod registry;
mod score;
mod viscoelastic;
mod walls;
