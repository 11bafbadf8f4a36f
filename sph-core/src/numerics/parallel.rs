//! Parallel loops whose result does not depend on the number of threads.
//!
//! Work is cut into pieces of a fixed size and joined along a fixed binary tree, so every sum has one
//! order. Each piece owns its part of the outputs, so there are no locks, and nothing is allocated.

use crate::{Real, numerics::lane::each};
use std::ops::Range;

/// Particles per piece of a streaming loop: long enough to hide the cost of a task, short enough to balance.
pub const BLOCK: usize = 2048;

/// What can be cut in two for two tasks: output slices, tuples and arrays of them, or nothing.
pub trait Outputs: Sized + Send {
    /// Keeps the first `mid` items, and returns the rest.
    fn cut_off(&mut self, mid: usize) -> Self;
}

impl Outputs for () {
    fn cut_off(&mut self, _mid: usize) {}
}

impl<T: Send> Outputs for &mut [T] {
    fn cut_off(&mut self, mid: usize) -> Self {
        let (first, rest) = std::mem::take(self).split_at_mut(mid);
        *self = first;
        rest
    }
}

impl<O: Outputs, const N: usize> Outputs for [O; N] {
    fn cut_off(&mut self, mid: usize) -> Self {
        std::array::from_fn(|k| self[k].cut_off(mid))
    }
}

macro_rules! tuple_outputs {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Outputs),+> Outputs for ($($name,)+) {
            fn cut_off(&mut self, mid: usize) -> Self {
                ($(self.$index.cut_off(mid),)+)
            }
        }
    };
}
tuple_outputs!(A 0, B 1);
tuple_outputs!(A 0, B 1, C 2);
tuple_outputs!(A 0, B 1, C 2, E 3);
tuple_outputs!(A 0, B 1, C 2, E 3, F 4);

/// A partial result that two neighboring pieces combine, always in the order of the pieces.
pub trait Merge: Send {
    /// `self` comes from the earlier piece.
    fn merge(self, later: Self) -> Self;
}

impl Merge for () {
    fn merge(self, _later: Self) {}
}

/// A sum, accumulated in f64.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum(pub f64);

impl Merge for Sum {
    fn merge(self, later: Self) -> Self {
        Sum(self.0 + later.0)
    }
}

/// A sum with the same bits for any order and grouping of its terms, those of ranks included (after Demmel & Nguyen 2015, IEEE
/// Trans. Comput. 64, 2060-2070): with k such that the largest term has a size from 2^(40 k − 1) to 2^(40 k + 39), each is
/// written in digits, multiples of 2^(40 k) and 2^(40 k − 40), in f64 of 2^(40 k − 80) besides, which are added as integers. So a term is
/// off by 2⁻⁴⁰ of the largest one at most, in f64 by 2⁻⁸⁰.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// k, or [`Exact::NOT_FINITE`].
    k: i32,
    /// Sums of the digits, the greatest ones first.
    digits: [i128; DIGITS],
}

/// Digits of a term.
const DIGITS: usize = if size_of::<Real>() == 4 { 2 } else { 3 };

impl Default for Exact {
    fn default() -> Self {
        Self { k: Self::LEAST, digits: [0; DIGITS] }
    }
}

impl Exact {
    /// Bits of a digit.
    const BITS: i32 = 40;
    /// Terms below 2^(40 k − 1) count with this k: multiples below are no normal numbers.
    const LEAST: i32 = -22;
    /// The largest k.
    const MOST: i32 = 24;
    /// In the place of k: a term is infinite, not a number, or beyond the largest k.
    const NOT_FINITE: i32 = 1000;

    /// The sum of `term(i)` over a range. Each is asked for several times.
    #[inline(always)]
    pub fn of(range: Range<usize>, term: impl Fn(usize) -> f64) -> Self {
        Self::of_blocks(range, |range| Numbers(range, &term))
    }

    /// The scalar product.
    #[inline(always)]
    pub fn dot(a: &[Real], b: &[Real]) -> Self {
        Self::of_blocks(0..a.len(), |range| Products(&a[range.clone()], &b[range]))
    }

    #[inline(always)]
    fn of_blocks<T: Terms>(range: Range<usize>, terms: impl Fn(Range<usize>) -> T) -> Self {
        let (mut sum, mut start) = (Self::default(), range.start);
        while start < range.end {
            let end = range.end.min(start + BLOCK);
            sum = sum.merge(Self::of_block(&terms(start..end)));
            start = end;
        }
        sum
    }

    /// The sum of at most [`BLOCK`] terms: digits of so many have an exact sum in `f64`.
    #[inline(always)]
    fn of_block(terms: &impl Terms) -> Self {
        let mut most = [0.0_f64; LANES];
        terms.each(|terms| {
            for (most, term) in most.iter_mut().zip(terms) {
                let size = term.abs();
                *most = if size > *most { size } else { *most };
            }
        });
        let most = most.into_iter().fold(0.0, f64::max);
        let Some(k) = Self::k_of(most) else { return Self { k: Self::NOT_FINITE, digits: [0; DIGITS] } };
        let units = each(|digit| power_of_two(Self::BITS * (k - digit as i32)));
        // In loops of their own: of several sums in one the compiler makes pairs, and not lanes.
        let mut sums = [digit_sum::<0>(terms, &units), digit_sum::<1>(terms, &units), 0.0];
        if DIGITS == 3 {
            sums[2] = digit_sum::<2>(terms, &units);
        }
        match sums[0].is_finite() {
            true => Self { k, digits: each(|digit| (sums[digit] / units[digit]) as i128) },
            false => Self { k: Self::NOT_FINITE, digits: [0; DIGITS] },
        }
    }

    /// k of the largest term.
    fn k_of(largest: f64) -> Option<i32> {
        // 2^exponent ≤ largest < 2^(exponent + 1); what is no normal number counts as small as that.
        let exponent = (largest.to_bits() >> 52) as i32 - 1023;
        let k = (exponent + 1).div_euclid(Self::BITS);
        (k <= Self::MOST).then_some(k.max(Self::LEAST))
    }

    /// The sum; not a number if a term was not finite, or larger than 2^999.
    pub fn value(self) -> f64 {
        if self.k == Self::NOT_FINITE {
            return f64::NAN;
        }
        let unit = |digit: usize| power_of_two(Self::BITS * (self.k - digit as i32));
        let whole = (self.digits[0] << Self::BITS) + self.digits[1];
        let rest = self.digits.get(2).map_or(0.0, |&digit| digit as f64 * unit(2));
        whole as f64 * unit(1) + rest
    }

    /// As plain numbers.
    pub fn to_words(self) -> [i128; DIGITS + 1] {
        each(|word| if word == 0 { i128::from(self.k) } else { self.digits[word - 1] })
    }

    /// What [`Exact::to_words`] has made of one.
    pub fn of_words(words: [i128; DIGITS + 1]) -> Self {
        Self { k: words[0] as i32, digits: each(|digit| words[digit + 1]) }
    }
}

impl Merge for Exact {
    fn merge(self, later: Self) -> Self {
        let (large, small) = if self.k < later.k { (later, self) } else { (self, later) };
        // Less than half of a unit is a digit of 0: what stands in one place with a k stands farther back with a larger one.
        let behind = (large.k - small.k) as usize;
        let of_small = |digit: usize| if digit < behind { 0 } else { small.digits[digit - behind] };
        Self { digits: each(|digit| large.digits[digit] + of_small(digit)), ..large }
    }
}

/// The sum of one of the digits of terms.
#[inline(always)]
fn digit_sum<const DIGIT: usize>(terms: &impl Terms, units: &[f64; DIGITS]) -> f64 {
    // Adding one and a half of these leaves no bits below the unit.
    let round: [f64; DIGITS] = each(|digit| 1.5 * power_of_two(52) * units[digit]);
    let mut sums = [0.0; LANES];
    terms.each(|terms| {
        let mut left = terms;
        for digit in 0..DIGIT {
            left = each(|lane| left[lane] - ((left[lane] + round[digit]) - round[digit]));
        }
        sums = each(|lane| sums[lane] + ((left[lane] + round[DIGIT]) - round[DIGIT]));
    });
    sums.into_iter().sum()
}

/// `2^exponent`, of a normal number.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Terms in lanes, for results that do not depend on the order.
trait Terms {
    /// Visits all, so many at a time; the last ones with zeros.
    fn each(&self, visit: impl FnMut([f64; LANES]));
}

/// Two vectors of AVX-512: one sum waits for the other.
const LANES: usize = 16;

/// `term(i)` over a range.
struct Numbers<'a, F>(Range<usize>, &'a F);

impl<F: Fn(usize) -> f64> Terms for Numbers<'_, F> {
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut([f64; LANES])) {
        let Self(range, term) = self;
        let whole = range.start + range.len() / LANES * LANES;
        // Loops and not iterators, which would not be inlined: the instructions are those of the loop around.
        for i in (range.start..whole).step_by(LANES) {
            visit(each(|lane| term(i + lane)));
        }
        let mut rest = [0.0; LANES];
        for (rest, i) in rest.iter_mut().zip(whole..range.end) {
            *rest = term(i);
        }
        visit(rest);
    }
}

/// `a_i b_i`.
struct Products<'a>(&'a [Real], &'a [Real]);

impl Terms for Products<'_> {
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut([f64; LANES])) {
        let product = |a: Real, b: Real| f64::from(a) * f64::from(b);
        let ((a, a_rest), (b, b_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        for (a, b) in a.iter().zip(b) {
            visit(each(|lane| product(a[lane], b[lane])));
        }
        let mut rest = [0.0; LANES];
        for (rest, (&a, &b)) in rest.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *rest = product(a, b);
        }
        visit(rest);
    }
}

/// A maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Max(pub f64);

impl Merge for Max {
    fn merge(self, later: Self) -> Self {
        Max(self.0.max(later.0))
    }
}

/// The first of several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First(usize);

impl First {
    /// No place yet.
    pub const NONE: Self = Self(usize::MAX);

    /// Counts place `i` if `is_one`. Without a branch, which would keep a streaming loop from lanes.
    #[inline(always)]
    pub fn count(&mut self, i: usize, is_one: bool) {
        self.0 = self.0.min(if is_one { i } else { usize::MAX });
    }

    /// The place, if there was one.
    pub fn place(self) -> Option<usize> {
        (self.0 != usize::MAX).then_some(self.0)
    }
}

impl Default for First {
    fn default() -> Self {
        Self::NONE
    }
}

impl From<Option<usize>> for First {
    fn from(place: Option<usize>) -> Self {
        place.map_or(Self::NONE, Self)
    }
}

impl Merge for First {
    fn merge(self, later: Self) -> Self {
        Self(self.0.min(later.0))
    }
}

/// What a streaming loop found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Largest square, of a speed `[m²/s²]` or of a change of velocity.
    pub square: Real,
    /// First particle with a number that is not finite, or outside of the domain.
    pub bad: First,
}

impl Default for Extremes {
    fn default() -> Self {
        Self { square: 0.0, bad: First::NONE }
    }
}

impl Merge for Extremes {
    fn merge(self, later: Self) -> Self {
        Self { square: self.square.max(later.square), bad: self.bad.merge(later.bad) }
    }
}

impl<A: Merge, B: Merge> Merge for (A, B) {
    fn merge(self, later: Self) -> Self {
        (self.0.merge(later.0), self.1.merge(later.1))
    }
}

impl<A: Merge + Copy, const N: usize> Merge for [A; N] {
    fn merge(self, later: Self) -> Self {
        each(|k| self[k].merge(later[k]))
    }
}

/// Runs `leaf` on blocks of `0..n` and merges what they return in the order of the blocks.
pub fn blocks<O: Outputs, R: Merge>(n: usize, outputs: O, leaf: impl Fn(Range<usize>, O) -> R + Sync) -> R {
    let ends = |piece: usize| (piece * BLOCK).min(n);
    pieces(0..n.div_ceil(BLOCK).max(1), &ends, outputs, &|piece, outputs| {
        leaf(ends(piece)..ends(piece + 1), outputs)
    })
}

/// The places among `0..n` for which `is_wanted` holds, ascending.
pub fn places(n: usize, is_wanted: impl Fn(usize) -> bool + Sync) -> Vec<u32> {
    places_of(n, |range, places| places.extend(range.filter(|&i| is_wanted(i)).map(|i| i as u32)))
}

/// The places that `find` adds for each block of `0..n`, ascending.
pub fn places_of(n: usize, find: impl Fn(Range<usize>, &mut Vec<u32>) + Sync) -> Vec<u32> {
    let found = blocks(n, (), |range, ()| {
        let mut places = Vec::new();
        find(range, &mut places);
        Places(places)
    });
    found.0
}

/// Places that a task has found.
struct Places(Vec<u32>);

impl Merge for Places {
    fn merge(mut self, later: Self) -> Self {
        self.0.extend(later.0);
        self
    }
}

/// Runs `leaf` on each of `range`; piece `k` owns the outputs from `start_of(k)` to `start_of(k + 1)`.
/// `outputs` begins at `start_of(range.start)`.
pub fn pieces<O: Outputs, R: Merge>(
    range: Range<usize>,
    start_of: &(impl Fn(usize) -> usize + Sync),
    mut outputs: O,
    leaf: &(impl Fn(usize, O) -> R + Sync),
) -> R {
    if range.len() <= 1 {
        return leaf(range.start, outputs);
    }
    let mid = range.start + range.len() / 2;
    let rest = outputs.cut_off(start_of(mid) - start_of(range.start));
    let (a, b) = join(
        || pieces(range.start..mid, start_of, outputs, leaf),
        || pieces(mid..range.end, start_of, rest, leaf),
    );
    a.merge(b)
}

/// Results of two tasks, which may run at the same time.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut of_a, mut of_b) = (None, None);
    both(&mut || of_a = a.take().map(|a| a()), &mut || of_b = b.take().map(|b| b()));
    match (of_a, of_b) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("a join runs both of its tasks"),
    }
}

/// Runs two tasks. As objects, so that the code of a join is compiled once and not for each loop.
#[inline(never)]
fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}
