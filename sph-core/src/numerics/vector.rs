//! Small vectors: one number, or one lane of numbers, an axis. All sums run from the first axis to the last.

use super::lane::Lane;

/// `a · b`.
#[inline(always)]
pub fn dot<L: Lane, const D: usize>(a: [L; D], b: [L; D]) -> L {
    let mut sum = a[0] * b[0];
    for k in 1..D {
        sum = sum + a[k] * b[k];
    }
    sum
}

/// `a × b`.
#[inline(always)]
pub fn cross<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `|a|²`.
#[inline(always)]
pub fn norm2<L: Lane, const D: usize>(a: [L; D]) -> L {
    dot(a, a)
}

/// `|a|`.
pub fn norm<const D: usize>(a: [f64; D]) -> f64 {
    norm2(a).sqrt()
}
