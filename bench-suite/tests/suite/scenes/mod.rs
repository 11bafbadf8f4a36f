//! Laws of `scenes`.

mod files;
mod set;
mod sources;
