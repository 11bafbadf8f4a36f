//! The kernels of weakly compressible SPH.
//!
//! Names and order are those of the loops in `solver-wcsph/src/cpu`. Records of particles are quads in arrays of their
//! own: `place` `[x y z s]`, with s the density in the density loops and p/ρ² in the others, `motion` `[v ρ]`, and
//! `extra` `[∇ρ ·]` or `[w ·]`. All particles are in the order of their cells.

/// The formulas, twin of `solver-wcsph/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("wcsph.rs");

impl Eos {
    /// `p = B ((ρ/ρ₀)⁷ − 1)` (Becker & Teschner 2007, eq. 7).
    pub const TAIT7: i32 = 0;
    /// `p = B ((ρ/ρ₀)^γ − 1)` with another exponent.
    pub const TAIT: i32 = 1;
    /// `p = c₀² (ρ − ρ₀)`.
    pub const LINEAR: i32 = 2;
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
