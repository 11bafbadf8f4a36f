//! What the kernels of the viscoelastic fluid read: the twins of the structs in `viscoelastic.cuh`.

use super::space::{Domain, Forces};
use sph_core::Real;

block! {
    /// Pressures of double density: `P = k (ρ − ρ₀)` and `P_near = k_near ρ_near`.
    Stiffness = "visco::Stiffness" {
        /// Stiffness k over what densities are divided by, `[m/s²]`.
        k: Real,
        /// Near stiffness over what near densities are divided by, `[m/s²]`.
        k_near: Real,
        /// `k ρ₀`, `[m/s²]`.
        k_rest: Real,
        /// −P over P_near at which the lattice neither contracts nor expands, `[-]`.
        balance: Real,
    }
}

block! {
    /// Viscosity of a pair.
    Viscosity = "visco::Viscosity" {
        /// `dt σ`, `[-]`.
        linear: Real,
        /// `dt β`, `[s/m]`.
        quadratic: Real,
        /// Part of the approach that a pair may take away, `[-]`.
        most: Real,
    }
}

block! {
    /// How a spring answers.
    Spring = "visco::Spring" {
        /// `dt² k_spring`, `[-]`.
        stiffness: Real,
        /// Interaction radius, `[m]`.
        h: Real,
    }
}

block! {
    /// How rest lengths flow.
    Flow = "visco::Flow" {
        /// `dt α`, at most 1, `[-]`.
        rate: Real,
        /// Yield ratios of stretch and compression, `[-]`.
        yield_ratios: [Real; 2],
        /// Least rest length, `[m]`.
        least: Real,
    }
}

block! {
    /// What the kernels read in a step.
    Constants<const D: usize> = "visco::Constants" {
        /// The space that may be used.
        domain: Domain<D>,
        /// Accelerations from outside.
        forces: Forces<D>,
        /// What pressures follow from.
        stiffness: Stiffness,
        /// Impulses between neighbors.
        viscosity: Viscosity,
        /// What springs do.
        spring: Spring,
        /// How they change.
        flow: Flow,
        /// 1 over the interaction radius, `[1/m]`.
        inv_h: Real,
        /// `dt²`, `[s²]`.
        dt2: Real,
        /// Largest displacement by a pair, `[m]`.
        most: Real,
        /// Part of the displacements that are made, where all are made at once, `[-]`.
        factor: Real,
        /// Density at rest over the double density of the lattice, `[kg/m³]`.
        to_density: Real,
        /// 1 over the volume of a particle, `[1/m^D]`.
        inv_volume: Real,
        /// Not 0 when pairs without a spring get one.
        creates: i32,
        /// Not 0 when new springs are as long as the interaction radius.
        full_length: i32,
    }
}
