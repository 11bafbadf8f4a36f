//! Multigrid of cells and the cycle over them, against sums over a sparse matrix.

use crate::{ORDERS, axes, bounds, cloud, noise};
use cuda_kernels::{
    common::{
        numerics::{
            fields::{self, Packed},
            reduce::PARTIALS,
        },
        search::{
            cells::{CellGrid, CellSort},
            neighbors::{NeighborRows, Query, RowSize, Source},
        },
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
    projection::{
        Numbers,
        aggregation::{CellEquation, Fine, Multigrid},
    },
};
use sph_core::{
    Real,
    neighbors::{CellFrame, Periodic},
};
use std::{array::from_fn, collections::BTreeMap};

/// Numbers of an iteration, and partial results.
struct Work {
    numbers: Field<Numbers>,
    partial: Field<f64>,
}

impl Work {
    fn new() -> Self {
        Self { numbers: field![Numbers::default()], partial: field![0.0; PARTIALS] }
    }
}

/// A symmetric matrix: rows of `−A_ij`, and the Dirichlet term.
#[derive(Clone, Debug)]
struct Matrix {
    rows: Vec<BTreeMap<u32, f64>>,
    dirichlet: Vec<f64>,
}

impl Matrix {
    fn diagonal(&self, i: usize) -> f64 {
        self.dirichlet[i] + self.rows[i].values().sum::<f64>()
    }

    /// `Pᵀ A P` of `n` aggregates.
    fn joined(&self, of: &[u32], n: usize) -> Self {
        let mut wide = Self { rows: vec![BTreeMap::new(); n], dirichlet: vec![0.0; n] };
        for (i, row) in self.rows.iter().enumerate() {
            let c = of[i];
            wide.dirichlet[c as usize] += self.dirichlet[i];
            for (&j, w) in row.iter().filter(|(j, _)| of[**j as usize] != c) {
                *wide.rows[c as usize].entry(of[j as usize]).or_default() += w;
            }
        }
        wide
    }

    /// `r − A z`.
    fn left(&self, r: &[f64], z: &[f64]) -> Vec<f64> {
        let around = |i: usize| self.rows[i].iter().map(|(&j, w)| w * z[j as usize]).sum::<f64>();
        (0..r.len()).map(|i| r[i] - self.diagonal(i) * z[i] + around(i)).collect()
    }

    fn relax(&self, r: &[f64], z: &mut [f64], times: usize) {
        for _ in 0..times {
            let left = self.left(r, z);
            for i in 0..z.len() {
                z[i] += 0.7 * divided(left[i], self.diagonal(i));
            }
        }
    }
}

fn divided(r: f64, diagonal: f64) -> f64 {
    if diagonal > 0.0 { r / diagonal } else { 0.0 }
}

fn restricted(field: &[f64], of: &[u32], n: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n];
    of.iter().zip(field).for_each(|(&c, x)| sums[c as usize] += x);
    sums
}

/// Multigrid as they should be: the aggregate of each unknown, and the equation.
type Expected = Vec<(Vec<u32>, Matrix)>;

fn cycle(levels: &[(Vec<u32>, Matrix)], r: &[f64]) -> Vec<f64> {
    let (matrix, mut z) = (&levels[0].1, vec![0.0; r.len()]);
    let Some((of, wide)) = levels.get(1) else {
        matrix.relax(r, &mut z, 8);
        return z;
    };
    matrix.relax(r, &mut z, 2);
    let answer = cycle(&levels[1..], &restricted(&matrix.left(r, &z), of, wide.dirichlet.len()));
    (0..z.len()).for_each(|i| z[i] += 1.8 * answer[of[i] as usize]);
    matrix.relax(r, &mut z, 2);
    z
}

/// Particles in the order of their cells, with an equation.
struct Case<const D: usize> {
    radius: Real,
    periodic: Periodic<D>,
    x: [Field<Real>; D],
    grid: CellGrid<D>,
}

/// What kernels find.
#[derive(Debug, PartialEq)]
struct Found {
    sizes: Vec<usize>,
    equations: Vec<CellEquation>,
    z: Field<Real>,
    rho: f64,
}

impl<const D: usize> Case<D> {
    fn new(x: &[[Real; D]], radius: Real, periodic: Periodic<D>) -> Self {
        let (low, high) = bounds(x);
        let grid = CellGrid::new(radius, &periodic, low, high, x.len()).unwrap();
        let mut sort = CellSort::new(&ORDERS[0], grid, x.len()).unwrap();
        let x = axes(x);
        sort.sort(&ORDERS[0], &x, x[0].len()).unwrap();
        let x = x.map(|x| sort.order.iter().map(|&i| x[i as usize]).collect());
        Self { radius, periodic, x, grid }
    }

    fn n(&self) -> usize {
        self.x[0].len()
    }

    /// Sorted cells, and rows.
    fn prepare(&self, executor: &dyn Executor) -> (CellSort<D>, NeighborRows) {
        let n = self.n();
        let mut cells = CellSort::new(executor, self.grid, n).unwrap();
        cells.sort(executor, &self.x, n).unwrap();
        let mut records = field![Packed::default(); n];
        fields::pack_positions(executor, &self.x, n, &mut records).unwrap();
        let mut rows = NeighborRows::new(executor, n, RowSize::of(160)).unwrap();
        let source = Source { cells: &cells, records: &records };
        let query = Query { radius: self.radius, records: &records, n, same: true };
        rows.list(executor, &query, &source).unwrap();
        (cells, rows)
    }

    /// Off-diagonal entries, and a Dirichlet term for a third of all particles.
    fn matrix(&self) -> Matrix {
        let rows = self.prepare(&ORDERS[0]).1.download(&ORDERS[0], self.n()).unwrap();
        // Alike from both sides, and unlike from pair to pair.
        let entry = |i: u32, j: u32| f64::from((i.min(j) * 7 + i.max(j) * 13) % 32 + 1) / 32.0;
        let row = |(i, row): (usize, &Vec<u32>)| row.iter().map(|&j| (j, entry(i as u32, j))).collect();
        let dirichlet = |i: usize| if i.is_multiple_of(3) { (i % 5) as f64 / 4.0 } else { 0.0 };
        Matrix {
            rows: rows.iter().enumerate().map(row).collect(),
            dirichlet: (0..self.n()).map(dirichlet).collect(),
        }
    }

    /// Multigrid from coordinates of cells alone.
    fn expected(&self, fine: &Matrix) -> Expected {
        let frame = CellFrame::new(self.radius, &self.periodic);
        let mut at: Vec<[i32; D]> = (0..self.n()).map(|i| frame.cell(from_fn(|a| self.x[a][i]))).collect();
        let (mut levels, mut last) = (Expected::new(), fine.clone());
        loop {
            let key = |mut at: [i32; D]| {
                at.reverse();
                at
            };
            let mut cells: Vec<_> = at.iter().copied().map(key).collect();
            cells.sort_unstable();
            cells.dedup();
            if !levels.is_empty() && (last.dirichlet.len() <= 8 || 4 * cells.len() > 3 * last.dirichlet.len())
            {
                return levels;
            }
            let of: Vec<u32> = at.iter().map(|&x| cells.binary_search(&key(x)).unwrap() as u32).collect();
            last = last.joined(&of, cells.len());
            levels.push((of, last.clone()));
            at = cells.iter().map(|&x| key(x).map(|x| x >> 1)).collect();
        }
    }

    /// Multigrid that begin with a capacity of so many cells, and what they make of `r`.
    fn find(
        &self,
        executor: &dyn Executor,
        fine: &Matrix,
        r: &[Real],
        capacity: usize,
    ) -> Result<Found, CudaError> {
        let (n, (cells, rows)) = (self.n(), self.prepare(executor));
        let mut entries = field![0.0; rows.entries()];
        for (i, row) in fine.rows.iter().enumerate() {
            for (k, &w) in row.values().enumerate() {
                entries[(i / 32 * 160 + k) * 32 + i % 32] = w as Real;
            }
        }
        let dirichlet: Field<Real> = fine.dirichlet.iter().map(|&dirichlet| dirichlet as Real).collect();
        let diagonal: Field<Real> = (0..n).map(|i| fine.diagonal(i) as Real).collect();
        let mut levels = Multigrid::new(executor, &self.grid, n, capacity)?;
        let (mut z, mut work) = (field![0.0; n], Work::new());
        // Twice: what an earlier step has left does not matter.
        for _ in 0..2 {
            levels.build(
                executor,
                &Fine { cells: &cells, rows: &rows, entries: &entries, dirichlet: &dirichlet, n },
            )?;
            levels.precondition(
                executor,
                &diagonal,
                &Field::from(r),
                n,
                &mut z,
                &mut work.partial,
                1,
                &mut work.numbers,
            )?;
        }
        let sizes: Vec<usize> = levels.sizes().collect();
        let equations = (0..sizes.len()).map(|l| levels.equation(executor, l)).collect::<Result<_, _>>()?;
        Ok(Found { sizes, equations, z, rho: work.numbers[0].rho[1] })
    }

    /// Multigrid are those that they should be, and so is the answer of the cycle. Returns their sizes.
    fn check(&self) -> Vec<usize> {
        let (fine, r) = (self.matrix(), noise(self.n(), 17));
        let expected = self.expected(&fine);
        let found = self.find(&ORDERS[0], &fine, &r, 0).unwrap();
        for executor in &ORDERS[1..] {
            assert_eq!(self.find(executor, &fine, &r, 10_000).unwrap(), found);
        }
        assert_eq!(found.sizes, expected.iter().map(|level| level.1.dirichlet.len()).collect::<Vec<_>>());
        for ((of, matrix), level) in expected.iter().zip(&found.equations) {
            assert_eq!(&level.of, of);
            for (c, row) in level.rows.iter().enumerate() {
                // Entries are sums of fractions of 32: exact.
                let row: BTreeMap<u32, f64> =
                    row.iter().filter(|(_, w)| *w != 0.0).map(|&(d, w)| (d, f64::from(w))).collect();
                assert_eq!(row, matrix.rows[c]);
                assert!(
                    (f64::from(level.diagonal[c]) - matrix.diagonal(c)).abs() <= 1e-6 * matrix.diagonal(c)
                );
            }
        }
        let r: Vec<f64> = r.iter().map(|&r| f64::from(r)).collect();
        let far = cycle(&expected, &restricted(&r, &expected[0].0, found.sizes[0]));
        let z: Vec<f64> =
            (0..self.n()).map(|i| divided(r[i], fine.diagonal(i)) + far[expected[0].0[i] as usize]).collect();
        let size = z.iter().fold(0.0, |size: f64, z| size.max(z.abs()));
        for (found, z) in found.z.iter().zip(&z) {
            assert!((f64::from(*found) - z).abs() <= 300.0 * f64::from(Real::EPSILON) * size, "{found} {z}");
        }
        let rho: f64 = r.iter().zip(&found.z).map(|(r, &z)| r * f64::from(z)).sum();
        assert!((found.rho - rho).abs() <= 1e-12 * rho, "{} {rho}", found.rho);
        found.sizes
    }
}

/// Points on both sides of the origin: coordinates of cells are negative, too.
fn check<const D: usize>(n: usize, radius: f64, length: [f64; D]) -> Vec<usize> {
    let shift = |x: [Real; D]| from_fn(|a| if length[a] > 0.0 { x[a] } else { x[a] - 0.45 });
    let x: Vec<[Real; D]> = cloud::<D>(n, 40).into_iter().map(shift).collect();
    Case::new(&x, radius as Real, Periodic::new([0.0; D], length.map(|x| x as Real))).check()
}

#[test]
fn levels_are_the_sums_of_the_ones_below() {
    assert!(check::<2>(900, 0.071, [0.0; 2]).len() >= 3);
    assert!(check::<3>(900, 0.17, [0.0; 3]).len() >= 3);
}

#[test]
fn periods_of_any_number_of_cells_close() {
    for radius in [0.33, 0.24, 0.19, 0.16, 0.14, 0.12, 0.09] {
        check::<2>(250, radius, [1.0; 2]);
        check::<2>(250, radius, [1.0, 0.0]);
        check::<3>(300, radius.max(0.14), [0.0, 1.0, 1.0]);
    }
}

#[test]
fn large_levels_are_done_by_many_blocks() {
    let sizes = check::<2>(9000, 0.0131, [0.0; 2]);
    assert!(sizes[0] > 4000 && sizes[1] > 1024 && sizes[2] < 1024, "{sizes:?}");
    // Cells so far apart that no level makes them fewer.
    let sizes = check::<3>(1500, 0.026, [0.0; 3]);
    assert!(sizes.len() == 1 && sizes[0] > 1024, "{sizes:?}");
}

#[test]
fn few_particles_and_none_have_their_levels() {
    let case = |x: &[[Real; 2]]| Case::new(x, 0.1, Periodic::NONE).check();
    assert_eq!(case(&[[0.3, -0.2]]), [1]);
    assert_eq!(case(&[[0.3; 2]; 40]), [1]);
    assert_eq!(case(&[[0.3, 0.3], [0.35, 0.35], [9.0, 7.0], [9.0, 7.05], [-3.0, 4.0]]).len(), 1);
    let grid = CellGrid::<3>::new(0.1, &Periodic::NONE, [1.0; 3], [0.0; 3], 0).unwrap();
    let mut levels = Multigrid::new(&ORDERS[0], &grid, 0, 0).unwrap();
    let cells = CellSort::new(&ORDERS[0], grid, 0).unwrap();
    let (rows, none) = (NeighborRows::new(&ORDERS[0], 0, RowSize::of(8)).unwrap(), field![]);
    levels
        .build(&ORDERS[0], &Fine { cells: &cells, rows: &rows, entries: &none, dirichlet: &none, n: 0 })
        .unwrap();
    let mut work = Work::new();
    levels
        .precondition(&ORDERS[0], &none, &none, 0, &mut field![], &mut work.partial, 0, &mut work.numbers)
        .unwrap();
    assert_eq!((levels.sizes().collect::<Vec<_>>(), work.numbers[0].rho[0]), (vec![0], 0.0));
}

#[test]
fn fields_that_are_too_short_are_refused() {
    let case = Case::new(&cloud::<2>(100, 41), 0.2, Periodic::NONE);
    let (cells, rows) = case.prepare(&ORDERS[0]);
    let (entries, dirichlet) = (field![0.0; rows.entries()], field![0.0; 100]);
    let fine = Fine { cells: &cells, rows: &rows, entries: &entries, dirichlet: &dirichlet, n: 100 };
    let field = |error: CudaError| match error {
        CudaError::TooShort { field, .. } => field,
        other => unreachable!("{other}"),
    };
    let build = |n: usize, fine: &Fine<'_, 2>| {
        let mut levels = Multigrid::new(&ORDERS[0], &case.grid, n, 0).unwrap();
        field(levels.build(&ORDERS[0], fine).unwrap_err())
    };
    let short = field![0.0; 99];
    assert_eq!(build(99, &fine), "of");
    assert_eq!(build(100, &Fine { entries: &short, ..fine }), "entries");
    assert_eq!(build(100, &Fine { dirichlet: &short, ..fine }), "dirichlet");
    assert_eq!(build(101, &Fine { n: 101, ..fine }), "order");
    let mut levels = Multigrid::new(&ORDERS[0], &case.grid, 100, 0).unwrap();
    levels.build(&ORDERS[0], &fine).unwrap();
    let (mut z, mut work) = (field![0.0; 100], Work::new());
    let mut refused = |diagonal, r, z: &mut Field<Real>| {
        field(
            levels
                .precondition(&ORDERS[0], diagonal, r, 100, z, &mut work.partial, 0, &mut work.numbers)
                .unwrap_err(),
        )
    };
    assert_eq!(refused(&short, &dirichlet, &mut z), "diagonal");
    assert_eq!(refused(&dirichlet, &short, &mut z), "r");
    assert_eq!(refused(&dirichlet, &dirichlet, &mut short.clone()), "z");
}
