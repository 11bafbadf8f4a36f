use std::f64::consts::PI;

use super::{Support, in_dimension};
use crate::{Real, numerics::lane::Lane};

/// Laplacian of the viscosity kernel (Müller, Charypar & Gross 2003), linear and never negative:
/// `∇²W = 45/(π h⁶) (h - r)` in 3D, `40/(π h⁵) (h - r)` in 2D.
///
/// The kernel itself is singular at `r = 0` and serves no other purpose, so only its Laplacian exists here. The
/// constant in 2D follows from the kernel's own normalization there; it is not that of 3D times `h`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViscosityLaplacian<const D: usize> {
    support: Support,
    scale: Real,
}

impl<const D: usize> ViscosityLaplacian<D> {
    /// With support radius `h` \[m\].
    #[must_use]
    pub fn new(h: Real) -> Self {
        let support = Support::new(h);
        Self { support, scale: support.scaled(in_dimension::<D>(40.0 / PI, 45.0 / PI), D + 2) }
    }

    /// Support radius `h` \[m\].
    #[must_use]
    pub fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `∇²W` from `r²` \[m²\]; \[m⁻ᴰ⁻²\].
    #[inline(always)]
    #[must_use]
    pub fn laplacian<L: Lane>(&self, r2: L) -> L {
        L::splat(self.scale) * self.support.one_minus_q(r2.sqrt())
    }
}
