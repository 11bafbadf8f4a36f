//! Laws of `result`.

mod number;
mod reference;
mod score;
