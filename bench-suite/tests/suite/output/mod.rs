//! Laws of `output`.

mod disk;
mod frames;
mod image;
mod mesh;
mod picture;
mod picture_text;
pub mod python;
mod read;
mod series;
mod vtu;
