use std::f64::consts::PI;

use super::{Formula, Kernel, Support, in_dimension};
use crate::{Real, numerics::lane::Lane};

/// Wendland C2 kernel (Wendland 1995): `f = (1 - q)⁴ (1 + 4q)`, `σ_2 = 7/π`, `σ_3 = 21/(2π)`.
///
/// Its Fourier transform is positive, so particles do not pair however many neighbors they have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WendlandC2<const D: usize> {
    support: Support,
    w_scale: Real,
    f_scale: Real,
}

impl<const D: usize> Formula<D> for WendlandC2<D> {
    const NAME: &'static str = "wendland_c2";
    const SECOND_MOMENT: f64 = in_dimension::<D>(5.0 / 36.0, 1.0 / 5.0);

    fn new(h: Real) -> Self {
        let support = Support::new(h);
        let sigma = in_dimension::<D>(7.0 / PI, 21.0 / (2.0 * PI));
        Self { support, w_scale: support.scaled(sigma, D), f_scale: support.scaled(-20.0 * sigma, D + 2) }
    }

    fn f_scale(&self) -> Real {
        self.f_scale
    }
}

impl<const D: usize> Kernel<D> for WendlandC2<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `σ/h^d a⁴ (5 - 4a)` with `a = (1 - q)₊`.
    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        let a2 = a * a;
        L::splat(self.w_scale) * (a2 * a2 * (L::splat(5.0) - L::splat(4.0) * a))
    }

    /// `-20 σ/h^(d+2) (1 - q)₊³`.
    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        L::splat(self.f_scale) * (a * a * a)
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.w_scale
    }
}
