use std::f64::consts::PI;

use super::{Formula, Kernel, Support, in_dimension, positive};
use crate::{Real, numerics::lane::Lane};

/// Poly6 kernel (Müller, Charypar & Gross 2003): `f = (1 - q²)³`, `σ_2 = 4/π`, `σ_3 = 315/(64π)`.
///
/// Needs no square root; its gradient vanishes at `r = 0`, so it is of no use for pressure forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poly6<const D: usize> {
    support: Support,
    h2: Real,
    inv_h2: Real,
    w_scale: Real,
    f_scale: Real,
}

impl<const D: usize> Poly6<D> {
    /// `(1 - q²)₊` \[-\].
    #[inline(always)]
    fn one_minus_q2<L: Lane>(&self, r2: L) -> L {
        positive(L::splat(self.h2) - r2) * L::splat(self.inv_h2)
    }
}

impl<const D: usize> Formula<D> for Poly6<D> {
    const NAME: &'static str = "poly6";
    const SECOND_MOMENT: f64 = in_dimension::<D>(1.0 / 5.0, 3.0 / 11.0);

    fn new(h: Real) -> Self {
        let support = Support::new(h);
        let sigma = in_dimension::<D>(4.0 / PI, 315.0 / (64.0 * PI));
        Self {
            support,
            h2: h * h,
            inv_h2: support.scaled(1.0, 2),
            w_scale: support.scaled(sigma, D),
            f_scale: support.scaled(-6.0 * sigma, D + 2),
        }
    }

    fn f_scale(&self) -> Real {
        self.f_scale
    }
}

impl<const D: usize> Kernel<D> for Poly6<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `σ/h^d (1 - q²)₊³`.
    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        let s = self.one_minus_q2(r2);
        L::splat(self.w_scale) * (s * s * s)
    }

    /// `-6 σ/h^(d+2) (1 - q²)₊²`.
    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        let s = self.one_minus_q2(r2);
        L::splat(self.f_scale) * (s * s)
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.w_scale
    }
}
