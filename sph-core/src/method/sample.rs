//! What the samples of measures read of a run: so little that a method whose particles are in another memory, as that of a
//! GPU or of other ranks, need not bring them all.

use crate::{
    Real,
    fluid::particles::Particles,
    method::state::State,
    numerics::{
        lane::each,
        parallel::{self, Merge},
    },
};
use std::sync::Arc;

/// Cells of space, each with bits for the places that are measured near it.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks<const D: usize> {
    /// Lower end, `[m]`.
    pub low: [Real; D],
    /// One over the size of a cell, `[1/m]`.
    pub inverse: Real,
    /// Cells along each axis.
    pub extent: [u32; D],
    /// The bits, the first axis fastest; none where no place is measured. Shape `[cells]`.
    pub bits: Vec<u32>,
}

impl<const D: usize> Marks<D> {
    /// Cells at most; those of a wider box are larger.
    pub const MOST_CELLS: usize = 1 << 18;

    /// Places in the fluid of the particles that may matter to one of `places`, ascending. Particles that were picked have no ids.
    pub fn near(&self, places: u32, fluid: &Particles<D>) -> Vec<u32> {
        match places {
            0 => Vec::new(),
            _ => parallel::places(fluid.x[0].len(), |i| self.hold(places, fluid.position(i))),
        }
    }

    /// True when a particle at `x` `[m]` may matter to one of `places`.
    pub fn hold(&self, places: u32, x: [Real; D]) -> bool {
        let (mut cell, mut stride) = (0, 1);
        for a in 0..D {
            let k = ((x[a] - self.low[a]) * self.inverse).floor();
            // False for NaN, too.
            if !(k >= 0.0 && k < self.extent[a] as Real) {
                return false;
            }
            cell += stride * k as usize;
            stride *= self.extent[a] as usize;
        }
        self.bits[cell] & places != 0
    }
}

/// What the samples of one moment read. Bodies and the loads on walls are always at hand.
#[derive(Clone, Debug)]
pub struct Wanted<const D: usize> {
    /// Where places are measured.
    pub marks: Arc<Marks<D>>,
    /// The bits of the places that are measured now: positions of the particles there are read.
    pub places: u32,
    /// Their velocities.
    pub velocity: bool,
    /// Their densities.
    pub density: bool,
    /// Their fields of the method, by name.
    pub fields: Vec<&'static str>,
    /// Where walls are that have moved.
    pub walls: bool,
    /// Sums over the fluid.
    pub sums: bool,
    /// Densities of all particles.
    pub all_densities: bool,
    /// The whole state.
    pub everything: bool,
}

impl<const D: usize> Wanted<D> {
    /// Nothing yet.
    pub fn nothing(marks: Arc<Marks<D>>) -> Self {
        let (places, fields) = (0, Vec::new());
        let [velocity, density, walls, sums, all_densities, everything] = [false; 6];
        Self { marks, places, velocity, density, fields, walls, sums, all_densities, everything }
    }
}

/// Looks for some of the particles, where they are: on each rank of a run for its own.
pub trait Search<const D: usize> {
    /// Their places in a state, ascending.
    fn places(&self, state: &State<D>) -> Vec<u32>;

    /// What another rank needs to look for the same.
    fn to_words(&self) -> Vec<u64>;
}

/// What a method has brought of what is wanted; all else is empty.
#[derive(Clone, Debug, Default)]
pub struct Picked<const D: usize> {
    /// The particles near the places, in their order and without their ids.
    pub fluid: Particles<D>,
    /// Their fields of the method.
    pub fields: Vec<(&'static str, Vec<Real>)>,
    /// Sums over each [`parallel::BLOCK`] of particles.
    pub sums: Vec<BlockSums<D>>,
    /// Densities of all particles. Shape `[n]`, `[kg/m³]`.
    pub all_densities: Vec<Real>,
}

/// Sums and extremes over a block of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockSums<const D: usize> {
    /// `Σ |v|²/2`, `[m²/s²]`.
    pub kinetic: f64,
    /// Potential energy per mass in gravity and the central force, `[m²/s²]`.
    pub potential: f64,
    /// `Σ 1/ρ`, `[m³/kg]`.
    pub volume: f64,
    /// `Σ v`, `[m/s]`.
    pub v: [f64; D],
    /// `Σ x`, `[m]`.
    pub x: [f64; D],
    /// `Σ x × v`, its last entry alone in 2D, `[m²/s]`.
    pub moment: [f64; 3],
    /// Least coordinates, `[m]`.
    pub low: [f64; D],
    /// Largest coordinates, `[m]`.
    pub high: [f64; D],
    /// Largest squared speed, `[m²/s²]`.
    pub v2: f64,
}

impl<const D: usize> BlockSums<D> {
    /// Those of nothing.
    pub const NONE: Self = Self {
        kinetic: 0.0,
        potential: 0.0,
        volume: 0.0,
        v: [0.0; D],
        x: [0.0; D],
        moment: [0.0; 3],
        low: [f64::INFINITY; D],
        high: [f64::NEG_INFINITY; D],
        v2: f64::NEG_INFINITY,
    };

    /// Those of all blocks, joined along the tree of [`parallel::blocks`].
    pub fn of_blocks(blocks: &[Self]) -> Self {
        let of = |k: usize, ()| blocks.get(k).copied().unwrap_or(Self::NONE);
        parallel::pieces(0..blocks.len(), &|k| k, (), &of)
    }
}

impl<const D: usize> Merge for BlockSums<D> {
    fn merge(self, later: Self) -> Self {
        let sum = |a: [f64; D], b: [f64; D]| each(|k| a[k] + b[k]);
        Self {
            kinetic: self.kinetic + later.kinetic,
            potential: self.potential + later.potential,
            volume: self.volume + later.volume,
            v: sum(self.v, later.v),
            x: sum(self.x, later.x),
            moment: each(|k| self.moment[k] + later.moment[k]),
            low: each(|a| self.low[a].min(later.low[a])),
            high: each(|a| self.high[a].max(later.high[a])),
            v2: self.v2.max(later.v2),
        }
    }
}
