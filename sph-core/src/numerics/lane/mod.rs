//! Lanes: numbers computed side by side, with the same bits on every machine.
//!
//! A formula is written once, generic over [`Lane`], and runs on one number (`f32`, `f64`) or on a *wide* lane:
//! 16 numbers (8 with the feature `f64`) held in one AVX-512 register, two AVX2 registers or four SSE2 registers,
//! and in plain arrays on processors other than x86-64. Which one is decided at run time by an [`Isa`] given to a function that
//! [`phase!`](crate::phase) wrote; nothing outside this module names a register or an instruction.
//!
//! **Why the results agree in every bit.** The number of lanes does not follow the register, [`Lane::sum`] adds in
//! one order, and each operation is one that IEEE 754 rounds in exactly one way. Hence there is no fused
//! multiply-add and no approximate reciprocal or root: they are the operations in which instruction sets differ,
//! and neither made a phase measurably faster. Only the sign and payload of a NaN may differ.
//!
//! **Speed.** Everything below a phase is `#[inline(always)]`. An intrinsic that is not inlined into a function
//! with its target feature stays a call, silently, and costs ten to forty times its work; closures written
//! inside a phase inherit its target features, closures handed to it do not.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::Real;

mod isa;
mod phase;
#[cfg(any(feature = "f64", not(target_feature = "simd128")))]
mod portable;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
#[macro_use]
mod register;
#[cfg(all(target_feature = "simd128", not(feature = "f64")))]
mod wasm_f32;
#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
mod x86_f32;
#[cfg(all(target_arch = "x86_64", feature = "f64"))]
mod x86_f64;

#[doc(hidden)]
pub use isa::Level;
pub use isa::{Isa, UnknownIsa};

/// Numbers that one instruction sequence computes side by side. See the [module](self) for what all
/// implementations share.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Number of lanes: [`WIDTH`], or 1 for `f32` and `f64`.
    const N: usize;

    /// `a` in every lane.
    fn splat(a: Real) -> Self;

    /// Lane by lane `if self > b { self } else { b }`, so `b` where either is NaN.
    fn max(self, b: Self) -> Self;

    /// Lane by lane `if self < b { self } else { b }`, so `b` where either is NaN.
    fn min(self, b: Self) -> Self;

    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// Sum of all lanes, by halves: lane k + lane k + N/2, and so on until one is left.
    fn sum(self) -> Real;

    /// Bit k is set where lane k of `self` is below lane k of `b`; not where either is NaN.
    fn below(self, b: Self) -> u32;

    /// Reads N consecutive numbers, of any alignment.
    ///
    /// # Safety
    /// `from` is valid for reading N numbers.
    unsafe fn load(from: *const Real) -> Self;

    /// Writes N consecutive numbers, of any alignment.
    ///
    /// # Safety
    /// `to` is valid for writing N numbers.
    unsafe fn store(self, to: *mut Real);

    /// Reads the four numbers from `p + stride * j[k]` on for each lane k, and transposes them: element c of the
    /// result holds number c of all N records.
    ///
    /// # Safety
    /// `j` is valid for reading N indices, and `p` for reading four numbers from `stride * j[k]` on for each.
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4];

    /// Reads the number `p[j[k]]` for each lane k.
    ///
    /// # Safety
    /// `j` is valid for reading N indices, and `p` for reading a number at each.
    unsafe fn gather(p: *const Real, j: *const u32) -> Self;

    /// Writes those lanes whose bit is set in `mask`, close together and in order. May write N numbers, those
    /// after the marked ones being of no use.
    ///
    /// # Safety
    /// `to` is valid for writing N numbers; `mask` has no bit above N.
    unsafe fn pack(self, mask: u32, to: *mut Real);

    /// As [`pack`](Lane::pack), for N indices in memory.
    ///
    /// # Safety
    /// `from` is valid for reading and `to` for writing N indices, which do not overlap; `mask` has no bit above
    /// N.
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32);
}

/// Number of lanes in all wide lanes.
pub const WIDTH: usize = if cfg!(feature = "f64") { 8 } else { 16 };

/// The wide lanes, for [`phase!`](crate::phase) alone: outside a function with its target feature a register
/// type may not even be added.
#[doc(hidden)]
pub mod wide {
    // Compiled, and tested as any type, everywhere; phases use it only where no registers are at hand.
    #[cfg(feature = "f64")]
    pub type Portable = super::Two<super::portable::Quad>;
    #[cfg(not(any(feature = "f64", target_feature = "simd128")))]
    pub type Portable = super::Two<super::Two<super::portable::Quad>>;
    #[cfg(all(target_feature = "simd128", not(feature = "f64")))]
    pub type Portable = super::Two<super::Two<super::wasm_f32::V128>>;
    #[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
    pub use super::x86_f32::{Avx2, Avx512, Sse2};
    #[cfg(all(target_arch = "x86_64", feature = "f64"))]
    pub use super::x86_f64::{Avx2, Avx512, Sse2};
}

/// Two lanes as one of twice the width: the low half first.
#[derive(Clone, Copy)]
pub struct Two<L>(L, L);

macro_rules! two_operator {
    ($($Operator:ident $operator:ident)*) => {$(
        impl<L: Lane> $Operator for Two<L> {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, b: Self) -> Self {
                Two(self.0.$operator(b.0), self.1.$operator(b.1))
            }
        }
    )*};
}
two_operator! { Add add Sub sub Mul mul Div div }

impl<L: Lane> Neg for Two<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Two(-self.0, -self.1)
    }
}

impl<L: Lane> Lane for Two<L> {
    const N: usize = 2 * L::N;
    #[inline(always)]
    fn splat(a: Real) -> Self {
        Two(L::splat(a), L::splat(a))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        Two(self.0.max(b.0), self.1.max(b.1))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        Two(self.0.min(b.0), self.1.min(b.1))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Two(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn sum(self) -> Real {
        (self.0 + self.1).sum()
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        self.0.below(b.0) | self.1.below(b.1) << L::N
    }
    #[inline(always)]
    unsafe fn load(from: *const Real) -> Self {
        // SAFETY: the caller vouches for 2 L::N numbers.
        unsafe { Two(L::load(from), L::load(from.add(L::N))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Real) {
        // SAFETY: the caller vouches for 2 L::N numbers.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(L::N));
        }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        // SAFETY: the caller vouches for 2 L::N indices and their records.
        let ([a, b, c, d], [e, f, g, h]) =
            unsafe { (L::quads(p, stride, j), L::quads(p, stride, j.add(L::N))) };
        [Two(a, e), Two(b, f), Two(c, g), Two(d, h)]
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        // SAFETY: the caller vouches for 2 L::N indices and their numbers.
        unsafe { Two(L::gather(p, j), L::gather(p, j.add(L::N))) }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        let low = mask & ((1 << L::N) - 1);
        // SAFETY: the upper half starts at most L::N further in `to`.
        unsafe {
            self.0.pack(low, to);
            self.1.pack(mask >> L::N, to.add(low.count_ones() as usize));
        }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        let low = mask & ((1 << L::N) - 1);
        // SAFETY: the upper half starts L::N further in `from`, and at most L::N further in `to`.
        unsafe {
            L::pack_index(from, low, to);
            L::pack_index(from.add(L::N), mask >> L::N, to.add(low.count_ones() as usize));
        }
    }
}

/// One number at a time. The one that is not `Real` converts where it meets memory: `f64` is the oracle of `f32`.
macro_rules! scalar {
    ($T:ident) => {
        #[allow(clippy::unnecessary_cast, reason = "one of the two is `Real`")]
        impl Lane for $T {
            const N: usize = 1;
            #[inline(always)]
            fn splat(a: Real) -> Self {
                a as $T
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                if self > b { self } else { b }
            }
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                if self < b { self } else { b }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $T::sqrt(self)
            }
            #[inline(always)]
            fn sum(self) -> Real {
                self as Real
            }
            #[inline(always)]
            fn below(self, b: Self) -> u32 {
                (self < b) as u32
            }
            #[inline(always)]
            unsafe fn load(from: *const Real) -> Self {
                // SAFETY: the caller vouches for one number.
                unsafe { *from as $T }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut Real) {
                // SAFETY: the caller vouches for one number.
                unsafe { *to = self as Real }
            }
            #[inline(always)]
            unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
                // SAFETY: the caller vouches for one index and four numbers there.
                unsafe {
                    let record = p.add(*j as usize * stride);
                    [*record as $T, *record.add(1) as $T, *record.add(2) as $T, *record.add(3) as $T]
                }
            }
            #[inline(always)]
            unsafe fn gather(p: *const Real, j: *const u32) -> Self {
                // SAFETY: the caller vouches for one index and the number there.
                unsafe { *p.add(*j as usize) as $T }
            }
            #[inline(always)]
            unsafe fn pack(self, _mask: u32, to: *mut Real) {
                // SAFETY: the caller vouches for one number.
                unsafe { *to = self as Real }
            }
            #[inline(always)]
            unsafe fn pack_index(from: *const u32, _mask: u32, to: *mut u32) {
                // SAFETY: the caller vouches for one number at both.
                unsafe { *to = *from }
            }
        }
    };
}
scalar! { f32 }
scalar! { f64 }

/// Asks for the cache line at `p` before it is read. This is no access: `p` may point anywhere.
///
/// Loops that read rows of indices or entries in order use it, since they gather records in between: among dozens of
/// gathered lines the processor does not recognize the stream of indices, and once a thread's rows have left the caches
/// near it every sixteen neighbors wait for one line.
#[inline(always)]
pub fn prefetch<T>(p: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program sees, from any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}

/// Asks for all of `items` before they are read.
#[inline(always)]
pub fn prefetch_all<T>(items: &[T]) {
    items.iter().step_by((64 / size_of::<T>()).max(1)).for_each(|item| prefetch(item));
}

/// Copies the items whose bit is set, close together, without a branch.
///
/// # Safety
/// As for [`Lane::pack`].
#[cfg(any(feature = "f64", not(target_feature = "simd128")))]
#[inline(always)]
unsafe fn pack_one_by_one<T: Copy, const N: usize>(from: *const T, mask: u32, mut to: *mut T) {
    for k in 0..N {
        // SAFETY: `to` has moved by at most k.
        unsafe {
            *to = *from.add(k);
            to = to.add((mask >> k & 1) as usize);
        }
    }
}

/// The array `[f(0), f(1), ...]`.
///
/// In place of `std::array::from_fn` and `map`, which the compiler may leave as calls: inside a phase a call
/// has no target feature, and every register that it passes goes through memory (several times slower).
#[inline(always)]
pub fn each<T: Copy, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [f(0); N];
    let mut k = 1;
    while k < N {
        all[k] = f(k);
        k += 1;
    }
    all
}
