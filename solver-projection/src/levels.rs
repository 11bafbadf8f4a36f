//! Coarser equations: the cells of the neighbor search as unknowns, then cells of cells.
//!
//! An unknown of a level is the sum of its members, particles or cells of the level below. With `P` that hands a cell's
//! number to its members the equation of a level is `Pᵀ A P` (Galerkin): couplings between members of two cells add up, and
//! so does the air.

use sph_core::{
    Real,
    neighbors::{Cells, Chunk, NeighborLists, PAD},
    numerics::{
        field::fit,
        parallel::{self, BLOCK},
    },
};

/// A level has at least a quarter fewer cells than the one below, and no level follows one of so few.
const FEW: usize = 8;

/// Cells, and their equation `D_c z_c − Σ_c' w_cc' z_c' = r_c`, `D_c = s_c + Σ_c' w_cc'`.
#[derive(Debug)]
pub struct Level<const D: usize> {
    /// Integer coordinates, ascending by the last axis first.
    at: Vec<[i32; D]>,
    /// Cells of a periodic axis, 0 on the others.
    turn: [i32; D],
    /// Where the members of each cell begin in `members`; one more than cells.
    first: Vec<u32>,
    /// Members, cell by cell.
    members: Vec<u32>,
    /// The cell of each member.
    of: Vec<u32>,
    /// Cells around each cell, in equal rows; those that hold nothing are the null cell, whose number is 0.
    pub rows: Chunk,
    /// `w_cc'` for the entries of the rows.
    pub couplings: Vec<Real>,
    /// Weight of the air, `s_c`.
    air: Vec<Real>,
    /// `D_c`.
    pub diagonal: Vec<Real>,
    /// Right side.
    pub r: Vec<Real>,
    /// Solution; ends with the null cell.
    pub z: Vec<Real>,
    /// The next solution, or what is left of the right side.
    pub q: Vec<Real>,
}

impl<const D: usize> Default for Level<D> {
    fn default() -> Self {
        Self {
            at: Vec::new(),
            turn: [0; D],
            first: Vec::new(),
            members: Vec::new(),
            of: Vec::new(),
            rows: Chunk::default(),
            couplings: Vec::new(),
            air: Vec::new(),
            diagonal: Vec::new(),
            r: Vec::new(),
            z: Vec::new(),
            q: Vec::new(),
        }
    }
}

/// Bytes that a cell takes: its row, what it is made of, and the vectors of its equation.
pub fn bytes_per_cell(dim: usize) -> f64 {
    let width = 3_usize.pow(dim as u32).next_multiple_of(PAD);
    (width * (4 + size_of::<Real>()) + 4 * dim + 16 + 5 * size_of::<Real>()) as f64
}

/// The levels above the particles.
#[derive(Debug, Default)]
pub struct Levels<const D: usize> {
    /// Those in use come first.
    all: Vec<Level<D>>,
    n: usize,
}

/// The equation whose unknowns become members: rows with their couplings, and the air.
trait Below: Sync {
    /// The row of a member without padding, and the couplings.
    fn row(&self, i: usize) -> (&[u32], &[Real]);
    /// Weight of the air on a member.
    fn air(&self, i: usize) -> Real;
}

/// That of the particles.
struct Particles<'a> {
    lists: &'a NeighborLists,
    entries: &'a [Vec<Real>],
    air: &'a [Real],
}

impl Below for Particles<'_> {
    fn row(&self, i: usize) -> (&[u32], &[Real]) {
        let k = self.lists.chunks().partition_point(|chunk| chunk.end <= i);
        let chunk = &self.lists.chunks()[k];
        let n = chunk.count(i);
        (&chunk.row(i)[..n], &self.entries[k][chunk.entries(i)][..n])
    }

    fn air(&self, i: usize) -> Real {
        self.air[i]
    }
}

impl<const D: usize> Below for Level<D> {
    fn row(&self, i: usize) -> (&[u32], &[Real]) {
        (self.rows.row(i), &self.couplings[self.rows.entries(i)])
    }

    fn air(&self, i: usize) -> Real {
        self.air[i]
    }
}

impl<const D: usize> Levels<D> {
    /// The levels in use, the finest first.
    pub fn in_use(&mut self) -> &mut [Level<D>] {
        &mut self.all[..self.n]
    }

    /// Builds all levels over the particles of a step.
    pub fn build(&mut self, cells: &Cells<D>, lists: &NeighborLists, entries: &[Vec<Real>], air: &[Real]) {
        self.n = 0;
        self.next().take_cells(cells);
        self.all[0].assemble(&Particles { lists, entries, air });
        loop {
            self.next();
            let [.., fine, coarse] = &mut self.all[..self.n] else { return };
            if fine.len() <= FEW || !coarse.take_pairs(fine) {
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
    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Members of cell `c`.
    pub fn members(&self, c: usize) -> &[u32] {
        &self.members[self.first[c] as usize..self.first[c + 1] as usize]
    }

    /// The cell of member `i`.
    pub fn cell_of(&self, i: usize) -> usize {
        self.of[i] as usize
    }

    /// Cells of the neighbor search: their members are particles, in order.
    fn take_cells(&mut self, cells: &Cells<D>) {
        let n = cells.n_occupied();
        self.turn = cells.frame.turn;
        self.at.clear();
        self.at.extend(cells.occupied[..n].iter().map(|cell| cell.at));
        self.first.clear();
        self.first.extend((0..=n).map(|c| cells.first_point(c) as u32));
        self.members.clear();
        self.members.extend(0..self.first[n]);
        self.number();
    }

    /// Cells twice as wide. False if they are hardly fewer.
    fn take_pairs(&mut self, fine: &Self) -> bool {
        let wide = |c: u32| fine.at[c as usize].map(|x| x >> 1);
        self.turn = fine.turn.map(|n| (n + 1) / 2);
        self.members.clear();
        self.members.extend(0..fine.len() as u32);
        let ascending = |mut at: [i32; D]| {
            at.reverse();
            at
        };
        // Ties by number make the unstable sort, which needs no memory, a stable one.
        self.members.sort_unstable_by_key(|&c| (ascending(wide(c)), c));
        self.at.clear();
        self.first.clear();
        for (k, &c) in self.members.iter().enumerate() {
            if self.at.last() != Some(&wide(c)) {
                self.at.push(wide(c));
                self.first.push(k as u32);
            }
        }
        self.first.push(self.members.len() as u32);
        self.number();
        4 * self.len() <= 3 * fine.len()
    }

    /// Tells each member its cell.
    fn number(&mut self) {
        self.of.resize(self.members.len(), 0);
        for c in 0..self.at.len() {
            for k in self.first[c]..self.first[c + 1] {
                self.of[self.members[k as usize] as usize] = c as u32;
            }
        }
    }

    /// The equation, from that of the members.
    fn assemble(&mut self, below: &impl Below) {
        let (n, groups) = (self.len(), 3_usize.pow(D as u32).div_ceil(PAD));
        let width = groups * PAD;
        let mut rows = std::mem::take(&mut self.rows);
        (rows.first, rows.end, rows.null) = (0, n, n as u32);
        rows.offsets.clear();
        rows.offsets.extend((0..=n).map(|c| (c * width) as u32));
        rows.indices.resize(n * width, 0);
        let mut couplings = std::mem::take(&mut self.couplings);
        couplings.resize(n * width, 0.0);
        // All outputs are in groups of PAD numbers, of which every cell has the same number.
        let ends = |piece: usize| (piece * BLOCK).min(n);
        let outputs = (rows.indices.as_chunks_mut::<PAD>().0, couplings.as_chunks_mut::<PAD>().0);
        let level = &*self;
        parallel::pieces(0..n.div_ceil(BLOCK), &|k| groups * ends(k), outputs, &|k, (near, sums)| {
            let (near, sums) = (near.as_flattened_mut(), sums.as_flattened_mut());
            let parts = near.chunks_exact_mut(width).zip(sums.chunks_exact_mut(width));
            for ((near, sums), c) in parts.zip(ends(k)..) {
                level.sum_row(c, below, near, sums);
            }
        });
        (self.rows, self.couplings) = (rows, couplings);
        self.sum_diagonal(below);
    }

    /// The row of cell `c`: which cells are around it, and the sums of couplings between members.
    fn sum_row(&self, c: usize, below: &impl Below, near: &mut [u32], sums: &mut [Real]) {
        near.fill(self.len() as u32);
        sums.fill(0.0);
        let (mut last, mut slot) = (c as u32, 0);
        for &i in self.members(c) {
            let (row, couplings) = below.row(i as usize);
            for (&j, &coupling) in row.iter().zip(couplings) {
                let Some(&other) = self.of.get(j as usize) else { continue };
                if other == c as u32 {
                    continue;
                }
                // Rows ascend, and with them cells.
                if other != last {
                    (last, slot) = (other, self.slot(c, other as usize));
                }
                near[slot] = other;
                sums[slot] += coupling;
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

    fn sum_diagonal(&mut self, below: &impl Below) {
        let n = self.len();
        for field in [&mut self.air, &mut self.diagonal, &mut self.r] {
            fit(field, n, 0.0);
        }
        for field in [&mut self.z, &mut self.q] {
            fit(field, n + 1, 0.0);
            field[n] = 0.0;
        }
        for c in 0..n {
            let members = self.first[c] as usize..self.first[c + 1] as usize;
            self.air[c] = self.members[members].iter().map(|&i| below.air(i as usize)).sum();
            self.diagonal[c] = self.air[c] + self.couplings[self.rows.entries(c)].iter().sum::<Real>();
        }
    }
}
