//! Levels of the aggregation multigrid preconditioner: the cells of the neighbor search are the first aggregates, then
//! cells twice as wide.
//!
//! With the prolongation `P`, which gives each unknown the value of its aggregate, the equation of a level is `Pᵀ A P`
//! (Galerkin): off-diagonal entries between two aggregates add up, and so do Dirichlet terms.

use sph_core::{
    Real,
    neighbors::{Cells, Chunk, NeighborLists, PAD},
    numerics::{
        field::fit,
        parallel::{self, BLOCK},
    },
};

/// A level has at least a quarter fewer aggregates than the one below, and no level follows one of so few.
const FEW: usize = 8;

/// Aggregates, and their equation `D_c z_c − Σ_c' w_cc' z_c' = r_c`, `D_c = s_c + Σ_c' w_cc'`.
#[derive(Debug)]
pub struct Level<const D: usize> {
    /// Integer coordinates, ascending by the last axis first.
    at: Vec<[i32; D]>,
    /// Cells of a periodic axis, 0 on the others.
    turn: [i32; D],
    /// Where the unknowns of each aggregate begin in `unknowns`; one more than aggregates.
    first: Vec<u32>,
    /// Unknowns of the finer equation, aggregate by aggregate.
    unknowns: Vec<u32>,
    /// The aggregate of each unknown.
    of: Vec<u32>,
    /// Aggregates around each one, in equal rows; empty ones are the null aggregate, whose value is 0.
    pub rows: Chunk,
    /// `w_cc'` for the entries of the rows.
    pub off_diagonal: Vec<Real>,
    /// Dirichlet term `s_c`.
    dirichlet: Vec<Real>,
    /// `D_c`.
    pub diagonal: Vec<Real>,
    /// Right-hand side.
    pub r: Vec<Real>,
    /// Solution; ends with the null aggregate.
    pub z: Vec<Real>,
    /// The next solution, or the residual.
    pub q: Vec<Real>,
}

impl<const D: usize> Default for Level<D> {
    fn default() -> Self {
        Self {
            at: Vec::new(),
            turn: [0; D],
            first: Vec::new(),
            unknowns: Vec::new(),
            of: Vec::new(),
            rows: Chunk::default(),
            off_diagonal: Vec::new(),
            dirichlet: Vec::new(),
            diagonal: Vec::new(),
            r: Vec::new(),
            z: Vec::new(),
            q: Vec::new(),
        }
    }
}

/// Bytes that an aggregate takes: its row, what it is made of, and the vectors of its equation.
pub fn bytes_per_aggregate(dim: usize) -> f64 {
    let width = 3_usize.pow(dim as u32).next_multiple_of(PAD);
    (width * (4 + size_of::<Real>()) + 4 * dim + 16 + 5 * size_of::<Real>()) as f64
}

/// The levels above the particles.
#[derive(Debug, Default)]
pub struct Multigrid<const D: usize> {
    /// Those in use come first.
    all: Vec<Level<D>>,
    n: usize,
}

/// The finer equation: rows with their off-diagonal entries, and Dirichlet terms.
trait FineEquation: Sync {
    /// The row of an unknown without padding, and its entries.
    fn row(&self, i: usize) -> (&[u32], &[Real]);
    /// Dirichlet term of an unknown.
    fn dirichlet(&self, i: usize) -> Real;
}

/// That of the particles.
struct Particles<'a> {
    lists: &'a NeighborLists,
    entries: &'a [Vec<Real>],
    dirichlet: &'a [Real],
}

impl FineEquation for Particles<'_> {
    fn row(&self, i: usize) -> (&[u32], &[Real]) {
        let k = self.lists.chunks().partition_point(|chunk| chunk.end <= i);
        let chunk = &self.lists.chunks()[k];
        let n = chunk.count(i);
        (&chunk.row(i)[..n], &self.entries[k][chunk.entries(i)][..n])
    }

    fn dirichlet(&self, i: usize) -> Real {
        self.dirichlet[i]
    }
}

impl<const D: usize> FineEquation for Level<D> {
    fn row(&self, i: usize) -> (&[u32], &[Real]) {
        (self.rows.row(i), &self.off_diagonal[self.rows.entries(i)])
    }

    fn dirichlet(&self, i: usize) -> Real {
        self.dirichlet[i]
    }
}

impl<const D: usize> Multigrid<D> {
    /// The levels in use, the finest first.
    pub fn in_use(&mut self) -> &mut [Level<D>] {
        &mut self.all[..self.n]
    }

    /// Builds all levels over the particles of a step.
    pub fn build(
        &mut self,
        cells: &Cells<D>,
        lists: &NeighborLists,
        entries: &[Vec<Real>],
        dirichlet: &[Real],
    ) {
        self.n = 0;
        self.next().aggregate_particles(cells);
        self.all[0].assemble(&Particles { lists, entries, dirichlet });
        loop {
            self.next();
            let [.., fine, coarse] = &mut self.all[..self.n] else { return };
            if fine.len() <= FEW || !coarse.aggregate_level(fine) {
                self.n -= 1;
                return;
            }
            coarse.assemble(fine);
        }
    }

    /// One more level in use.
    fn next(&mut self) -> &mut Level<D> {
        self.n += 1;
        if self.all.len() < self.n {
            self.all.resize_with(self.n, Level::default);
        }
        &mut self.all[self.n - 1]
    }
}

impl<const D: usize> Level<D> {
    /// Number of aggregates.
    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Unknowns of aggregate `c`.
    pub fn unknowns(&self, c: usize) -> &[u32] {
        &self.unknowns[self.first[c] as usize..self.first[c + 1] as usize]
    }

    /// The aggregate of unknown `i`.
    pub fn aggregate_of(&self, i: usize) -> usize {
        self.of[i] as usize
    }

    /// Cells of the neighbor search: their unknowns are particles, in order.
    fn aggregate_particles(&mut self, cells: &Cells<D>) {
        let n = cells.n_occupied();
        self.turn = cells.frame.turn;
        self.at.clear();
        self.at.extend(cells.occupied[..n].iter().map(|cell| cell.at));
        self.first.clear();
        self.first.extend((0..=n).map(|c| cells.first_point(c) as u32));
        self.unknowns.clear();
        self.unknowns.extend(0..self.first[n]);
        self.number();
    }

    /// Cells twice as wide. False if they are hardly fewer.
    fn aggregate_level(&mut self, fine: &Self) -> bool {
        let wide = |c: u32| fine.at[c as usize].map(|x| x >> 1);
        self.turn = fine.turn.map(|n| (n + 1) / 2);
        self.unknowns.clear();
        self.unknowns.extend(0..fine.len() as u32);
        let ascending = |mut at: [i32; D]| {
            at.reverse();
            at
        };
        // Ties by number make the unstable sort, which needs no memory, a stable one.
        self.unknowns.sort_unstable_by_key(|&c| (ascending(wide(c)), c));
        self.at.clear();
        self.first.clear();
        for (k, &c) in self.unknowns.iter().enumerate() {
            if self.at.last() != Some(&wide(c)) {
                self.at.push(wide(c));
                self.first.push(k as u32);
            }
        }
        self.first.push(self.unknowns.len() as u32);
        self.number();
        4 * self.len() <= 3 * fine.len()
    }

    /// Tells each unknown its aggregate.
    fn number(&mut self) {
        self.of.resize(self.unknowns.len(), 0);
        for c in 0..self.at.len() {
            for k in self.first[c]..self.first[c + 1] {
                self.of[self.unknowns[k as usize] as usize] = c as u32;
            }
        }
    }

    /// The equation, from the finer one.
    fn assemble(&mut self, below: &impl FineEquation) {
        let (n, groups) = (self.len(), 3_usize.pow(D as u32).div_ceil(PAD));
        let width = groups * PAD;
        let mut rows = std::mem::take(&mut self.rows);
        (rows.first, rows.end, rows.null) = (0, n, n as u32);
        rows.offsets.clear();
        rows.offsets.extend((0..=n).map(|c| (c * width) as u32));
        rows.indices.resize(n * width, 0);
        let mut off_diagonal = std::mem::take(&mut self.off_diagonal);
        off_diagonal.resize(n * width, 0.0);
        // All outputs are in groups of PAD numbers, of which every cell has the same number.
        let ends = |piece: usize| (piece * BLOCK).min(n);
        let outputs = (rows.indices.as_chunks_mut::<PAD>().0, off_diagonal.as_chunks_mut::<PAD>().0);
        let level = &*self;
        parallel::pieces(0..n.div_ceil(BLOCK), &|k| groups * ends(k), outputs, &|k, (near, sums)| {
            let (near, sums) = (near.as_flattened_mut(), sums.as_flattened_mut());
            let parts = near.chunks_exact_mut(width).zip(sums.chunks_exact_mut(width));
            for ((near, sums), c) in parts.zip(ends(k)..) {
                level.sum_row(c, below, near, sums);
            }
        });
        (self.rows, self.off_diagonal) = (rows, off_diagonal);
        self.sum_diagonal(below);
    }

    /// The row of aggregate `c`: which ones are around it, and the sums of entries between their unknowns.
    fn sum_row(&self, c: usize, below: &impl FineEquation, near: &mut [u32], sums: &mut [Real]) {
        near.fill(self.len() as u32);
        sums.fill(0.0);
        let (mut last, mut slot) = (c as u32, 0);
        for &i in self.unknowns(c) {
            let (row, off_diagonal) = below.row(i as usize);
            for (&j, &entry) in row.iter().zip(off_diagonal) {
                let Some(&other) = self.of.get(j as usize) else { continue };
                if other == c as u32 {
                    continue;
                }
                // Rows ascend, and with them cells.
                if other != last {
                    (last, slot) = (other, self.slot(c, other as usize));
                }
                near[slot] = other;
                sums[slot] += entry;
            }
        }
    }

    /// Where in the row of cell `c` the cell `other` beside it stands.
    fn slot(&self, c: usize, other: usize) -> usize {
        let (from, to) = (self.at[c], self.at[other]);
        (0..D).rev().fold(0, |slot, a| {
            let step = match to[a] - from[a] {
                s if s > 1 => s - self.turn[a],
                s if s < -1 => s + self.turn[a],
                s => s,
            };
            3 * slot + (step + 1) as usize
        })
    }

    fn sum_diagonal(&mut self, below: &impl FineEquation) {
        let n = self.len();
        for field in [&mut self.dirichlet, &mut self.diagonal, &mut self.r] {
            fit(field, n, 0.0);
        }
        for field in [&mut self.z, &mut self.q] {
            fit(field, n + 1, 0.0);
            field[n] = 0.0;
        }
        for c in 0..n {
            let unknowns = self.first[c] as usize..self.first[c + 1] as usize;
            self.dirichlet[c] = self.unknowns[unknowns].iter().map(|&i| below.dirichlet(i as usize)).sum();
            self.diagonal[c] =
                self.dirichlet[c] + self.off_diagonal[self.rows.entries(c)].iter().sum::<Real>();
        }
    }
}
