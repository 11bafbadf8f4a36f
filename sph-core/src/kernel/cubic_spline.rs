use std::f64::consts::PI;

use super::{Formula, Kernel, Support, in_dimension, positive};
use crate::{Real, numerics::lane::Lane};

/// Cubic spline kernel (Monaghan 1992): `f = 6 (q³ - q²) + 1` up to `q = ½`, `2 (1 - q)³` above;
/// `σ_2 = 40/(7π)`, `σ_3 = 8/π`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicSpline<const D: usize> {
    support: Support,
    half_h: Real,
    w_scale: Real,
    f_scale: Real,
}

impl<const D: usize> CubicSpline<D> {
    /// `(1 - q)₊` and `(½ - q)₊` \[-\].
    #[inline(always)]
    fn distances_to_knots<L: Lane>(&self, r: L) -> (L, L) {
        let b = positive(L::splat(self.half_h) - r) * L::splat(self.support.inv_h);
        (self.support.one_minus_q(r), b)
    }
}

impl<const D: usize> Formula<D> for CubicSpline<D> {
    const NAME: &'static str = "cubic_spline";
    const SECOND_MOMENT: f64 = in_dimension::<D>(31.0 / 196.0, 9.0 / 40.0);

    fn new(h: Real) -> Self {
        let support = Support::new(h);
        let sigma = in_dimension::<D>(40.0 / (7.0 * PI), 8.0 / PI);
        Self {
            support,
            half_h: 0.5 * h,
            w_scale: support.scaled(sigma, D),
            f_scale: support.scaled(-6.0 * sigma, D + 2),
        }
    }

    fn f_scale(&self) -> Real {
        self.f_scale
    }
}

impl<const D: usize> Kernel<D> for CubicSpline<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `σ/h^d (2 a³ - 8 b³)` with `a = (1 - q)₊`, `b = (½ - q)₊`.
    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        let (a, b) = self.distances_to_knots(r2.sqrt());
        L::splat(self.w_scale) * (L::splat(2.0) * (a * a * a) - L::splat(8.0) * (b * b * b))
    }

    /// `σ/h^(d+2) (24 b² - 6 a²) / q`. As `-6 (a + 2b) (a - 2b) / q`, where the last quotient is 1 up to `q = ½`
    /// and `a / q < 1` above: so nothing cancels, and `r = 0` is no special case.
    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        let r = r2.sqrt();
        let (a, b) = self.distances_to_knots(r);
        let quotient = (positive(L::splat(self.support.h) - r) / r).min(L::splat(1.0));
        L::splat(self.f_scale) * ((a + b + b) * quotient)
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.w_scale
    }
}
