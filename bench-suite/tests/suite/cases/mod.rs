//! Laws of `cases`.

mod channel;
mod conformance;
mod folder;
mod oscillating_drop;
mod registry;
mod regression;
mod score;
mod taylor_green;
mod viscoelastic;
mod walls;
