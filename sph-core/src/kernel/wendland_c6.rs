use std::f64::consts::PI;

use super::{Formula, Kernel, Support, in_dimension};
use crate::{Real, numerics::lane::Lane};

/// Wendland C6 kernel (Wendland 1995): `f = (1 - q)⁸ (1 + 8q + 25q² + 32q³)`, `σ_2 = 78/(7π)`, `σ_3 = 1365/(64π)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WendlandC6<const D: usize> {
    support: Support,
    w_scale: Real,
    f_scale: Real,
}

impl<const D: usize> Formula<D> for WendlandC6<D> {
    const NAME: &'static str = "wendland_c6";
    const SECOND_MOMENT: f64 = in_dimension::<D>(3.0 / 35.0, 1.0 / 8.0);

    fn new(h: Real) -> Self {
        let support = Support::new(h);
        let sigma = in_dimension::<D>(78.0 / (7.0 * PI), 1365.0 / (64.0 * PI));
        Self { support, w_scale: support.scaled(sigma, D), f_scale: support.scaled(-22.0 * sigma, D + 2) }
    }

    fn f_scale(&self) -> Real {
        self.f_scale
    }
}

impl<const D: usize> Kernel<D> for WendlandC6<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `σ/h^d (1 - q)₊⁸ (1 + 8q + 25q² + 32q³)`.
    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        let q = L::splat(1.0) - a;
        let a2 = a * a;
        let a4 = a2 * a2;
        let polynomial = L::splat(1.0) + q * (L::splat(8.0) + q * (L::splat(25.0) + L::splat(32.0) * q));
        L::splat(self.w_scale) * (a4 * a4 * polynomial)
    }

    /// `-22 σ/h^(d+2) (1 - q)₊⁷ (1 + 7q + 16q²)`. All terms of the polynomial are positive: nothing cancels.
    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        let q = L::splat(1.0) - a;
        let a2 = a * a;
        let polynomial = L::splat(1.0) + q * (L::splat(7.0) + L::splat(16.0) * q);
        L::splat(self.f_scale) * (a2 * a2 * a2 * a * polynomial)
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.w_scale
    }
}
