//! Registers of `f64`: 2, 4 and 8 lanes.
//!
//! Safety of every block below: a register type is named only by [`phase!`](crate::phase), inside a function that
//! has its target feature (SSE2 always is); pointers carry the contract of [`Lane`].
#![allow(clippy::undocumented_unsafe_blocks)]

use std::arch::x86_64::*;

use super::register::compress_order;
use super::{Lane, Two, pack_one_by_one};
use crate::Real;

/// 8 lanes in four registers.
pub type Sse2 = Two<Two<Xmm>>;
/// 8 lanes in two registers.
pub type Avx2 = Two<Ymm>;
/// 8 lanes in one register.
pub type Avx512 = Zmm;

static ORDER_4: [[u32; 4]; 16] = compress_order(1);
static ORDER_4_DOUBLE: [[u32; 8]; 16] = compress_order(2);

register! {
    /// Two lanes (SSE2).
    Xmm, __m128d, 2, _mm_loadu_pd _mm_storeu_pd _mm_xor_pd
    _mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_max_pd _mm_min_pd _mm_sqrt_pd,

    #[inline(always)]
    fn sum(self) -> Real {
        unsafe { _mm_cvtsd_f64(_mm_add_sd(self.0, _mm_unpackhi_pd(self.0, self.0))) }
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        unsafe { _mm_movemask_pd(_mm_cmplt_pd(self.0, b.0)) as u32 }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let (a, b) = (p.add(*j as usize * stride), p.add(*j.add(1) as usize * stride));
            let (a0, a1) = (_mm_loadu_pd(a), _mm_loadu_pd(a.add(2)));
            let (b0, b1) = (_mm_loadu_pd(b), _mm_loadu_pd(b.add(2)));
            [
                Self(_mm_unpacklo_pd(a0, b0)),
                Self(_mm_unpackhi_pd(a0, b0)),
                Self(_mm_unpacklo_pd(a1, b1)),
                Self(_mm_unpackhi_pd(a1, b1)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            Self(_mm_setr_pd(*p.add(*j as usize), *p.add(*j.add(1) as usize)))
        }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe { pack_one_by_one::<_, 2>((&raw const self.0).cast::<Real>(), mask, to) }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe { pack_one_by_one::<_, 2>(from, mask, to) }
    }
}

register! {
    /// Four lanes (AVX2).
    Ymm, __m256d, 4, _mm256_loadu_pd _mm256_storeu_pd _mm256_xor_pd
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_max_pd _mm256_min_pd _mm256_sqrt_pd,

    #[inline(always)]
    fn sum(self) -> Real {
        unsafe { Xmm(_mm_add_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0))).sum() }
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, b.0)) as u32 }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let at = |k: usize| _mm256_loadu_pd(p.add(*j.add(k) as usize * stride));
            let (a, b, c, d) = (at(0), at(1), at(2), at(3));
            let (l0, h0) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (l1, h1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                Self(_mm256_permute2f128_pd::<0x20>(l0, l1)),
                Self(_mm256_permute2f128_pd::<0x20>(h0, h1)),
                Self(_mm256_permute2f128_pd::<0x31>(l0, l1)),
                Self(_mm256_permute2f128_pd::<0x31>(h0, h1)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            let two = |k: usize| Xmm::gather(p, j.add(k)).0;
            Self(_mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(two(0)), two(2)))
        }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe {
            let order = _mm256_loadu_si256(ORDER_4_DOUBLE[(mask & 0xF) as usize].as_ptr().cast());
            _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(_mm256_castpd_si256(self.0), order));
        }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe {
            let order = _mm_loadu_si128(ORDER_4[(mask & 0xF) as usize].as_ptr().cast());
            let packed = _mm_permutevar_ps(_mm_castsi128_ps(_mm_loadu_si128(from.cast())), order);
            _mm_storeu_si128(to.cast(), _mm_castps_si128(packed));
        }
    }
}

register! {
    /// Eight lanes (AVX-512).
    Zmm, __m512d, 8, _mm512_loadu_pd _mm512_storeu_pd _mm512_xor_pd
    _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_max_pd _mm512_min_pd _mm512_sqrt_pd,

    #[inline(always)]
    fn sum(self) -> Real {
        unsafe {
            let high = _mm512_extractf64x4_pd::<1>(self.0);
            Ymm(_mm256_add_pd(_mm512_castpd512_pd256(self.0), high)).sum()
        }
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, b.0) as u32 }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let at = |k: usize| _mm256_loadu_pd(p.add(*j.add(k) as usize * stride));
            // Records paired such that the last shuffle leaves them in order.
            let two = |k: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(at(k)), at(k + 2));
            let (a, b, c, d) = (two(0), two(1), two(4), two(5));
            let (l0, h0) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (l1, h1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            [
                Self(_mm512_shuffle_f64x2::<0x88>(l0, l1)),
                Self(_mm512_shuffle_f64x2::<0x88>(h0, h1)),
                Self(_mm512_shuffle_f64x2::<0xDD>(l0, l1)),
                Self(_mm512_shuffle_f64x2::<0xDD>(h0, h1)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            let four = |k: usize| Ymm::gather(p, j.add(k)).0;
            Self(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(four(0)), four(4)))
        }
    }
    // Compress in the register, then store all: the masked store to memory is microcoded on Zen.
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe { _mm512_storeu_pd(to, _mm512_maskz_compress_pd(mask as u8, self.0)) }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe {
            let packed = _mm256_maskz_compress_epi32(mask as u8, _mm256_loadu_si256(from.cast()));
            _mm256_storeu_si256(to.cast(), packed);
        }
    }
}
