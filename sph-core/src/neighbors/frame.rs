//! Cells of space: where they lie, how periodic axes wrap.

use crate::{
    Real,
    numerics::lane::{Lane, each},
};

/// Extents of the periodic axes. On an axis that is not periodic, length and inverse are zero and
/// the wrap leaves every number as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic<const D: usize> {
    /// Lower end of each axis, `[m]`.
    pub low: [Real; D],
    /// Length of each periodic axis, 0 on the others, `[m]`.
    pub length: [Real; D],
    inv_length: [Real; D],
    any: bool,
}

impl<const D: usize> Periodic<D> {
    /// No periodic axis.
    pub const NONE: Self = Self { low: [0.0; D], length: [0.0; D], inv_length: [0.0; D], any: false };

    /// Axes with a positive `length` are periodic and begin at `low`.
    pub fn new(low: [Real; D], length: [Real; D]) -> Self {
        let inv_length = length.map(|l| if l > 0.0 { 1.0 / l } else { 0.0 });
        Self { low, length, inv_length, any: length.iter().any(|&l| l > 0.0) }
    }

    /// True when an axis is periodic.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.any
    }

    /// True when axis `a` is periodic.
    pub fn is_periodic(&self, a: usize) -> bool {
        self.length[a] > 0.0
    }

    /// The nearest image of a difference of two positions: `d - L round(d / L)`, at most one length.
    /// Antisymmetric bit for bit. Far away (the null particle) stays far away.
    #[inline(always)]
    pub fn nearest<L: Lane>(&self, mut d: [L; D]) -> [L; D] {
        if !self.any {
            return d;
        }
        let (one, magic) = (L::splat(1.0), L::splat(ROUND));
        // A loop, not `each`: a closure of a function without target features may stay a call.
        for a in 0..D {
            let turns = (d[a] * L::splat(self.inv_length[a])).min(one).max(-one);
            d[a] = d[a] - ((turns + magic) - magic) * L::splat(self.length[a]);
        }
        d
    }

    /// The position inside the periodic box that `x` stands for.
    #[inline(always)]
    pub fn wrap(&self, x: [Real; D]) -> [Real; D] {
        if !self.any {
            return x;
        }
        each(|a| self.wrap_axis(a, x[a]))
    }

    /// The coordinate inside the periodic box that `x` stands for on axis `a`.
    #[inline(always)]
    pub fn wrap_axis(&self, a: usize, x: Real) -> Real {
        if self.length[a] == 0.0 {
            return x;
        }
        let turns = ((x - self.low[a]) * self.inv_length[a]).floor();
        let wrapped = x - turns * self.length[a];
        // Rounding may land on the upper end, which is the lower one, or a hair below the lower one: a
        // position just under the upper end can count as a whole turn. NaN stays.
        let beside = wrapped < self.low[a] || wrapped >= self.low[a] + self.length[a];
        if beside { self.low[a] } else { wrapped }
    }
}

/// Adding and subtracting it rounds a small number to the nearest integer, the same on every machine.
const ROUND: Real = if size_of::<Real>() == 4 { 12_582_912.0 } else { 6_755_399_441_055_744.0 };

/// Integer cells of edge a little above the list radius, counted from the origin (or from the lower
/// end of a periodic axis).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellFrame<const D: usize> {
    origin: [f64; D],
    inv_edge: [f64; D],
    /// Number of cells of a periodic axis, 0 on the others.
    pub turn: [i32; D],
}

/// Cells are this much wider than the radius, so that no rounding hides a pair two cells apart.
const SLACK: f64 = 1.0 + 1e-5;
/// Coordinates are kept away from the ends of i32, so that a neighbor cell always has a number.
const LIMIT: f64 = 1e9;

impl<const D: usize> CellFrame<D> {
    /// Cells for lists of the given `radius`. A periodic length must hold at least three cells.
    pub fn new(radius: Real, periodic: &Periodic<D>) -> Self {
        let edge = radius as f64 * SLACK;
        let turn = periodic.length.map(|l| (l as f64 / edge).floor() as i32);
        Self {
            origin: each(|a| if turn[a] > 0 { periodic.low[a] as f64 } else { 0.0 }),
            inv_edge: each(|a| match turn[a] {
                0 => 1.0 / edge,
                n => n as f64 / periodic.length[a] as f64,
            }),
            turn,
        }
    }

    /// Where cell `c` of axis `a` begins, `[m]`.
    pub fn begin(&self, a: usize, c: i32) -> f64 {
        self.origin[a] + f64::from(c) / self.inv_edge[a]
    }

    /// The cell of a position: a true floor, in f64.
    #[inline(always)]
    pub fn cell(&self, x: [Real; D]) -> [i32; D] {
        each(|a| {
            let place = (f64::from(x[a]) - self.origin[a]) * self.inv_edge[a];
            // A true floor without a library call: truncate, and step down below zero.
            let c = place.clamp(-LIMIT, LIMIT) as i32;
            let c = c - i32::from(f64::from(c) > place);
            if self.turn[a] > 0 { c.clamp(0, self.turn[a] - 1) } else { c }
        })
    }
}
