//! Laws of `studies`.

mod device_check;
mod iterations;
mod knobs;
mod parity;
mod soak;
mod solving;
