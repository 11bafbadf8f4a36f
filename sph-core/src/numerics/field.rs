//! Fields, one value a particle: kept in part, brought into another order, resized.

use crate::{Real, numerics::parallel};

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
