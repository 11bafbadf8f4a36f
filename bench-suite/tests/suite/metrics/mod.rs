//! Laws of `metrics`.

mod bodies;
mod bounce;
mod cloud;
mod curve;
mod front;
mod oldroyd;
mod pressure;
mod rotation;
mod sample;
mod start_up;
mod stretch;
