//! Phases are sums over all pairs at the edges of runs, too: nothing, one particle, points in one place.

use super::{Axes, Case, KERNELS, ORDERS, around, at, density, momentum, motion, packed, surface};
use cuda_kernels::{
    common::numerics::fields::Packed,
    device::executor::{Executor, Field},
    wcsph::Launcher,
};
use sph_core::{Real, numerics::lane::each};

impl<const D: usize> Case<D> {
    /// Other points, as many as there are velocities for.
    fn with(self, x: Axes<D>, wall_x: Axes<D>) -> Self {
        let (n, n_walls) = (x[0].len(), wall_x[0].len());
        let cut = |v: Axes<D>, n| v.map(|v| Field::from(&v[..n]));
        let rho = Field::from(&self.rho[..n]);
        Self { v: cut(self.v, n), wall_v: cut(self.wall_v, n_walls), rho, x, wall_x, ..self }
    }

    /// The first points alone.
    fn first(self, n: usize, n_walls: usize) -> Self {
        let cut = |x: &Axes<D>, n: usize| std::array::from_fn(|a| Field::from(&x[a][..n]));
        let (x, wall_x) = (cut(&self.x, n), cut(&self.wall_x, n_walls));
        self.with(x, wall_x)
    }

    /// Every particle twice at its place, and samples at those of the first ones.
    fn coincident(self) -> Self {
        let half = self.n() / 2;
        let x: Axes<D> = std::array::from_fn(|a| self.x[a][..half].iter().flat_map(|&x| [x, x]).collect());
        let n_walls = self.n_walls().min(half);
        let wall_x = std::array::from_fn(|a| Field::from(&self.x[a][..n_walls]));
        self.with(x, wall_x)
    }
}

fn all_phases<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    density::summation(case, executor);
    density::continuity(case, executor);
    density::pressure(case, executor);
    momentum::acceleration(case, executor);
    momentum::reaction(case, executor);
    momentum::extrapolation(case, executor);
    motion::shifting(case, executor);
    surface::forces(case, executor);
    surface::reaction(case, executor);
    gradient_is_a_number(case, executor);
}

/// Where the matrix of a gradient has no inverse, it is what the sum alone says.
fn gradient_is_a_number<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let launcher = Launcher { executor, constants: &case.constants, smoothing: case.smoothing };
    let cells = case.cells(executor, &case.x);
    let place = packed(&case.x, &case.rho);
    let mut extra = field![Packed::default(); case.n()];
    let fluid = around(&cells, &place);
    launcher.gradient(&fluid, case.n(), &mut extra).unwrap();
    for (i, record) in extra.iter().enumerate() {
        let gradient: [Real; D] = each(|a| record.0[a]);
        assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?} at {:?}", at(&case.x, i));
        assert!(case.n() > 1 || gradient == [0.0; D], "one particle has no gradient");
    }
}

fn on_edges<const D: usize>(make: impl Fn(Case<D>) -> Case<D>) {
    for (seed, executor) in ORDERS.iter().enumerate() {
        for &kind in KERNELS {
            for periodic in [false, true] {
                all_phases(&make(Case::new(kind, periodic, seed as u64)), executor);
            }
        }
    }
}

#[test]
fn fluid_without_walls() {
    on_edges::<2>(|case| {
        let n = case.n();
        case.first(n, 0)
    });
    on_edges::<3>(|case| {
        let n = case.n();
        case.first(n, 0)
    });
}

#[test]
fn walls_without_fluid() {
    on_edges::<2>(|case| {
        let n_walls = case.n_walls();
        case.first(0, n_walls)
    });
    on_edges::<3>(|case| {
        let n_walls = case.n_walls();
        case.first(0, n_walls)
    });
}

#[test]
fn nothing_at_all() {
    on_edges::<2>(|case| case.first(0, 0));
    on_edges::<3>(|case| case.first(0, 0));
}

#[test]
fn one_particle() {
    for with_walls in [0, 1] {
        on_edges::<2>(|case| {
            let n_walls = with_walls * case.n_walls();
            case.first(1, n_walls)
        });
        on_edges::<3>(|case| {
            let n_walls = with_walls * case.n_walls();
            case.first(1, n_walls)
        });
    }
}

#[test]
fn points_in_one_place() {
    on_edges::<2>(Case::coincident);
    on_edges::<3>(Case::coincident);
}
