//! The CUDA source and its compiler.

#[cfg(feature = "cuda")]
pub mod ahead;
#[cfg(feature = "cuda")]
pub mod fused;
#[cfg(feature = "cuda")]
pub(crate) mod nvrtc;
pub mod source;
pub mod variant;
