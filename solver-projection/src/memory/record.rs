//! Slots of the records that loops over neighbors gather, and the sums of those loops.

use bytemuck::{Pod, Zeroable};
use sph_core::Real;

/// `1/α` of a particle, `[x y z 1/α | v p]`.
pub const INV_ALPHA: usize = 3;
/// Velocity of a particle or of a wall sample.
pub const V: usize = 4;
/// Pressure of a particle.
pub const P: usize = 7;
/// The same slot before there is a pressure: 1 beside a wall.
pub const BESIDE_WALL: usize = 7;
/// The same slot once the matrix is assembled: 1 at the surface.
pub const AT_SURFACE: usize = 7;
/// The same slot for XSPH: density of a particle.
pub const RHO: usize = 7;

/// Depth of a wall sample behind its surface, `[x y z depth | v τ | n A]`.
pub const DEPTH: usize = 3;
/// Part τ of its tangential velocity.
pub const TANGENTIAL: usize = 7;
/// Its normal.
pub const NORMAL: usize = 8;

/// Area for which it stands; 0 in deeper layers, negative where the pressure acts by pairs.
pub const AREA: usize = 11;

/// First of six numbers of the tangential wall correction, `[x y z · | E_xx E_xy E_xz E_yy | E_yz E_zz E/G ·]`.
pub const CORRECTION: usize = 4;
/// `E/G`.
pub const CORRECTION_SCALE: usize = 10;
/// Pressure gradient of that correction, `[x y z · | E/G Σ_j w¹ (p_j − p_i) n_ij ·]`.
pub const GRADIENT: usize = 4;

/// Moments of the weight.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Moments {
    /// `Σ w n`; the third is 0 in 2D.
    pub w_n: [Real; 3],
    /// `α = Σ w`.
    pub alpha: Real,
}

/// Sums over a row of the matrix.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RowSums {
    /// `Σ_j a w²` over the fluid, `[1/m²]`.
    pub fluid: Real,
    /// The same with ghosts, `[1/m²]`.
    pub total: Real,
    /// `(D v*)_i`, `[1/s]`.
    pub divergence: Real,
    /// `Σ_j w² n·(E_i + E_j) n`, `[1/m²]`.
    pub correction: Real,
}

impl Moments {
    /// True if all are finite.
    pub fn is_finite(&self) -> bool {
        self.alpha.is_finite() && self.w_n.iter().all(|x| x.is_finite())
    }
}

impl RowSums {
    /// True if all are finite.
    pub fn is_finite(&self) -> bool {
        [self.fluid, self.total, self.divergence, self.correction].iter().all(|x| x.is_finite())
    }
}
