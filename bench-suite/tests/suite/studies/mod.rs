//! Laws of `studies`.

mod device_check;
mod parity;
mod soak;
mod solving;
