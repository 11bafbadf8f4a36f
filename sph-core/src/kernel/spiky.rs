use std::f64::consts::PI;

use super::{Formula, Kernel, Support, in_dimension};
use crate::{Real, numerics::lane::Lane};

/// Spiky kernel (Müller, Charypar & Gross 2003): `f = (1 - q)³`, `σ_2 = 10/π`, `σ_3 = 15/π`.
///
/// Its gradient does not vanish towards `r = 0` and keeps particles apart. It has a kink there, so it is not
/// meant for densities: on a lattice of two spacings a support it is 24 % too high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spiky<const D: usize> {
    support: Support,
    w_scale: Real,
    f_scale: Real,
}

impl<const D: usize> Formula<D> for Spiky<D> {
    const NAME: &'static str = "spiky";
    const SECOND_MOMENT: f64 = in_dimension::<D>(1.0 / 7.0, 3.0 / 14.0);

    fn new(h: Real) -> Self {
        let support = Support::new(h);
        let sigma = in_dimension::<D>(10.0 / PI, 15.0 / PI);
        Self { support, w_scale: support.scaled(sigma, D), f_scale: support.scaled(-3.0 * sigma, D + 1) }
    }

    fn f_scale(&self) -> Real {
        self.f_scale
    }
}

impl<const D: usize> Kernel<D> for Spiky<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.support.h
    }

    /// `σ/h^d (1 - q)₊³`.
    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        let a = self.support.one_minus_q(r2.sqrt());
        L::splat(self.w_scale) * (a * a * a)
    }

    /// `-3 σ/h^(d+1) (1 - q)₊² / r`, with `r` kept away from 0.
    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        let r = r2.sqrt();
        let a = self.support.one_minus_q(r);
        L::splat(self.f_scale) * (a * a) / self.support.apart(r)
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.w_scale
    }
}
