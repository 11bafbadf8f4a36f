//! What the kernels of Position Based Fluids read: the twins of the structs in `pbf.cuh`.

use super::{
    kernel::{KernelConstants, Surface},
    space::{Domain, Forces},
};
use sph_core::Real;

block! {
    /// Tensile correction `s_ij = −k (W_ij/W(Δq))^n` (Macklin & Müller 2013, eq. 13).
    Scorr = "pbf::Scorr" {
        /// Strength k, 0 is off, `[m²]`.
        k: Real,
        /// `1/W(Δq)`, `[m^D]`.
        inv_w_dq: Real,
        /// Exponent n, `[-]`.
        n: u32,
    }
}

block! {
    /// How masses weigh in λ̂ and Δx.
    Weights = "pbf::Weights" {
        /// 0: by inverse masses, `Σ m_i Δx_i = 0`. Else as if inverse masses were equal, `Σ Δx_i = 0`.
        equal_mass: i32,
    }
}

block! {
    /// Variable-step BDF2, by the step over the one before, κ.
    Bdf2 = "pbf::Bdf2" {
        /// Part of the last change that goes on: `κ²/(1 + 2κ)`, `[-]`.
        history: Real,
        /// Part of Δt r that a change holds: `(1 + κ)/(1 + 2κ)`, `[-]`.
        rate: Real,
        /// κ, `[-]`.
        kappa: Real,
    }
}

block! {
    /// What the kernels read and no substep changes but for `scorr.k`: parameters, and what follows from them.
    Constants<const D: usize> = "pbf::Constants" {
        /// Interpolation kernel.
        kernel: KernelConstants,
        /// The space that may be used.
        domain: Domain<D>,
        /// Accelerations from outside.
        forces: Forces<D>,
        /// Cohesion, curvature and adhesion as forces; all strengths 0 if there are none.
        surface: Surface,
        /// Tensile correction; its strength follows from the substep.
        scorr: Scorr,
        /// How masses weigh.
        weights: Weights,
        /// Mass of a particle at rest, `[kg]`.
        m: Real,
        /// Rest density ρ₀, `[kg/m³]`.
        rho_0: Real,
        /// Part of psi that walls have, `[-]`.
        solid: Real,
        /// Relaxation ε of the constraint, `[1/m²]`.
        epsilon: Real,
        /// Random spread of masses, 0 is off, `[-]`.
        mass_spread: Real,
        /// Factor of the corrections, `[-]`.
        relaxation: Real,
        /// Part c of XSPH, `[-]`.
        xsph: Real,
        /// The same of walls, `[-]`.
        wall_xsph: Real,
        /// Half the stiffness of the surface constraint, `[-]`.
        half_k: Real,
        /// Not 0 when only compression is corrected.
        unilateral: i32,
        /// Not 0 when walls count in Σ|∇C|².
        walls_in_denominator: i32,
        /// Not 0 when corrections are divided by the number of constraints.
        averages: i32,
        /// Not 0 when a pair weighs each other alike in XSPH.
        symmetric: i32,
        /// Not 0 when masses are unequal, and records hold them.
        unequal: i32,
    }
}
