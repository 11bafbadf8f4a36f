//! The fluid's particles: structure of arrays, in the order of the cell sort.

use crate::{Real, lane::each, parallel};

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

    /// Brings the particles into `order`: the new particle `k` is the old `order[k]`.
    pub fn permute(&mut self, order: &[u32], scratch: &mut Scratch) {
        scratch.permute_ids(order, &mut self.id);
        for a in 0..D {
            scratch.permute(order, &mut self.x[a]);
            scratch.permute(order, &mut self.v[a]);
        }
        scratch.permute(order, &mut self.rho);
    }
}

/// `field[k] ← field[keep[k]]` for ascending `keep`, and no more.
pub fn compact<T: Copy>(field: &mut Vec<T>, keep: &[u32]) {
    for (k, &i) in keep.iter().enumerate() {
        field[k] = field[i as usize];
    }
    field.truncate(keep.len());
}

/// `resize`, at first without the spare room of a growing vector.
pub fn fit<T: Clone>(field: &mut Vec<T>, n: usize, value: T) {
    if field.capacity() == 0 {
        field.reserve_exact(n);
    }
    field.resize(n, value);
}

/// Buffers that permutations swap with the permuted fields, kept between steps.
#[derive(Debug, Default)]
pub struct Scratch {
    reals: Vec<Real>,
    ids: Vec<u64>,
    bodies: Vec<u16>,
}

impl Scratch {
    /// Permutes one field of numbers.
    pub fn permute(&mut self, order: &[u32], field: &mut Vec<Real>) {
        gather(order, field, &mut self.reals);
    }

    /// The buffer for body indices.
    pub fn bodies(&mut self) -> &mut Vec<u16> {
        &mut self.bodies
    }

    /// Permutes one field of ids.
    pub fn permute_ids(&mut self, order: &[u32], field: &mut Vec<u64>) {
        gather(order, field, &mut self.ids);
    }
}

/// `field[k] ← field[order[k]]`, through `buffer`, which takes the field's place.
pub fn gather<T: Copy + Default + Send + Sync>(order: &[u32], field: &mut Vec<T>, buffer: &mut Vec<T>) {
    let n = field.len();
    if buffer.len() != n {
        buffer.clear();
        buffer.reserve_exact(n);
        buffer.resize(n, T::default());
    }
    parallel::blocks(n, &mut buffer[..], |range, out| {
        for (out, &from) in out.iter_mut().zip(&order[range]) {
            *out = field[from as usize];
        }
    });
    std::mem::swap(field, buffer);
}
