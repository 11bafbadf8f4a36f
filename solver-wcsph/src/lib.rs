//! Weakly compressible SPH.
