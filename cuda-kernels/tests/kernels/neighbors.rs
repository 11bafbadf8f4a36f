//! Neighbor rows.

use crate::{ORDERS, axes, bounds, cloud, fields_of};
use cuda_kernels::{
    common::{
        numerics::fields::{self, Packed},
        search::{
            cells::{CellGrid, CellSort},
            neighbors::{NeighborRows, Query, RowSize, Source},
        },
    },
    device::executor::{Executor, Field},
};
use proptest::prelude::*;
use sph_core::{
    Real,
    fluid::strategies,
    neighbors::{Backend, Cells, NeighborLists, PAD, PerThread, Periodic, Search},
    numerics::lane::Isa,
};

/// What is searched, and how.
struct Case<const D: usize> {
    fluid: Vec<[Real; D]>,
    walls: Vec<[Real; D]>,
    radius: Real,
    periodic: Periodic<D>,
}

type Rows = Vec<Vec<u32>>;

/// Points in the order of their cells.
struct Sorted<const D: usize> {
    cells: Cells<D>,
    x: [Vec<Real>; D],
}

impl<const D: usize> Case<D> {
    /// Points in the order of the processor.
    fn sort(&self, x: &[[Real; D]]) -> Sorted<D> {
        let mut cells = Cells::new(Backend::DenseGrid, self.radius, self.periodic);
        let mut order = Vec::new();
        let x = axes(x).map(|x| x.to_vec());
        cells.sort(&x, None, &mut order).unwrap();
        let x = x.map(|x| order.iter().map(|&i| x[i as usize]).collect());
        Sorted { cells, x }
    }

    /// The rows of the processor.
    fn expected(&self, query: &Sorted<D>, from: &Sorted<D>, same: bool) -> Rows {
        let n = query.x[0].len();
        let iota: Vec<u32> = (0..(n.max(from.x[0].len()) + PAD) as u32).collect();
        let mut per_thread = PerThread::new();
        per_thread.resize_with(rayon::current_num_threads(), Default::default);
        let mut lists = NeighborLists::default();
        Search {
            query: &query.cells,
            query_x: &query.x,
            from: &from.cells,
            from_x: &from.x,
            iota: &iota,
            same,
            radius: self.radius,
            periodic: self.periodic,
            share: None,
        }
        .build(Isa::best(), Backend::DenseGrid, &per_thread, &mut lists);
        (0..n).map(|i| lists.neighbors(i).map(|j| j as u32).collect()).collect()
    }

    /// Cells, sorted, and records by kernels. The points are already in order, and stay in it.
    fn prepare(&self, executor: &dyn Executor, x: &[Field<Real>; D]) -> (CellSort<D>, Field<Packed>) {
        let n = x[0].len();
        let points: Vec<[Real; D]> = (0..n).map(|i| std::array::from_fn(|a| x[a][i])).collect();
        let (low, high) = bounds(&points);
        let grid = CellGrid::new(self.radius, &self.periodic, low, high, n).unwrap();
        let mut sort = CellSort::new(executor, grid, n).unwrap();
        sort.sort(executor, x, n).unwrap();
        assert!(sort.order.iter().copied().eq(0..n as u32));
        let mut records = field![Packed::default(); n];
        fields::pack_positions(executor, x, n, &mut records).unwrap();
        (sort, records)
    }

    /// Kernels list the same rows as the processor: of fluid in fluid, of fluid in walls, of walls in fluid.
    fn check(&self) {
        let (fluid, walls) = (self.sort(&self.fluid), self.sort(&self.walls));
        let expected = [
            self.expected(&fluid, &fluid, true),
            self.expected(&fluid, &walls, false),
            self.expected(&walls, &fluid, false),
        ];
        let width = expected.iter().flatten().map(Vec::len).max().unwrap_or(0) as u32;
        for executor in &ORDERS {
            let (fluid_cells, fluid_records) = self.prepare(executor, &fields_of(&fluid.x));
            let (wall_cells, wall_records) = self.prepare(executor, &fields_of(&walls.x));
            let of_fluid = Source { cells: &fluid_cells, records: &fluid_records };
            let of_walls = Source { cells: &wall_cells, records: &wall_records };
            let searches = [
                (&fluid_records, &of_fluid, true),
                (&fluid_records, &of_walls, false),
                (&wall_records, &of_fluid, false),
            ];
            for ((query, from, same), expected) in searches.into_iter().zip(&expected) {
                let mut rows = NeighborRows::new(executor, query.len(), RowSize::of(width)).unwrap();
                let query = Query { radius: self.radius, records: query, n: query.len(), same };
                rows.list(executor, &query, from).unwrap();
                assert_eq!(&rows.download(executor, query.n).unwrap(), expected);
            }
        }
    }
}

fn check<const D: usize>(fluid: Vec<[Real; D]>, walls: Vec<[Real; D]>, radius: Real, periodic: Periodic<D>) {
    Case { fluid, walls, radius, periodic }.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn rows_of_lattices_are_those_of_the_processor_2d(
        x in strategies::jittered_block::<2>(1..=14, 0.1, 0.3), eta in 1.1..3.5_f64
    ) {
        check(x, vec![], (0.1 * eta) as Real, Periodic::NONE);
    }

    #[test]
    fn rows_of_lattices_are_those_of_the_processor_3d(
        x in strategies::jittered_block::<3>(1..=8, 0.1, 0.3), eta in 1.1..2.6_f64
    ) {
        check(x, vec![], (0.1 * eta) as Real, Periodic::NONE);
    }

    #[test]
    fn rows_of_clouds_and_walls_are_those_of_the_processor_2d(
        x in strategies::cloud::<2>(200, 1.0), walls in strategies::cloud::<2>(200, 1.5)
    ) {
        check(x, walls, 0.25, Periodic::NONE);
    }

    #[test]
    fn rows_of_clouds_and_walls_are_those_of_the_processor_3d(
        x in strategies::cloud::<3>(200, 1.0), walls in strategies::cloud::<3>(200, 1.5)
    ) {
        check(x, walls, 0.4, Periodic::NONE);
    }
}

#[test]
fn many_particles_have_the_rows_of_the_processor() {
    check(cloud::<3>(6000, 21), cloud::<3>(2000, 22), 0.08, Periodic::NONE);
    check(cloud::<2>(6000, 23), cloud::<2>(2000, 24), 0.03, Periodic::NONE);
}

#[test]
fn periodic_axes_bring_the_other_end_near() {
    // Three cells an axis, the fewest, and many; one axis, and all.
    for radius in [0.33, 0.2, 0.06] {
        check(cloud::<2>(700, 25), cloud::<2>(300, 26), radius, Periodic::new([0.0; 2], [1.0; 2]));
        check(cloud::<2>(700, 27), cloud::<2>(300, 28), radius, Periodic::new([0.0; 2], [1.0, 0.0]));
        check(cloud::<2>(700, 29), vec![], radius, Periodic::new([0.0; 2], [0.0, 1.0]));
        check(cloud::<3>(700, 30), cloud::<3>(300, 31), radius, Periodic::new([0.0; 3], [1.0; 3]));
        check(cloud::<3>(700, 32), cloud::<3>(300, 33), radius, Periodic::new([0.0; 3], [1.0, 0.0, 1.0]));
    }
}

#[test]
fn particles_on_both_ends_of_a_period_are_neighbors() {
    let periodic = Periodic::new([-2.0, 0.0], [4.0, 0.0]);
    let end = (2.0 as Real).next_down();
    let x = vec![[-2.0, 0.5], [end, 0.5], [-1.9, 0.55], [1.8, 0.4], [0.0, 0.5]];
    check(x.clone(), x, 0.4, periodic);
}

#[test]
fn empty_sets_one_particle_and_coincident_ones_have_their_rows() {
    check::<2>(vec![], vec![], 0.1, Periodic::NONE);
    check::<3>(vec![], vec![[0.1; 3]], 0.1, Periodic::NONE);
    check::<3>(vec![[0.1; 3]], vec![], 0.1, Periodic::NONE);
    check::<2>(vec![[0.1; 2]], vec![[0.1; 2]], 0.1, Periodic::NONE);
    check::<3>(vec![[0.25; 3]; 150], vec![[0.25; 3]; 10], 0.1, Periodic::NONE);
    check::<2>(vec![[0.25; 2]; 150], vec![[0.3; 2]; 10], 0.1, Periodic::new([0.0; 2], [1.0; 2]));
}

#[test]
fn distant_walls_and_fluid_have_empty_rows() {
    let far: Vec<[Real; 3]> = cloud::<3>(50, 34).into_iter().map(|x| x.map(|x| x + 40.0)).collect();
    check(cloud::<3>(50, 35), far, 0.3, Periodic::NONE);
}

#[test]
fn pairs_at_the_radius_are_decided_as_on_the_processor() {
    // Lattices whose spacing divides the radius: rounding decides.
    for spacing in [0.1, 0.05, 0.3, 1.0 / 3.0] {
        let block: Vec<[Real; 3]> =
            (0..216).map(|k| [k % 6, k / 6 % 6, k / 36].map(|c| (c as f64 * spacing) as Real)).collect();
        for layers in [1.0, 2.0] {
            check(block.clone(), block.clone(), (layers * spacing) as Real, Periodic::NONE);
        }
    }
}

/// Neighbors of each point by kernels, in rising order, when cells reach from `low` to `high` only.
fn found_from<const D: usize>(case: &Case<D>, low: [Real; D], high: [Real; D]) -> Rows {
    let (executor, n) = (&ORDERS[1], case.fluid.len());
    let x = axes(&case.fluid);
    let grid = CellGrid::new(case.radius, &case.periodic, low, high, n).unwrap();
    let mut sort = CellSort::new(executor, grid, n).unwrap();
    sort.sort(executor, &x, n).unwrap();
    let order = sort.order.clone();
    let x = x.map(|x| order.iter().map(|&i| x[i as usize]).collect());
    let mut records = field![Packed::default(); n];
    fields::pack_positions(executor, &x, n, &mut records).unwrap();
    let mut rows = NeighborRows::new(executor, n, RowSize::of(n as u32)).unwrap();
    let query = Query { radius: case.radius, records: &records, n, same: true };
    rows.list(executor, &query, &Source { cells: &sort, records: &records }).unwrap();
    let mut found = vec![vec![]; n];
    for (k, row) in rows.download(executor, n).unwrap().iter().enumerate() {
        found[order[k] as usize] = row.iter().map(|&j| order[j as usize]).collect();
        found[order[k] as usize].sort_unstable();
    }
    found
}

#[test]
fn points_outside_of_the_cells_keep_their_neighbors() {
    fn check<const D: usize>(seed: u64, radius: f64, periodic: Periodic<D>) {
        let case = Case { fluid: cloud::<D>(400, seed), walls: vec![], radius: radius as Real, periodic };
        let (low, high) = bounds(&case.fluid);
        let whole = found_from(&case, low, high);
        assert!(whole.iter().map(Vec::len).sum::<usize>() > 400);
        // The middle, a corner, beside all points.
        for (low, high) in [(0.4, 0.6), (0.0, 0.3), (7.0, 8.0), (-3.0, -2.5)] {
            assert_eq!(found_from(&case, [low as Real; D], [high as Real; D]), whole);
        }
    }
    check::<2>(36, 0.11, Periodic::NONE);
    check::<3>(37, 0.21, Periodic::NONE);
    check::<3>(38, 0.21, Periodic::new([0.0; 3], [0.0, 1.0, 0.0]));
}

/// A crowd of `crowd` points in the middle of a loose cloud, and how much memory its rows have in the end.
fn crowded<const D: usize>(n: usize, crowd: usize, width: u32) -> (Vec<RowSize>, Rows) {
    let mut fluid = cloud::<D>(n, 39);
    fluid.extend(vec![[0.5; D]; crowd]);
    let case = Case { fluid, walls: vec![], radius: 0.04, periodic: Periodic::NONE };
    let fluid = case.sort(&case.fluid);
    let expected = case.expected(&fluid, &fluid, true);
    let sizes = ORDERS.iter().map(|executor| {
        let (cells, records) = case.prepare(executor, &fields_of(&fluid.x));
        let from = Source { cells: &cells, records: &records };
        let query = Query { radius: case.radius, records: &records, n: n + crowd, same: true };
        let mut rows = NeighborRows::new(executor, n + crowd, RowSize::of(width)).unwrap();
        // Twice: places of an earlier list do not matter.
        for _ in 0..2 {
            rows.list(executor, &query, &from).unwrap();
            assert_eq!(rows.download(executor, n + crowd).unwrap(), expected);
        }
        assert_eq!(rows.rows.len(), rows.size().entries(n + crowd));
        rows.size()
    });
    (sizes.collect(), expected)
}

#[test]
fn rows_longer_than_their_width_are_whole_in_lines_of_their_own() {
    // One crowd fits into the pool that there is: no row becomes wider.
    let (sizes, rows) = crowded::<2>(2000, 120, 24);
    let longest = rows.iter().map(Vec::len).max().unwrap();
    assert!(longest > 5 * 24 && rows.iter().filter(|row| row.len() <= 24).count() > 1700, "{longest}");
    assert!(sizes.iter().all(|&size| size == RowSize::of(24)), "{sizes:?}");
    // A larger one needs a larger pool.
    let (sizes, _) = crowded::<3>(20_000, 250, 16);
    assert!(sizes.iter().all(|size| size.width == 16 && size.pool > 2048), "{sizes:?}");
    // Where most rows are long, all become wider.
    let (sizes, _) = crowded::<2>(12_000, 0, 8);
    assert!(sizes.iter().all(|size| size.width > 8), "{sizes:?}");
}
