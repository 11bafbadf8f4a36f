//! Shapes of the surface forces of Akinci, Akinci & Teschner (2013). They are not normalized.

use std::f64::consts::PI;

use super::{Support, positive};
use crate::{Real, numerics::lane::Lane};

/// Cohesion between fluid particles (Akinci, Akinci & Teschner 2013, eq. 2):
/// `C(r) = 32/(π h³) (1 - q)³ q³` above `q = ½`, `32/(π h³) (2 (1 - q)³ q³ - 1/64)` below.
///
/// Attracts (positive) down to `q = 0.2729` and repels below; largest at `q = ½` with `0.15915 / h³`.
///
/// Deviation: the paper is in three dimensions; in two the factor is `32/(π h²)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohesion<const D: usize> {
    support: Support,
    scale: Real,
}

impl<const D: usize> Cohesion<D> {
    /// With support radius `h` \[m\].
    #[must_use]
    pub fn new(h: Real) -> Self {
        let support = Support::new(h);
        Self { support, scale: support.scaled(32.0 / PI, D) }
    }

    /// Support radius `h` \[m\].
    #[must_use]
    pub fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `C(r)` from `r²` \[m²\]; \[m⁻ᴰ\].
    #[inline(always)]
    #[must_use]
    pub fn c<L: Lane>(&self, r2: L) -> L {
        let q = L::splat(1.0) - self.support.one_minus_q(r2.sqrt());
        let shape = |q: L| {
            let s = q * (L::splat(1.0) - q);
            s * s * s
        };
        // Both cases in one: the second term is 0 from q = ½ on, where the shape is 1/64.
        let repulsion = shape(q.min(L::splat(0.5))) - L::splat(1.0 / 64.0);
        L::splat(self.scale) * (shape(q) + repulsion)
    }

    /// `C(r) / r`, with which `C(r) n_ij = (C(r) / r) x_ij`, from `r²` \[m²\]; \[m⁻ᴰ⁻¹\]. Finite at `r = 0`.
    #[inline(always)]
    #[must_use]
    pub fn c_over_r<L: Lane>(&self, r2: L) -> L {
        self.c(r2) / self.support.apart(r2.sqrt())
    }
}

/// Adhesion of fluid particles to walls (Akinci, Akinci & Teschner 2013, eq. 7):
/// `A(r) = 0.007/h³ (-4 q² + 6 q - 2)^¼` above `q = ½`, 0 below.
///
/// Deviation: the paper is in three dimensions; in two the factor is `0.007/h²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adhesion<const D: usize> {
    support: Support,
    half_h: Real,
    scale: Real,
}

impl<const D: usize> Adhesion<D> {
    /// With support radius `h` \[m\].
    #[must_use]
    pub fn new(h: Real) -> Self {
        let support = Support::new(h);
        Self { support, half_h: 0.5 * h, scale: support.scaled(0.007, D) }
    }

    /// Support radius `h` \[m\].
    #[must_use]
    pub fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `A(r)` from `r²` \[m²\]; \[m⁻ᴰ\].
    #[inline(always)]
    #[must_use]
    pub fn a<L: Lane>(&self, r2: L) -> L {
        let r = r2.sqrt();
        let from_half = positive(r - L::splat(self.half_h)) * L::splat(self.support.inv_h);
        // -4 q² + 6 q - 2 = 4 (q - ½) (1 - q)
        let shape = L::splat(4.0) * from_half * self.support.one_minus_q(r);
        L::splat(self.scale) * shape.sqrt().sqrt()
    }

    /// `A(r) / r`, with which `A(r) n_ib = (A(r) / r) x_ib`, from `r²` \[m²\]; \[m⁻ᴰ⁻¹\]. Finite at `r = 0`.
    #[inline(always)]
    #[must_use]
    pub fn a_over_r<L: Lane>(&self, r2: L) -> L {
        self.a(r2) / self.support.apart(r2.sqrt())
    }
}
