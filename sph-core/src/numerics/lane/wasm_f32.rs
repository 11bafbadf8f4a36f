//! Registers of `f32` in WebAssembly: four lanes.
//!
//! Safety of every block below: all functions have SIMD, or this file is not compiled; pointers carry the contract of [`Lane`].
#![allow(clippy::undocumented_unsafe_blocks, unused_unsafe)]

use std::arch::wasm32::*;

use super::Lane;
use super::register::compress_order;
use crate::Real;

static ORDER: [[u8; 16]; 16] = bytes(compress_order(1));

/// The bytes of words in an order.
const fn bytes(words: [[u32; 4]; 16]) -> [[u8; 16]; 16] {
    let mut bytes = [[0; 16]; 16];
    let mut k = 0;
    while k < 256 {
        let (mask, byte) = (k / 16, k % 16);
        bytes[mask][byte] = (4 * words[mask][byte / 4]) as u8 + (byte % 4) as u8;
        k += 1;
    }
    bytes
}

#[inline(always)]
unsafe fn load(from: *const Real) -> v128 {
    unsafe { v128_load(from.cast()) }
}
#[inline(always)]
unsafe fn store(to: *mut Real, a: v128) {
    unsafe { v128_store(to.cast(), a) }
}
/// `b` where either is NaN: the instruction has its operands the other way round.
#[inline(always)]
fn max(a: v128, b: v128) -> v128 {
    f32x4_pmax(b, a)
}
#[inline(always)]
fn min(a: v128, b: v128) -> v128 {
    f32x4_pmin(b, a)
}

register! {
    /// Four lanes.
    V128, v128, 4, load store v128_xor f32x4_add f32x4_sub f32x4_mul f32x4_div max min f32x4_sqrt,

    #[inline(always)]
    fn sum(self) -> Real {
        let pair = f32x4_add(self.0, i32x4_shuffle::<2, 3, 2, 3>(self.0, self.0));
        f32x4_extract_lane::<0>(pair) + f32x4_extract_lane::<1>(pair)
    }
    #[inline(always)]
    fn below(self, b: Self) -> u32 {
        i32x4_bitmask(f32x4_lt(self.0, b.0)) as u32
    }
    #[inline(always)]
    unsafe fn quads(p: *const Real, stride: usize, j: *const u32) -> [Self; 4] {
        unsafe {
            let at = |k: usize| load(p.add(*j.add(k) as usize * stride));
            let (a, b, c, d) = (at(0), at(1), at(2), at(3));
            let (l0, h0) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
            let (l1, h1) = (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
            [
                Self(i32x4_shuffle::<0, 1, 4, 5>(l0, l1)),
                Self(i32x4_shuffle::<2, 3, 6, 7>(l0, l1)),
                Self(i32x4_shuffle::<0, 1, 4, 5>(h0, h1)),
                Self(i32x4_shuffle::<2, 3, 6, 7>(h0, h1)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather(p: *const Real, j: *const u32) -> Self {
        unsafe {
            let at = |k: usize| *p.add(*j.add(k) as usize);
            Self(f32x4(at(0), at(1), at(2), at(3)))
        }
    }
    #[inline(always)]
    unsafe fn pack(self, mask: u32, to: *mut Real) {
        unsafe {
            let order = v128_load(ORDER[(mask & 15) as usize].as_ptr().cast());
            store(to, i8x16_swizzle(self.0, order));
        }
    }
    #[inline(always)]
    unsafe fn pack_index(from: *const u32, mask: u32, to: *mut u32) {
        unsafe {
            let order = v128_load(ORDER[(mask & 15) as usize].as_ptr().cast());
            v128_store(to.cast(), i8x16_swizzle(v128_load(from.cast()), order));
        }
    }
}
