//! What the kernels of weakly compressible SPH read: the twins of the structs in `wcsph.cuh`.

use super::{
    kernel::{KernelConstants, Surface},
    space::{Domain, Forces},
};
use sph_core::Real;

block! {
    /// Equation of state.
    Eos = "wcsph::Eos" {
        /// [`Eos::TAIT7`], [`Eos::TAIT`] or [`Eos::LINEAR`].
        kind: i32,
        /// Stiffness B, `[Pa]`; of the linear one c₀², `[m²/s²]`.
        b: Real,
        /// Exponent γ of [`Eos::TAIT`], `[-]`.
        gamma: Real,
    }
}

impl Eos {
    /// `p = B ((ρ/ρ₀)⁷ − 1)` (Becker & Teschner 2007, eq. 7).
    pub const TAIT7: i32 = 0;
    /// `p = B ((ρ/ρ₀)^γ − 1)` with another exponent.
    pub const TAIT: i32 = 1;
    /// `p = c₀² (ρ − ρ₀)`.
    pub const LINEAR: i32 = 2;
}

block! {
    /// Contact with wall samples.
    Contact = "wcsph::Contact" {
        /// `κ c₀²/Δx`, `[m/s²]`.
        stiffness: Real,
        /// Reach r_c, `[m]`.
        reach: Real,
    }
}

block! {
    /// Artificial viscosity between approaching particles (Monaghan 1992, eq. 4.1).
    Monaghan = "wcsph::Monaghan" {
        /// `α h_s c₀`, `[m²/s]`.
        alpha_h_c: Real,
        /// `β h_s²`, `[m²]`.
        beta_h2: Real,
    }
}

block! {
    /// Laminar viscosity along the velocity difference (Morris, Fox & Zhu 1997, eq. 22).
    Morris = "wcsph::Morris" {
        /// Dynamic viscosity μ over its lattice factor, `[Pa s]`.
        mu: Real,
    }
}

block! {
    /// Laminar viscosity with the Laplacian of the viscosity kernel (Müller, Charypar & Gross 2003, eq. 14).
    Muller = "wcsph::Muller" {
        /// Dynamic viscosity μ, `[Pa s]`.
        mu: Real,
        /// Factor of (h − r) in the Laplacian, `[m^-(D+3)]`.
        laplacian: Real,
        /// Support radius h, `[m]`.
        h: Real,
    }
}

block! {
    /// Laminar viscosity along the line of centers (Monaghan 2005).
    Solenoidal = "wcsph::Solenoidal" {
        /// `2 (D+2) μ` over its lattice factor, `[Pa s]`.
        mu: Real,
    }
}

/// Viscosity models, [`Constants::viscosity`].
pub mod viscosity {
    /// None.
    pub const NONE: i32 = 0;
    /// [`Monaghan`](super::Monaghan).
    pub const MONAGHAN: i32 = 1;
    /// [`Morris`](super::Morris).
    pub const MORRIS: i32 = 2;
    /// [`Muller`](super::Muller).
    pub const MULLER: i32 = 3;
    /// [`Solenoidal`](super::Solenoidal).
    pub const SOLENOIDAL: i32 = 4;
}

/// Where the wall's half of the pressure comes from, [`Constants::wall`].
pub mod wall {
    /// Nowhere: `p_i/ρ_i²` alone, never negative.
    pub const ONE_SIDED: i32 = 0;
    /// Mirrored: `p_i (1/ρ_i² + 1/ρ₀²)`, never negative.
    pub const MIRRORED: i32 = 1;
    /// The sample's own pressure.
    pub const OWN: i32 = 2;
    /// The same, and a negative pressure of the particle counts as well.
    pub const OWN_PULLS: i32 = 3;
}

block! {
    /// What the kernels read and no step changes: parameters, and what follows from them.
    Constants<const D: usize> = "wcsph::Constants" {
        /// Interpolation kernel.
        kernel: KernelConstants,
        /// The space that may be used.
        domain: Domain<D>,
        /// Accelerations from outside.
        forces: Forces<D>,
        /// Cohesion, curvature and adhesion; all strengths 0 if the fluid has no surface terms.
        surface: Surface,
        /// Equation of state.
        eos: Eos,
        /// Contact with wall samples.
        contact: Contact,
        /// Coefficients if [`viscosity::MONAGHAN`] acts.
        monaghan: Monaghan,
        /// Coefficients if [`viscosity::MORRIS`] acts.
        morris: Morris,
        /// Coefficients if [`viscosity::MULLER`] acts.
        muller: Muller,
        /// Coefficients if [`viscosity::SOLENOIDAL`] acts.
        solenoidal: Solenoidal,
        /// Mass of a fluid particle, `[kg]`.
        m: Real,
        /// Rest density ρ₀, `[kg/m³]`.
        rho_0: Real,
        /// Distance of particles at the start Δx, `[m]`.
        spacing: Real,
        /// Volume Δx^D of a particle at rest, `[m^D]`.
        volume: Real,
        /// Part ε of the density below which fluid is torn, `[-]`.
        cavitation: Real,
        /// 1 over the lattice's gradient factor, on pressure gradient and velocity divergence, `[-]`.
        gradient: Real,
        /// `0.01 h_s²`, `[m²]`.
        softening: Real,
        /// `2 δ h_s c₀` of the density diffusion, `[m²/s]`.
        diffusion: Real,
        /// `σ h_s c₀` of pseudo-mass walls, `[m²/s]`.
        friction: Real,
        /// 1 over W at one spacing, for shifting, `[m^D]`.
        inv_w_dx: Real,
        /// A drift correction moves a particle by this at most, `[m]`.
        correction_limit: Real,
        /// One of [`viscosity`].
        viscosity: i32,
        /// One of [`wall`].
        wall: i32,
        /// Not 0 when negative pressure of the fluid is removed.
        clamps: i32,
        /// Not 0 when negative pressure of dummy walls is removed.
        clamps_walls: i32,
        /// Not 0 when the density diffusion has the corrected gradient (Antuono et al. 2010).
        corrected_diffusion: i32,
    }
}
