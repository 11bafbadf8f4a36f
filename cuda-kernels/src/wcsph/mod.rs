//! The kernels of weakly compressible SPH.
//!
//! Names and order are those of the loops in `solver-wcsph/src/cpu`. Records of particles are quads in arrays of their
//! own: `place` `[x y z s]`, with s the density in the density loops and p/ρ² in the others, `motion` `[v ρ]`, and
//! `extra` `[∇ρ ·]`. All particles are in the order of their cells.

/// The formulas, twin of `solver-wcsph/src/physics.rs`.
pub const FORMULAS: &str = include_str!("formula.cuh");

crate::device::launch::generated!("wcsph.rs");

impl Eos {
    /// `p = B ((ρ/ρ₀)^γ − 1)`, γ = 7 (Becker & Teschner 2007, eq. 7).
    pub const TAIT: i32 = 0;
    /// `p = c₀² (ρ − ρ₀)`.
    pub const LINEAR: i32 = 1;
}

/// Viscosity models, [`Constants::viscosity`].
pub mod viscosity {
    /// [`Monaghan`](super::Monaghan).
    pub const MONAGHAN: i32 = 0;
    /// [`Morris`](super::Morris).
    pub const MORRIS: i32 = 1;
    /// [`Solenoidal`](super::Solenoidal).
    pub const SOLENOIDAL: i32 = 2;
}

/// The pressure of walls, [`Constants::wall`].
pub mod wall {
    /// Mirrored: `p_i (1/ρ_i² + 1/ρ₀²)`, never negative.
    pub const MIRRORED: i32 = 0;
    /// Extrapolated from the fluid to dummy particles, never negative.
    pub const DUMMY: i32 = 1;
    /// The same, with negative pressure of wall and particle.
    pub const DUMMY_TENSILE: i32 = 2;
}
