//! Lanes in plain arrays, for processors whose registers have no implementation here.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lane, pack_one_by_one};
use crate::Real;

/// Four numbers.
#[derive(Clone, Copy)]
pub struct Quad([Real; 4]);

impl Quad {
    // Spelled out rather than by `array::map`, whose loop the compiler does not always take apart.
    #[inline(always)]
    fn each(self, f: impl Fn(Real) -> Real) -> Self {
        let Quad([a, b, c, d]) = self;
        Quad([f(a), f(b), f(c), f(d)])
    }
    #[inline(always)]
    fn pairs(self, other: Self, f: impl Fn(Real, Real) -> Real) -> Self {
        let (Quad([a, b, c, d]), Quad([p, q, r, s])) = (self, other);
        Quad([f(a, p), f(b, q), f(c, r), f(d, s)])
    }
}

macro_rules! quad_operator {
    ($($Operator:ident $operator:ident)*) => {$(
        impl $Operator for Quad {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, b: Self) -> Self {
                self.pairs(b, |a, b| a.$operator(b))
            }
        }
    )*};
}
quad_operator! { Add add Sub sub Mul mul Div div }

impl Neg for Quad {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.each(|a| -a)
    }
}

impl Lane for Quad {
    const N: usize = 4;
    #[inline(always)]
    fn splat(a: Real) -> Self {
        Quad([a; 4])
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        self.pairs(b, Lane::max)
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        self.pairs(b, Lane::min)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(Real::sqrt)
    }
    #[inline(always)]
    fn sum(self) -> Real {
        let Quad([a, b, c, d]) = self;
        (a + c) + (b + d)
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        let bit = |k: usize| ((self.0[k] < b.0[k]) as u32) << k;
        bit(0) | bit(1) | bit(2) | bit(3)
    }
    #[inline(always)]
    unsafe fn load(from: *const Real) -> Self {
        // SAFETY: the caller vouches for four numbers.
        Quad(unsafe { from.cast::<[Real; 4]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Real) {
        // SAFETY: the caller vouches for four numbers.
        unsafe { to.cast::<[Real; 4]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        // SAFETY: the caller vouches for four indices and four numbers at each.
        let at = |k: usize| unsafe { Self::load(p.add(*j.add(k) as usize * stride)).0 };
        let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
        let column = |k: usize| Quad([a[k], b[k], c[k], d[k]]);
        [column(0), column(1), column(2), column(3)]
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        // SAFETY: the caller vouches for four indices and a number at each.
        unsafe {
            Quad([
                *p.add(*j as usize),
                *p.add(*j.add(1) as usize),
                *p.add(*j.add(2) as usize),
                *p.add(*j.add(3) as usize),
            ])
        }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        // SAFETY: four numbers here, and the caller vouches for four there.
        unsafe { pack_one_by_one::<_, 4>(self.0.as_ptr(), mask, to) }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        // SAFETY: the same contract.
        unsafe { pack_one_by_one::<_, 4>(from, mask, to) }
    }
}
