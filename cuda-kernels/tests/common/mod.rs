//! What the tests of the phases of solvers share: points in disorder, their cells, and sums with bounds of their error.

use cuda_kernels::{
    common::{
        numerics::fields::Packed,
        search::cells::{CellGrid, CellSort},
    },
    device::{
        emulator::Emulator,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real,
    geometry::sampling::Jitter,
    neighbors::{Backend, Cells, Periodic},
    numerics::lane::each,
};

pub type Axes<const D: usize> = [Field<Real>; D];

pub const ORDERS: [Emulator; 3] = [Emulator::in_order(0), Emulator::in_order(1), Emulator::in_order(7)];
pub const SPACING: Real = 0.1;
pub const H: Real = 0.23;

/// The position of point `i`.
pub fn at<const D: usize>(x: &Axes<D>, i: usize) -> [Real; D] {
    each(|a| x[a][i])
}

/// Numbers in [−1, 1).
pub fn noise(n: usize, seed: u64) -> Field<Real> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f64 / f64::from(1 << 23) - 1.0) as Real
    };
    (0..n).map(|_| next()).collect()
}

/// A lattice of `counts` from `low` on, in disorder, sorted by cell.
pub fn lattice<const D: usize>(
    counts: [usize; D],
    low: [f64; D],
    periodic: &Periodic<D>,
    seed: u64,
) -> Axes<D> {
    let n: usize = counts.iter().product();
    let mut x: Vec<[f64; D]> = (0..n)
        .map(|mut site| {
            counts.map(|count| {
                let c = site % count;
                site /= count;
                c
            })
        })
        .map(|c| each(|a| low[a] + (c[a] as f64 + 0.5) * f64::from(SPACING)))
        .collect();
    Jitter { amplitude: 0.2 * f64::from(SPACING), seed }.apply(&mut x);
    let x: Vec<[Real; D]> = x.into_iter().map(|x| periodic.wrap(x.map(|c| c as Real))).collect();
    let axes: [Vec<Real>; D] = std::array::from_fn(|a| x.iter().map(|x| x[a]).collect());
    let (mut cells, mut order) = (Cells::new(Backend::DenseGrid, H, *periodic), Vec::new());
    cells.sort(&axes, None, &mut order).unwrap();
    axes.map(|x| order.iter().map(|&i| x[i as usize]).collect())
}

/// Cells of points that are sorted already.
pub fn cells<const D: usize>(executor: &dyn Executor, periodic: &Periodic<D>, x: &Axes<D>) -> CellSort<D> {
    let low = each(|a| x[a].iter().copied().fold(Real::INFINITY, Real::min));
    let high = each(|a| x[a].iter().copied().fold(Real::NEG_INFINITY, Real::max));
    let n = x[0].len();
    let grid = CellGrid::new(H, periodic, low, high, n).unwrap();
    let mut sort = CellSort::new(executor, grid, n).unwrap();
    sort.sort(executor, x, n).unwrap();
    assert!(sort.order.iter().copied().eq(0..n as u32));
    sort
}

/// A sum, and that of the sizes of its terms.
#[derive(Clone, Copy, Debug)]
pub struct Sum<const M: usize> {
    pub value: [f64; M],
    pub size: [f64; M],
}

impl<const M: usize> Sum<M> {
    /// `a + b · other`.
    pub fn plus(self, b: f64, other: Self) -> Self {
        Self {
            value: std::array::from_fn(|m| self.value[m] + b * other.value[m]),
            size: std::array::from_fn(|m| self.size[m] + b.abs() * other.size[m]),
        }
    }

    pub fn times(self, b: f64) -> Self {
        Self { value: self.value.map(|x| b * x), size: self.size.map(|x| b.abs() * x) }
    }

    pub fn of(value: [f64; M]) -> Self {
        Self { value, size: value.map(f64::abs) }
    }

    /// Largest error of each sum, by the order in which it is added.
    pub fn error(&self) -> [f64; M] {
        // No more than 100 neighbors here.
        self.size.map(|size| 4.0 * 100.0 * f64::from(Real::EPSILON) * size)
    }

    /// Fails unless `found` is the sum, but for the order in which it is added.
    #[track_caller]
    pub fn check(&self, found: [Real; M], what: &str, i: usize) {
        for m in 0..M {
            let error = (f64::from(found[m]) - self.value[m]).abs();
            assert!(error <= self.error()[m], "{what} of {i}: {found:?}, not {:?}", self.value);
        }
    }
}

/// Records `[a s]` of vectors and a number.
pub fn packed<const D: usize>(vectors: &Axes<D>, last: &[Real]) -> Field<Packed> {
    let record = |i: usize| {
        let mut record = [0.0; 4];
        record[..D].copy_from_slice(&at(vectors, i));
        record[3] = last[i];
        Packed(record)
    };
    (0..last.len()).map(record).collect()
}
