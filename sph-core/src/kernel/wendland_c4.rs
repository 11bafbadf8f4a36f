use std::f64::consts::PI;

use super::{Formula, Kernel, Support, in_dimension};
use crate::{Real, numerics::lane::Lane};

/// Wendland C4 kernel (Wendland 1995): `f = (1 - q)⁶ (1 + 6q + 35/3 q²)`, `σ_2 = 9/π`, `σ_3 = 495/(32π)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WendlandC4<const D: usize> {
    support: Support,
    w_scale: Real,
    f_scale: Real,
}

impl<const D: usize> Formula<D> for WendlandC4<D> {
    const NAME: &'static str = "wendland_c4";
    const SECOND_MOMENT: f64 = in_dimension::<D>(7.0 / 66.0, 2.0 / 13.0);

    fn new(h: Real) -> Self {
        let support = Support::new(h);
        let sigma = in_dimension::<D>(9.0 / PI, 495.0 / (32.0 * PI));
        Self {
            support,
            w_scale: support.scaled(sigma, D),
            f_scale: support.scaled(-56.0 / 3.0 * sigma, D + 2),
        }
    }

    fn f_scale(&self) -> Real {
        self.f_scale
    }
}

impl<const D: usize> Kernel<D> for WendlandC4<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `σ/h^d (1 - q)₊⁶ (1 + 6q + 35/3 q²)`.
    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        let q = L::splat(1.0) - a;
        let a2 = a * a;
        let polynomial = L::splat(1.0) + q * (L::splat(6.0) + L::splat(35.0 / 3.0) * q);
        L::splat(self.w_scale) * (a2 * a2 * a2 * polynomial)
    }

    /// `-56/3 σ/h^(d+2) (1 - q)₊⁵ (1 + 5q)`.
    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        let a2 = a * a;
        L::splat(self.f_scale) * (a2 * a2 * a * (L::splat(6.0) - L::splat(5.0) * a))
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.w_scale
    }
}
