//! The stable sort by cell.

use crate::{ORDERS, axes, bounds, cloud};
use cuda_kernels::{
    common::search::cells::{CellGrid, CellSort},
    device::error::CudaError,
};
use proptest::prelude::*;
use sph_core::{
    Real,
    fluid::strategies,
    neighbors::{Backend, Cells, Periodic},
};

/// The order is the processor's in every order of threads, and cells begin where it changes.
fn check<const D: usize>(x: &[[Real; D]], radius: Real, periodic: Periodic<D>, margin: Real) {
    let (mut low, mut high) = bounds(x);
    for a in (0..D).filter(|&a| !periodic.is_periodic(a)) {
        (low[a], high[a]) = (low[a] - margin, high[a] + 2.0 * margin);
    }
    let grid = CellGrid::new(radius, &periodic, low, high, x.len()).unwrap();
    let (points, mut cells) = (axes(x).map(|x| x.to_vec()), Cells::new(Backend::DenseGrid, radius, periodic));
    let (x, mut order) = (axes(x), Vec::new());
    cells.sort(&points, None, &mut order).unwrap();
    let starts: Vec<u32> = (0..cells.n_occupied()).map(|c| cells.first_point(c) as u32).collect();
    for executor in &ORDERS {
        let mut sort = CellSort::new(executor, grid, order.len()).unwrap();
        // Twice: the buffers hold an earlier sort then.
        for _ in 0..2 {
            sort.sort(executor, &x, order.len()).unwrap();
            assert_eq!(sort.order, order);
            let mut found = sort.start.to_vec();
            assert_eq!((found.pop(), found.pop()), (Some(0), Some(order.len() as u32)));
            let occupied = (0..found.len()).filter(|&c| sort.start[c] < sort.start[c + 1]);
            assert_eq!(occupied.map(|c| found[c]).collect::<Vec<_>>(), starts);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn clouds_sort_as_on_the_processor_2d(x in strategies::cloud::<2>(300, 1.0), margin in 0.0..1.0_f64) {
        check(&x, 0.15, Periodic::NONE, margin as Real);
    }

    #[test]
    fn clouds_sort_as_on_the_processor_3d(x in strategies::cloud::<3>(300, 1.0), margin in 0.0..1.0_f64) {
        check(&x, 0.3, Periodic::NONE, margin as Real);
    }

    #[test]
    fn lattices_sort_as_on_the_processor(x in strategies::jittered_block::<3>(1..=9, 0.1, 0.3)) {
        check(&x, 0.2, Periodic::NONE, 0.0);
    }
}

#[test]
fn many_particles_keep_one_order() {
    check(&cloud::<3>(20_000, 5), 0.1, Periodic::NONE, 0.3);
    check(&cloud::<2>(20_000, 6), 0.02, Periodic::NONE, 0.0);
}

#[test]
fn periodic_axes_count_their_own_cells() {
    check(&cloud::<2>(500, 7), 0.3, Periodic::new([0.0; 2], [1.0, 0.0]), 0.2);
    check(&cloud::<3>(500, 8), 0.13, Periodic::new([0.0; 3], [1.0; 3]), 0.0);
}

#[test]
fn particles_of_one_cell_keep_the_order_they_had() {
    check(&vec![[0.3, 0.3]; 500], 0.1, Periodic::NONE, 0.0);
}

#[test]
fn nothing_and_one_particle_sort() {
    check::<2>(&[], 0.1, Periodic::NONE, 0.0);
    check::<3>(&[], 0.1, Periodic::NONE, 0.0);
    check(&[[0.3, -0.2, 7.0]], 0.1, Periodic::NONE, 0.0);
}

#[test]
fn a_position_that_is_not_a_number_goes_where_it_goes_on_the_processor() {
    let mut x = cloud::<3>(100, 9);
    x[17][1] = Real::NAN;
    x[50][0] = Real::NAN;
    check(&x, 0.2, Periodic::NONE, 0.0);
}

#[test]
fn points_outside_of_the_box_are_kept() {
    let x = axes(&[[0.5, 0.5], [1e30, -1e30], [Real::INFINITY, 0.5], [Real::NEG_INFINITY, Real::NAN]]);
    let grid = CellGrid::new(0.1, &Periodic::NONE, [0.0; 2], [1.0; 2], 4).unwrap();
    for executor in &ORDERS {
        let mut sort = CellSort::new(executor, grid, 4).unwrap();
        sort.sort(executor, &x, 4).unwrap();
        let mut order = sort.order.clone();
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
    }
}

#[test]
fn wide_boxes_and_short_periods_are_refused() {
    let grid = CellGrid::<3>::new(1e-4, &Periodic::NONE, [0.0; 3], [1.0; 3], 1000);
    assert!(matches!(grid, Err(CudaError::TooManyCells(_))), "{grid:?}");
    let grid = CellGrid::<2>::new(0.4, &Periodic::new([0.0; 2], [0.0, 1.0]), [0.0; 2], [1.0; 2], 10);
    assert!(matches!(grid, Err(CudaError::PeriodTooShort { .. })), "{grid:?}");
}

#[test]
fn more_particles_than_room_are_refused() {
    let grid = CellGrid::new(0.1, &Periodic::NONE, [0.0; 2], [1.0; 2], 4).unwrap();
    let mut sort = CellSort::new(&ORDERS[0], grid, 4).unwrap();
    let error = sort.sort(&ORDERS[0], &axes(&[[0.5, 0.5]; 5]), 5).unwrap_err();
    assert!(matches!(error, CudaError::TooShort { field: "order", len: 4, needed: 5, .. }), "{error:?}");
}
