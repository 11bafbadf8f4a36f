//! The kernels of Position Based Fluids against sums over all pairs, on the CPU in several orders of threads.
//!
//! Terms are computed by the same formulas, so that results differ by the order of sums alone: by at most
//! `n ε Σ|terms|`, with a factor of 4 for the few operations around it.

use crate::common::{Axes, H, ORDERS, SPACING, Sum, at, cells, lattice, noise, packed};
use cuda_kernels::{
    common::{
        numerics::{
            fields::Packed,
            kernel::KernelConstants,
            space::{Domain, Forces},
        },
        search::neighbors::{NeighborRows, Query, RowSize, Source},
        surface::Surface,
    },
    device::{
        emulator::formulas::Formulas,
        executor::{Executor, Field},
    },
    pbf::{Constants, Near, Scorr},
};
use sph_core::{
    Real,
    fluid::{material, surface::Tension},
    kernel::{CubicSpline, Formula, Kernel, KernelKind},
    neighbors::Periodic,
    numerics::{lane::each, vector::norm2},
};

mod chain;
mod constraint;
mod motion;
mod reaction;
mod tension;
mod velocity;

const RHO_0: Real = 1000.0;
/// Capacity of a row.
const WIDTH: u32 = 100;

/// Fluid over a wall of two layers, both in disorder and in the order of their cells. Rows are listed where the fluid
/// was before it moved a little.
struct Case<const D: usize> {
    periodic: Periodic<D>,
    listed: Axes<D>,
    x: Axes<D>,
    v: Axes<D>,
    rho: Field<Real>,
    wall_x: Axes<D>,
    psi: Field<Real>,
    constants: Constants<D>,
}

/// Rows of a case.
struct Rows {
    fluid: NeighborRows,
    walls: NeighborRows,
    of_walls: NeighborRows,
}

/// Points of a case.
#[derive(Clone, Copy, PartialEq)]
enum Points {
    Fluid,
    Walls,
}

impl<const D: usize> Case<D> {
    fn new(is_periodic: bool, seed: u64) -> Self {
        let counts: [usize; D] = each(|a| if D == 2 { 12 } else { [8, 5, 4][a] });
        let wall_counts: [usize; D] = each(|a| if a == 1 { 2 } else { counts[a] });
        let length: [Real; D] =
            each(|a| if a == 0 && is_periodic { counts[0] as Real * SPACING } else { 0.0 });
        let periodic = Periodic::new([0.0; D], length);
        let below: [f64; D] = each(|a| if a == 1 { -0.2 } else { 0.0 });
        let fluid = lattice(counts, [0.0; D], &periodic, seed);
        Self::of(periodic, fluid, lattice(wall_counts, below, &periodic, seed + 1), seed)
    }

    /// Fluid and walls in the order of their cells.
    fn of(periodic: Periodic<D>, listed: Axes<D>, wall_x: Axes<D>, seed: u64) -> Self {
        let (n, n_walls) = (listed[0].len(), wall_x[0].len());
        let around = |n, seed, mean: Real, part: Real| -> Field<Real> {
            noise(n, seed).iter().map(|u| mean * (1.0 + part * u)).collect()
        };
        let constants = constants(&periodic);
        let moved = |a: usize| {
            let step = noise(n, seed + 12 + a as u64);
            listed[a].iter().zip(&step).map(|(x, u)| x + 0.2 * SPACING * u).collect()
        };
        Self {
            x: std::array::from_fn(moved),
            v: std::array::from_fn(|a| noise(n, seed + 2 + a as u64)),
            rho: around(n, seed + 9, RHO_0, 0.05),
            psi: around(n_walls, seed + 11, constants.m, 0.1),
            constants,
            periodic,
            listed,
            wall_x,
        }
    }

    fn n(&self) -> usize {
        self.x[0].len()
    }

    fn n_walls(&self) -> usize {
        self.wall_x[0].len()
    }

    fn rows(&self, executor: &dyn Executor) -> Rows {
        let points = [&self.listed, &self.wall_x];
        let sorted = points.map(|x| cells(executor, &self.periodic, x));
        let records = points.map(|x| packed(x, &field![0.0; x[0].len()]));
        let list = |query: usize, from: usize| {
            let source = Source { cells: &sorted[from], records: &records[from] };
            let n = records[query].len();
            let mut rows = NeighborRows::new(executor, n, RowSize::of(WIDTH)).unwrap();
            let query = Query { radius: H, records: &records[query], n, same: query == from };
            rows.list(executor, &query, &source).unwrap();
            rows
        };
        Rows { fluid: list(0, 0), walls: list(0, 1), of_walls: list(1, 0) }
    }

    /// `[x y z psi]`.
    fn x_psi(&self) -> Field<Packed> {
        packed(&self.wall_x, &self.psi)
    }

    /// `[x y z ·]`.
    fn x_star(&self) -> Field<Packed> {
        packed(&self.x, &field![0.0; self.n()])
    }

    /// Positions at which points were listed, and those of now.
    fn positions(&self, points: Points) -> [&Axes<D>; 2] {
        match points {
            Points::Fluid => [&self.listed, &self.x],
            Points::Walls => [&self.wall_x, &self.wall_x],
        }
    }

    /// `Σ_j term(j, x_ij, r²)` over all points of `from` that were in reach of point `i` of `of`, and `Σ_j |term|`, in
    /// f64.
    fn sum<const M: usize>(
        &self,
        (of, i): (Points, usize),
        from: Points,
        term: impl Fn(usize, [Real; D], Real) -> [Real; M],
    ) -> Sum<M> {
        let mut sum = Sum { value: [0.0; M], size: [0.0; M] };
        let ([listed_i, x_i], [listed_j, x_j]) = (self.positions(of).map(|x| at(x, i)), self.positions(from));
        for j in (0..x_j[0].len()).filter(|j| of != from || *j != i) {
            let before = self.periodic.nearest(each(|a| listed_i[a] - listed_j[a][j]));
            if norm2(before) >= H * H {
                continue;
            }
            let x_ij = self.periodic.nearest(each(|a| x_i[a] - x_j[a][j]));
            for (m, t) in term(j, x_ij, norm2(x_ij)).into_iter().enumerate() {
                sum.value[m] += f64::from(t);
                sum.size[m] += f64::from(t).abs();
            }
        }
        sum
    }
}

impl Rows {
    fn near<'a>(&'a self, x_psi: &'a Field<Packed>) -> Near<'a> {
        Near { fluid: &self.fluid, walls: &self.walls, x_psi }
    }
}

fn constants<const D: usize>(periodic: &Periodic<D>) -> Constants<D> {
    let domain = material::Domain { low: [-1.0; D], high: [2.0; D], periodic: *periodic };
    let kernel = kernel::<D>();
    Constants {
        kernel: KernelConstants::new::<D>(KernelKind::CubicSpline, H),
        domain: Domain::from(&domain),
        forces: Forces::from(&forces()),
        surface: Surface::new::<D>(H, Tension::default()),
        scorr: Scorr { k: 1e-4, inv_w_dq: 1.0 / kernel.w(0.04 * H * H) },
        m: 1.03 * RHO_0 * SPACING.powi(D as i32),
        rho_0: RHO_0,
        epsilon: 5.0,
        relaxation: 1.2,
        xsph: 0.1,
        unilateral: 1,
        walls_in_denominator: 0,
        averages: 0,
    }
}

fn forces<const D: usize>() -> material::Forces<D> {
    let gravity: [Real; D] = each(|a| if a == 1 { -9.81 } else { 0.0 });
    material::Forces { gravity, central: Some(([0.5; D], 0.7)), damping: None }
}

fn kernel<const D: usize>() -> CubicSpline<D> {
    <CubicSpline<D> as Formula<D>>::new(H)
}

/// Runs a test in two and three dimensions, with open and periodic axes, for three orders of threads.
fn in_all_cases(two: impl Fn(&mut Case<2>, &dyn Executor), three: impl Fn(&mut Case<3>, &dyn Executor)) {
    for (seed, executor) in ORDERS.iter().enumerate() {
        for periodic in [false, true] {
            two(&mut Case::new(periodic, 20 * seed as u64), executor);
            three(&mut Case::new(periodic, 20 * seed as u64), executor);
        }
    }
}

/// The first D of three numbers.
fn three<const D: usize>(of: impl Fn(usize) -> Real) -> [Real; 3] {
    std::array::from_fn(|a| if a < D { of(a) } else { 0.0 })
}

fn call<const D: usize>(function: &str, input: &[Real]) -> Vec<Real> {
    Formulas::Pbf.call::<D>(function, input).unwrap()
}

/// 1 where `a` is not 0, else 0.
fn is_nonzero(a: Real) -> Real {
    call::<2>("is_nonzero", &[a])[0]
}
