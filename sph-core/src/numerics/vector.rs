//! Small vectors: one number, or one lane of numbers, an axis.

use super::lane::Lane;

/// `|a|²`, summed from the first axis to the last.
#[inline(always)]
pub fn norm2<L: Lane, const D: usize>(a: [L; D]) -> L {
    let mut sum = a[0] * a[0];
    for &component in &a[1..] {
        sum = sum + component * component;
    }
    sum
}
