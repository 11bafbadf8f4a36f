//! Parallel loops whose result does not depend on the number of threads.
//!
//! Work is cut into pieces of a fixed size and joined along a fixed binary tree, so every sum has one
//! order. Each piece owns its part of the outputs, so there are no locks, and nothing is allocated.

use std::ops::Range;

/// Particles per piece of a streaming loop: long enough to hide the cost of a task, short enough to balance.
pub const BLOCK: usize = 2048;

/// What can be cut in two for two tasks: output slices, tuples and arrays of them, or nothing.
pub trait Outputs: Sized + Send {
    /// The first `mid` items, and the rest.
    fn cut(self, mid: usize) -> (Self, Self);
}

impl Outputs for () {
    fn cut(self, _mid: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<T: Send> Outputs for &mut [T] {
    fn cut(self, mid: usize) -> (Self, Self) {
        self.split_at_mut(mid)
    }
}

impl<O: Outputs, const N: usize> Outputs for [O; N] {
    fn cut(self, mid: usize) -> (Self, Self) {
        let mut right = [const { None }; N];
        let mut slot = right.iter_mut();
        let left = self.map(|o| {
            let (a, b) = o.cut(mid);
            if let Some(slot) = slot.next() {
                *slot = Some(b);
            }
            a
        });
        // Every slot was filled by the loop above, which visits all N items.
        (left, right.map(|b| b.unwrap_or_else(|| unreachable!("one slot an item"))))
    }
}

macro_rules! tuple_outputs {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Outputs),+> Outputs for ($($name,)+) {
            fn cut(self, mid: usize) -> (Self, Self) {
                let pairs = ($(self.$index.cut(mid),)+);
                (($(pairs.$index.0,)+), ($(pairs.$index.1,)+))
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

/// A sum with the same bits for any order and grouping of its terms, those of ranks included: a number of 2⁻³², to whose
/// multiples the terms are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact(pub i128);

impl Exact {
    /// The sum of at most [`BLOCK`] terms. Those beyond 1024 count as that.
    #[inline(always)]
    pub fn of(terms: impl Iterator<Item = f64>) -> Self {
        Self::of_rounded(terms.map(Self::round).sum())
    }

    /// A term, rounded: at most [`BLOCK`] of them have an exact sum in `f64`.
    #[inline(always)]
    pub fn round(term: f64) -> f64 {
        // Adding it leaves no digits below 2⁻³².
        const ROUND: f64 = 1.5 * (1_u64 << 20) as f64;
        (term.clamp(-1024.0, 1024.0) + ROUND) - ROUND
    }

    /// A sum of rounded terms.
    #[inline(always)]
    pub fn of_rounded(sum: f64) -> Self {
        Self((sum * (1_u64 << 32) as f64) as i128)
    }

    /// The sum.
    pub fn value(self) -> f64 {
        self.0 as f64 / (1_u64 << 32) as f64
    }
}

impl Merge for Exact {
    fn merge(self, later: Self) -> Self {
        Self(self.0 + later.0)
    }
}

/// The power of two above `x`, at most twice as much; 1 where `x` is 0, subnormal or not finite. A number over it has no other
/// digits.
pub fn power_of_two_above(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    if x.is_normal() { 2.0 * f64::from_bits(x.to_bits() & EXPONENT) } else { 1.0 }
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

impl<A: Merge, B: Merge> Merge for (A, B) {
    fn merge(self, later: Self) -> Self {
        (self.0.merge(later.0), self.1.merge(later.1))
    }
}

impl<A: Merge, const N: usize> Merge for [A; N] {
    fn merge(self, later: Self) -> Self {
        let mut later = later.into_iter();
        self.map(|a| match later.next() {
            Some(b) => a.merge(b),
            None => a,
        })
    }
}

/// Runs `leaf` on blocks of `0..n` and merges what they return in the order of the blocks.
pub fn blocks<O: Outputs, R: Merge>(n: usize, outputs: O, leaf: impl Fn(Range<usize>, O) -> R + Sync) -> R {
    let ends = |piece: usize| (piece * BLOCK).min(n);
    pieces(0..n.div_ceil(BLOCK).max(1), &ends, outputs, &|piece, outputs| {
        leaf(ends(piece)..ends(piece + 1), outputs)
    })
}

/// Runs `leaf` on each of `range`; piece `k` owns the outputs from `start_of(k)` to `start_of(k + 1)`.
/// `outputs` begins at `start_of(range.start)`.
pub fn pieces<O: Outputs, R: Merge>(
    range: Range<usize>,
    start_of: &(impl Fn(usize) -> usize + Sync),
    outputs: O,
    leaf: &(impl Fn(usize, O) -> R + Sync),
) -> R {
    if range.len() <= 1 {
        return leaf(range.start, outputs);
    }
    let mid = range.start + range.len() / 2;
    let (left, right) = outputs.cut(start_of(mid) - start_of(range.start));
    let (a, b) = join(
        || pieces(range.start..mid, start_of, left, leaf),
        || pieces(mid..range.end, start_of, right, leaf),
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
