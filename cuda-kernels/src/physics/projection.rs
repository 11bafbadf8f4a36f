//! What the kernels of the staggered projection read: the twins of the structs in `projection.cuh`.

use super::{
    kernel::KernelConstants,
    space::{Domain, Forces},
};
use sph_core::Real;

block! {
    /// Weights of a neighbor in gradient, divergence and Laplacian.
    Weight = "projection::Weight" {
        /// What w is of q: 0 `1 − q⁴`, 1 `q³ (1 − q²)`, 2 `q (1 − q)²`, 3 `q² (1 − q)³`.
        form: i32,
        /// `1/h`, `[1/m]`.
        inv_h: Real,
        /// 1 over the clamped radius, `[1/m]`.
        inv_clamp: Real,
    }
}

block! {
    /// When a particle is of the free surface.
    Surface = "projection::Surface" {
        /// Diagonal of a particle inside of the fluid, `[1/m²]`.
        reference: Real,
        /// Part χ of it below which neighbors are missing, `[-]`.
        threshold: Real,
        /// One-sidedness from which on they are missing on one side, `[-]`.
        asymmetry: Real,
        /// Factor of the reference beside a wall, `[-]`.
        at_wall: Real,
    }
}

block! {
    /// What the kernels read in a step.
    Constants<const D: usize> = "projection::Constants" {
        /// Weights of neighbors.
        weight: Weight,
        /// Kernel of the density, a cubic spline.
        kernel: KernelConstants,
        /// The space that may be used.
        domain: Domain<D>,
        /// Accelerations from outside.
        forces: Forces<D>,
        /// What makes a particle one of the surface.
        surface: Surface,
        /// Mass of a particle, `[kg]`.
        m: Real,
        /// Rest density ρ₀, `[kg/m³]`.
        rho_0: Real,
        /// Sum of weights of a full neighborhood, `[-]`.
        alpha: Real,
        /// Part of the velocity with which fluid leaves a wall that the pressure holds back, `[-]`.
        separation: Real,
        /// Part of the tangential velocity of walls that the fluid feels, read where `own_slip` is 0, `[-]`.
        tangential: Real,
        /// Pressure of the air, `[Pa]`.
        air_pressure: Real,
        /// Part θ_d of the difference gradient, `[-]`.
        difference: Real,
        /// Part θ_s of the sum gradient, `[-]`.
        sum: Real,
        /// Least `p_i + p_j` that acts, `[Pa]`.
        least: Real,
        /// Part c of XSPH, `[-]`.
        xsph: Real,
        /// A particle is never nearer to a wall than this in the viscous Laplacian, `[m]`.
        before: Real,
        /// Way of a neighborhood of one full side in a step over that of the fastest particle, over α; 0 is off,
        /// `[-]`.
        shift: Real,
        /// The longest way of shifting in a step, `[m]`.
        longest: Real,
        /// Not 0 when each wall has its own slip.
        own_slip: i32,
        /// Not 0 when sums of weights have their floor everywhere.
        floor_everywhere: i32,
        /// Not 0 when there is a free surface.
        free_surface: i32,
        /// Not 0 when the density takes part in the source with both signs.
        two_sided: i32,
        /// Not 0 when the fluid makes up for what ghosts leave out along their walls.
        along: i32,
    }
}
