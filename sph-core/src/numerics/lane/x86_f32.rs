//! Registers of `f32`: 4, 8 and 16 lanes.
//!
//! Safety of every block below: a register type is named only by [`phase!`](crate::phase), inside a function that
//! has its target feature (SSE2 always is); pointers carry the contract of [`Lane`].
#![allow(clippy::undocumented_unsafe_blocks)]

use std::arch::x86_64::*;

use super::register::compress_order;
use super::{Lane, Two, pack_one_by_one};
use crate::Real;

/// 16 lanes in four registers.
pub type Sse2 = Two<Two<Xmm>>;
/// 16 lanes in two registers.
pub type Avx2 = Two<Ymm>;
/// 16 lanes in one register.
pub type Avx512 = Zmm;

static ORDER_8: [[u32; 8]; 256] = compress_order(1);

register! {
    /// Four lanes (SSE2).
    Xmm, __m128, 4, _mm_loadu_ps _mm_storeu_ps _mm_xor_ps
    _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_max_ps _mm_min_ps _mm_sqrt_ps,

    #[inline(always)]
    fn sum(self) -> Real {
        unsafe {
            let pair = _mm_add_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
        }
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        unsafe { _mm_movemask_ps(_mm_cmplt_ps(self.0, b.0)) as u32 }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let at = |k: usize| _mm_loadu_ps(p.add(*j.add(k) as usize * stride));
            let (a, b, c, d) = (at(0), at(1), at(2), at(3));
            let (l0, h0) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
            let (l1, h1) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
            [
                Self(_mm_movelh_ps(l0, l1)),
                Self(_mm_movehl_ps(l1, l0)),
                Self(_mm_movelh_ps(h0, h1)),
                Self(_mm_movehl_ps(h1, h0)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            let at = |k: usize| *p.add(*j.add(k) as usize);
            Self(_mm_setr_ps(at(0), at(1), at(2), at(3)))
        }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe { pack_one_by_one::<_, 4>((&raw const self.0).cast::<Real>(), mask, to) }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe { pack_one_by_one::<_, 4>(from, mask, to) }
    }
}

register! {
    /// Eight lanes (AVX2).
    Ymm, __m256, 8, _mm256_loadu_ps _mm256_storeu_ps _mm256_xor_ps
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_max_ps _mm256_min_ps _mm256_sqrt_ps,

    #[inline(always)]
    fn sum(self) -> Real {
        unsafe { Xmm(_mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0))).sum() }
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, b.0)) as u32 }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let at = |k: usize| _mm_loadu_ps(p.add(*j.add(k) as usize * stride));
            let two = |k: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(at(k)), at(k + 4));
            let (a, b, c, d) = (two(0), two(1), two(2), two(3));
            let (l0, h0) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (l1, h1) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                Self(_mm256_shuffle_ps::<0x44>(l0, l1)),
                Self(_mm256_shuffle_ps::<0xEE>(l0, l1)),
                Self(_mm256_shuffle_ps::<0x44>(h0, h1)),
                Self(_mm256_shuffle_ps::<0xEE>(h0, h1)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            let four = |k: usize| Xmm::gather(p, j.add(k)).0;
            Self(_mm256_insertf128_ps::<1>(_mm256_castps128_ps256(four(0)), four(4)))
        }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe {
            let order = _mm256_loadu_si256(ORDER_8[(mask & 0xFF) as usize].as_ptr().cast());
            _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(self.0, order));
        }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe {
            let order = _mm256_loadu_si256(ORDER_8[(mask & 0xFF) as usize].as_ptr().cast());
            _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), order));
        }
    }
}

register! {
    /// Sixteen lanes (AVX-512).
    Zmm, __m512, 16, _mm512_loadu_ps _mm512_storeu_ps _mm512_xor_ps
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_max_ps _mm512_min_ps _mm512_sqrt_ps,

    #[inline(always)]
    fn sum(self) -> Real {
        unsafe {
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self.0)));
            Ymm(_mm256_add_ps(_mm512_castps512_ps256(self.0), high)).sum()
        }
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, b.0) as u32 }
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let at = |k: usize| _mm_loadu_ps(p.add(*j.add(k) as usize * stride));
            let four = |k: usize| {
                let low = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(at(k)), at(k + 4));
                _mm512_insertf32x4::<3>(_mm512_insertf32x4::<2>(low, at(k + 8)), at(k + 12))
            };
            let (a, b, c, d) = (four(0), four(1), four(2), four(3));
            let (l0, h0) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let (l1, h1) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            [
                Self(_mm512_shuffle_ps::<0x44>(l0, l1)),
                Self(_mm512_shuffle_ps::<0xEE>(l0, l1)),
                Self(_mm512_shuffle_ps::<0x44>(h0, h1)),
                Self(_mm512_shuffle_ps::<0xEE>(h0, h1)),
            ]
        }
    }
    // Single loads: the gather instruction is half as fast on Zen.
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            let four = |k: usize| Xmm::gather(p, j.add(k)).0;
            let low = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(four(0)), four(4));
            Self(_mm512_insertf32x4::<3>(_mm512_insertf32x4::<2>(low, four(8)), four(12)))
        }
    }
    // Compress in the register, then store all: the masked store to memory is microcoded on Zen.
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe { _mm512_storeu_ps(to, _mm512_maskz_compress_ps(mask as u16, self.0)) }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe {
            let packed = _mm512_maskz_compress_epi32(mask as u16, _mm512_loadu_si512(from.cast()));
            _mm512_storeu_si512(to.cast(), packed);
        }
    }
}
