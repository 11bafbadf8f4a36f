//! Laws of `studies`.

mod device_check;
mod iterations;
mod parity;
mod soak;
mod solving;
mod sweep;
