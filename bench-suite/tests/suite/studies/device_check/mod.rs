//! Laws of `studies/device_check`.

mod bits;
mod child;
mod kernels;
mod parity;
mod scenes;
mod variants;
