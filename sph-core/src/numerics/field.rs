//! Fields, one value a particle: kept in part, brought into another order, resized.

use crate::{Real, numerics::parallel};

/// `field[k] ← field[keep[k]]` for ascending `keep`, and no more.
pub fn compact<T: Copy>(field: &mut Vec<T>, keep: &[u32]) {
    for (k, &i) in keep.iter().enumerate() {
        field[k] = field[i as usize];
    }
    field.truncate(keep.len());
}

/// Gives fields their lengths, or only counts the bytes that they would take.
#[derive(Debug)]
pub enum Sizing {
    /// Fields get their lengths.
    Make,
    /// Fields stay as they are; `[B]`.
    Count(f64),
}

impl Sizing {
    /// `n` values, new ones equal to `value`.
    pub fn fit<T: Clone>(&mut self, field: &mut Vec<T>, n: usize, value: T) {
        match self {
            Self::Make => fit(field, n, value),
            Self::Count(bytes) => *bytes += (n * size_of::<T>()) as f64,
        }
    }

    /// What was counted, `[B]`.
    pub fn bytes(&self) -> f64 {
        match self {
            Self::Make => 0.0,
            Self::Count(bytes) => *bytes,
        }
    }

    /// `n` records, of which the last is the null particle, whatever `n` was before.
    pub fn packed<const K: usize>(&mut self, records: &mut Vec<[Real; K]>, n: usize, null: [Real; K]) {
        self.fit(records, n, null);
        if let (Self::Make, Some(last)) = (self, records.last_mut()) {
            *last = null;
        }
    }
}

/// `resize`, at first without the spare capacity of a growing vector.
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

/// `field[k] ← field[order[k]]`, through `buffer`, which takes the field's place; the field gets the length of the order.
pub fn gather<T: Copy + Default + Send + Sync>(order: &[u32], field: &mut Vec<T>, buffer: &mut Vec<T>) {
    let n = order.len();
    if buffer.capacity() < n {
        // A little more than is needed where the number grows from step to step.
        let room = if buffer.capacity() == 0 { 0 } else { n / 16 };
        buffer.clear();
        buffer.reserve_exact(n + room);
    }
    buffer.resize(n, T::default());
    parallel::blocks(n, &mut buffer[..], |range, out| {
        for (out, &from) in out.iter_mut().zip(&order[range]) {
            *out = field[from as usize];
        }
    });
    std::mem::swap(field, buffer);
}
