//! The fluid's particles: structure of arrays, in the order of the cell sort.

use crate::{
    Real,
    numerics::{
        field::{Scratch, compact},
        lane::each,
    },
};

/// Fluid particles: what a restart must know.
#[derive(Clone, Debug)]
pub struct Particles<const D: usize> {
    /// Stable names; the order of the arrays is the sort's. Shape `[n]`.
    pub id: Vec<u64>,
    /// Positions, one array an axis. Shape `[D][n]`, `[m]`.
    pub x: [Vec<Real>; D],
    /// Velocities. Shape `[D][n]`, `[m/s]`.
    pub v: [Vec<Real>; D],
    /// Densities: evolved by the continuity equation, or the last sum. Shape `[n]`, `[kg/m³]`.
    pub rho: Vec<Real>,
}

impl<const D: usize> Default for Particles<D> {
    fn default() -> Self {
        Self { id: Vec::new(), x: [const { Vec::new() }; D], v: [const { Vec::new() }; D], rho: Vec::new() }
    }
}

impl<const D: usize> Particles<D> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True when there is no particle.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Adds a particle with the next free id.
    pub fn push(&mut self, id: u64, x: [Real; D], v: [Real; D], rho: Real) {
        self.id.push(id);
        self.rho.push(rho);
        for a in 0..D {
            self.x[a].push(x[a]);
            self.v[a].push(v[a]);
        }
    }

    /// Makes room for so many particles more, and for no others.
    pub fn reserve(&mut self, n: usize) {
        self.id.reserve_exact(n);
        let axes = self.x.iter_mut().chain(&mut self.v).chain([&mut self.rho]);
        axes.for_each(|field| field.reserve_exact(n));
    }

    /// The first particle whose position is not finite.
    pub fn first_lost(&self) -> Option<usize> {
        (0..self.len()).find(|&i| self.x.iter().any(|axis| !axis[i].is_finite()))
    }

    /// Position of particle `i`, `[m]`.
    #[inline(always)]
    pub fn position(&self, i: usize) -> [Real; D] {
        each(|a| self.x[a][i])
    }

    /// Velocity of particle `i`, `[m/s]`.
    #[inline(always)]
    pub fn velocity(&self, i: usize) -> [Real; D] {
        each(|a| self.v[a][i])
    }

    /// Keeps the particles `keep`, in ascending order, and no others.
    pub fn keep(&mut self, keep: &[u32]) {
        compact(&mut self.id, keep);
        self.x.iter_mut().chain(&mut self.v).for_each(|field| compact(field, keep));
        compact(&mut self.rho, keep);
    }

    /// Copies of the particles at `places`.
    pub fn at(&self, places: &[u32]) -> Self {
        let at = |values: &Vec<Real>| places.iter().map(|&i| values[i as usize]).collect();
        Self {
            id: places.iter().map(|&i| self.id[i as usize]).collect(),
            x: self.x.each_ref().map(at),
            v: self.v.each_ref().map(at),
            rho: at(&self.rho),
        }
    }

    /// Removes particle `i`; the last one takes its place.
    pub fn swap_remove(&mut self, i: usize) {
        self.id.swap_remove(i);
        let axes = self.x.iter_mut().chain(&mut self.v).chain([&mut self.rho]);
        axes.for_each(|field| {
            field.swap_remove(i);
        });
    }

    /// Brings the particles into `order`: the new particle `k` is the old `order[k]`. Those that it leaves out are gone.
    pub fn permute(&mut self, order: &[u32], scratch: &mut Scratch) {
        scratch.permute_ids(order, &mut self.id);
        for a in 0..D {
            scratch.permute(order, &mut self.x[a]);
            scratch.permute(order, &mut self.v[a]);
        }
        scratch.permute(order, &mut self.rho);
    }
}
