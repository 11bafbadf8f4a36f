//! Studies of the program and of a machine, beyond published results: speed, cost, parity, repeatability, long rest.

pub mod cost;
pub mod device_check;
pub mod parity;
pub mod repeat;
pub mod soak;
pub mod solving;
pub mod stepping;
