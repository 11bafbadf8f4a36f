//! Periodic space, domain and outer forces, as `vec.cuh` reads them.

use sph_core::{Real, fluid::material, neighbors};

block! {
    /// Extents of the periodic axes; on an axis that is not periodic, length and inverse are 0.
    Periodic<const D: usize> = "Periodic" {
        /// Lower end of each axis, `[m]`.
        low: [Real; D],
        /// Length of each periodic axis, 0 on the others, `[m]`.
        length: [Real; D],
        /// 1 over the length, 0 on axes that are not periodic, `[1/m]`.
        inv_length: [Real; D],
        /// Not 0 when an axis is periodic.
        any: i32,
    }
}

block! {
    /// The space a run may use.
    Domain<const D: usize> = "Domain" {
        /// A particle below has escaped, `[m]`.
        low: [Real; D],
        /// A particle above has escaped, `[m]`.
        high: [Real; D],
        /// Periodic axes, on which nothing escapes.
        periodic: Periodic<D>,
    }
}

block! {
    /// Accelerations from outside: `g − B² (x − c)`.
    Forces<const D: usize> = "Forces" {
        /// Gravity g, `[m/s²]`.
        gravity: [Real; D],
        /// Center c of the central acceleration, `[m]`.
        center: [Real; D],
        /// Its strength B, 0 for none, `[1/s]`.
        strength: Real,
    }
}

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
