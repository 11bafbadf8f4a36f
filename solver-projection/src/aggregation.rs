//! Levels of the aggregation multigrid preconditioner: the cells of the neighbor search are the first aggregates, then
//! cells twice as wide.
//!
//! With the prolongation `P`, which gives each unknown the value of its aggregate, the equation of a level is `Pᵀ A P`
//! (Galerkin): off-diagonal entries between two aggregates add up, and so do Dirichlet terms.
//!
//! On several ranks each has the first level of its own cells and of those around. The coarser levels stand on every rank, whole; the
//! rows of the second come from the rank that owns their cells: a rank owns whole aggregates of it, see
//! [`CELLS_A_BLOCK`](sph_core::run::method::Method::CELLS_A_BLOCK).

use sph_core::{
    Real,
    method::failure::Lost,
    neighbors::{Cells, Chunk, NeighborLists, PAD},
    numerics::{
        field::fit,
        parallel::{self, BLOCK},
    },
    run::ranks::{plan::Plan, shared::Others},
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
    /// Who needs what of a solution. Empty where every rank has all of it.
    pub halo: Plan,
    /// True where other ranks have right-hand sides of the level below.
    pub is_joined: bool,
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
            halo: Plan::default(),
            is_joined: false,
        }
    }
}

/// The order of aggregates: by the last axis first.
fn ascending<const D: usize>(at: &[i32; D]) -> [i32; D] {
    let mut at = *at;
    at.reverse();
    at
}

/// Entries of a row, with padding.
fn width(dim: usize) -> usize {
    3_usize.pow(dim as u32).next_multiple_of(PAD)
}

/// Bytes that an aggregate takes: its row, what it is made of, and the vectors of its equation.
pub fn bytes_per_aggregate(dim: usize) -> f64 {
    (width(dim) * (4 + size_of::<Real>()) + 4 * dim + 16 + 5 * size_of::<Real>()) as f64
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
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn build(
        &mut self,
        cells: &Cells<D>,
        lists: &NeighborLists,
        entries: &[Vec<Real>],
        dirichlet: &[Real],
        others: &mut Others<'_, D>,
    ) -> Result<(), Lost> {
        self.n = 0;
        let finest = self.next();
        finest.aggregate_particles(cells);
        finest.assemble(&Particles { lists, entries, dirichlet });
        others.plan(&mut finest.halo, &finest.at);
        let mut below = others.count(finest.at.iter().filter(|&&at| !others.own(at)).count())?;
        loop {
            self.next();
            let [.., fine, coarse] = &mut self.all[..self.n] else { return Ok(()) };
            if below > FEW {
                coarse.aggregate_level(fine);
            }
            coarse.is_joined = self.n == 2 && !others.are_none();
            let n = match coarse.is_joined {
                true => others.count((0..coarse.len()).filter(|&c| coarse.is_own(c, others)).count())?,
                false => coarse.len(),
            };
            if below <= FEW || 4 * n > 3 * below {
                self.n -= 1;
                return Ok(());
            }
            coarse.assemble(fine);
            if coarse.is_joined {
                coarse.join(others)?;
            }
            below = n;
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
        self.turn = cells.frame.turn;
        self.at.clear();
        self.at.extend(cells.points().map(|(at, _)| at));
        self.first.clear();
        self.first.push(0);
        self.first.extend(cells.points().map(|(_, points)| points.end));
        self.unknowns.clear();
        self.unknowns.extend(0..self.first[self.at.len()]);
        self.number();
    }

    /// Cells twice as wide.
    fn aggregate_level(&mut self, fine: &Self) {
        let wide = |c: u32| fine.at[c as usize].map(|x| x >> 1);
        self.turn = fine.turn.map(|n| (n + 1) / 2);
        self.unknowns.clear();
        self.unknowns.extend(0..fine.len() as u32);
        // Ties by number make the unstable sort, which needs no memory, a stable one.
        self.unknowns.sort_unstable_by_key(|&c| (ascending(&wide(c)), c));
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
    }

    /// True for an aggregate of the second level that is of this rank.
    fn is_own(&self, c: usize, others: &Others<'_, D>) -> bool {
        !others.own(self.at[c].map(|x| 2 * x))
    }

    /// Takes in the aggregates of other ranks, with their rows.
    fn join(&mut self, others: &mut Others<'_, D>) -> Result<(), Lost> {
        let own: Vec<usize> = (0..self.len()).filter(|&c| self.is_own(c, others)).collect();
        let mut all = others.all_gather(own.iter().map(|&c| self.at[c]).collect())?;
        all.sort_unstable_by_key(ascending);
        let (n, width) = (all.len(), width(D));
        let place = |at| all.binary_search_by_key(&ascending(at), ascending).unwrap_or(n);
        // Where the aggregates of this rank stand among all: those around its own are of other ranks.
        let places: Vec<usize> = self.at.iter().map(place).chain([n]).collect();
        let (mut near, mut entries, mut dirichlet) =
            (vec![0_u32; n * width], vec![0.0; n * width], vec![0.0; n]);
        let (mut first, mut unknowns) = (vec![0; n + 1], Vec::with_capacity(self.unknowns.len()));
        for &c in &own {
            let row = places[c] * width..(places[c] + 1) * width;
            let others = self.rows.row(c).iter().map(|&other| places[other as usize] as u32);
            near[row.clone()].iter_mut().zip(others).for_each(|(near, other)| *near = other);
            entries[row].copy_from_slice(&self.off_diagonal[self.rows.entries(c)]);
            dirichlet[places[c]] = self.dirichlet[c];
            first[places[c] + 1] = self.unknowns(c).len() as u32;
            unknowns.extend_from_slice(self.unknowns(c));
        }
        (0..n).for_each(|c| first[c + 1] += first[c]);
        others.all_sum(&mut near)?;
        others.all_sum(&mut entries)?;
        others.all_sum(&mut dirichlet)?;
        self.of.iter_mut().for_each(|c| *c = places[*c as usize] as u32);
        (self.at, self.first, self.unknowns) = (all, first, unknowns);
        self.lay_rows();
        (self.rows.indices, self.off_diagonal, self.dirichlet) = (near, entries, dirichlet);
        self.sum_diagonal();
        Ok(())
    }

    /// Room for the row of each aggregate.
    fn lay_rows(&mut self) {
        let (n, width) = (self.len(), width(D));
        let rows = &mut self.rows;
        (rows.first, rows.end, rows.null) = (0, n, n as u32);
        rows.offsets.clear();
        rows.offsets.extend((0..=n).map(|c| (c * width) as u32));
        rows.indices.resize(n * width, 0);
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
        let (n, width) = (self.len(), width(D));
        let groups = width / PAD;
        self.lay_rows();
        let mut rows = std::mem::take(&mut self.rows);
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
        self.dirichlet.clear();
        for c in 0..n {
            let sum = self.unknowns(c).iter().map(|&i| below.dirichlet(i as usize)).sum();
            self.dirichlet.push(sum);
        }
        self.sum_diagonal();
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

    /// The diagonal, and room for the vectors.
    fn sum_diagonal(&mut self) {
        let n = self.len();
        for field in [&mut self.diagonal, &mut self.r] {
            fit(field, n, 0.0);
        }
        for field in [&mut self.z, &mut self.q] {
            fit(field, n + 1, 0.0);
            field[n] = 0.0;
        }
        for c in 0..n {
            self.diagonal[c] =
                self.dirichlet[c] + self.off_diagonal[self.rows.entries(c)].iter().sum::<Real>();
        }
    }
}
