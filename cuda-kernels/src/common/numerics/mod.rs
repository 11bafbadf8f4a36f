//! Numbers: fields in the order of their particles, sums and maxima, smoothing kernels, periodic space.

pub mod fields;
pub mod kernel;
pub mod reduce;
pub mod scan;
pub mod space;

crate::device::launch::generated!("common_numerics.rs");
