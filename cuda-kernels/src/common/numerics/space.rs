//! Periodic space, domain and outer forces, as `vec.cuh` reads them.

use sph_core::{fluid::material, neighbors};

crate::device::launch::generated!("common_numerics_space.rs");

impl<const D: usize> From<&neighbors::Periodic<D>> for Periodic<D> {
    fn from(space: &neighbors::Periodic<D>) -> Self {
        let inv_length = space.length.map(|l| if l > 0.0 { 1.0 / l } else { 0.0 });
        Self { low: space.low, length: space.length, inv_length, any: space.any().into() }
    }
}

impl<const D: usize> From<&material::Domain<D>> for Domain<D> {
    fn from(domain: &material::Domain<D>) -> Self {
        Self { low: domain.low, high: domain.high, periodic: (&domain.periodic).into() }
    }
}

impl<const D: usize> From<&material::Forces<D>> for Forces<D> {
    fn from(forces: &material::Forces<D>) -> Self {
        let (center, strength) = forces.central.unwrap_or(([0.0; D], 0.0));
        Self { gravity: forces.gravity, center, strength }
    }
}
