//! Hashed cells for an unbounded domain (Teschner et al. 2003).

use super::cells::Cell;
use std::ops::Range;

/// Open addressing over the occupied cells: a bucket holds the index of a cell plus one, or 0.
#[derive(Debug, Default)]
pub struct CellTable<const D: usize> {
    buckets: Vec<u32>,
}

/// The primes of the paper. (The second one is 41 · 471943; harmless.)
const PRIMES: [u64; 3] = [73_856_093, 19_349_663, 83_492_791];

impl<const D: usize> CellTable<D> {
    /// Enters all cells. Buckets are cleared, not given back.
    pub fn fill(&mut self, cells: &[Cell<D>]) {
        let size = (2 * cells.len()).next_power_of_two().max(self.buckets.len());
        self.buckets.clear();
        self.buckets.resize(size, 0);
        for (k, cell) in cells.iter().enumerate() {
            let mut b = bucket(cell.at, size);
            while self.buckets[b] != 0 {
                b = (b + 1) & (size - 1);
            }
            self.buckets[b] = k as u32 + 1;
        }
    }

    /// The points of the cells from `low` to `high` (at most three) in the row of `cell`: cells of one
    /// row are neighbors in the sorted order.
    pub fn points_of(&self, cells: &[Cell<D>], cell: [i32; D], low: i32, high: i32) -> Range<usize> {
        let mut range: Option<Range<usize>> = None;
        for x in low..=high {
            let mut at = cell;
            at[0] = x;
            if let Some(k) = self.find(cells, at) {
                let (start, end) = (cells[k].start as usize, cells[k + 1].start as usize);
                range = Some(range.map_or(start..end, |r| r.start..end));
            }
        }
        range.unwrap_or(0..0)
    }

    fn find(&self, cells: &[Cell<D>], at: [i32; D]) -> Option<usize> {
        let mut b = bucket(at, self.buckets.len());
        loop {
            // Different cells may share a bucket: the stored coordinates decide.
            match self.buckets[b] as usize {
                0 => return None,
                k if cells[k - 1].at == at => return Some(k - 1),
                _ => b = (b + 1) & (self.buckets.len() - 1),
            }
        }
    }
}

fn bucket<const D: usize>(at: [i32; D], size: usize) -> usize {
    let hash = at.iter().zip(PRIMES).fold(0, |h, (&c, p)| h ^ (c as i64 as u64).wrapping_mul(p));
    // The low bits of the products alone cluster: fold the high ones in.
    ((hash ^ (hash >> 29)) as usize) & (size - 1)
}
