use super::{Formula, Kernel, Poly6, Spiky};
use crate::{Real, numerics::lane::Lane};

/// Density by poly6, gradients by spiky (Macklin & Müller 2013, §3). Its "gradient" is not the derivative of its
/// `W`: λ is that of another constraint than the one that is measured, but it does not vanish between near particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poly6Spiky<const D: usize> {
    density: Poly6<D>,
    gradient: Spiky<D>,
}

impl<const D: usize> Formula<D> for Poly6Spiky<D> {
    const NAME: &'static str = "poly6_spiky";
    const SECOND_MOMENT: f64 = <Poly6<D> as Formula<D>>::SECOND_MOMENT;
    const IS_CONSISTENT: bool = false;

    fn new(h: Real) -> Self {
        Self { density: Poly6::new(h), gradient: Spiky::new(h) }
    }

    fn f_scale(&self) -> Real {
        self.gradient.f_scale()
    }
}

impl<const D: usize> Kernel<D> for Poly6Spiky<D> {
    #[inline(always)]
    fn support_radius(&self) -> Real {
        self.density.support_radius()
    }

    #[inline(always)]
    fn w<L: Lane>(&self, r2: L) -> L {
        self.density.w(r2)
    }

    #[inline(always)]
    fn grad_factor<L: Lane>(&self, r2: L) -> L {
        self.gradient.grad_factor(r2)
    }

    #[inline(always)]
    fn w_0(&self) -> Real {
        self.density.w_0()
    }
}
