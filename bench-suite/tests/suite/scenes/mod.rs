//! Laws of `scenes`.

mod files;
mod sources;
