//! Commands that measure the program or the machine.

pub mod bench;
pub mod device_check;
pub mod parity;
pub mod soak;
mod step;
