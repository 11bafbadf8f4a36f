//! The box of cells of a run follows its content.

use crate::{ORDERS, cloud};
use cuda_kernels::{
    common::{
        numerics::reduce::{NONE, Reduce},
        run::{
            cell_box::{CellBoxFit, Content, Frame},
            resident::{Fluid, Samples},
            summary::Summary,
        },
        search::cells::CellGrid,
    },
    device::executor::Executor,
};
use sph_core::{
    Real,
    fluid::{material::Domain, particles::Particles},
    neighbors::Periodic,
    run::method::CellBox,
};

const RADIUS: Real = 0.05;
/// Cells that there may be for few particles.
const FEW_CELLS: usize = 1 << 16;

/// A run that has begun with a box around the unit cube.
struct Run<const D: usize> {
    executor: &'static dyn Executor,
    fluid: Fluid<D>,
    walls: Samples<D>,
    cells: CellBox<D>,
}

impl<const D: usize> Run<D> {
    fn new(executor: &'static dyn Executor, x: &[[Real; D]]) -> Self {
        let mut fluid = Particles::default();
        x.iter().enumerate().for_each(|(i, &x)| fluid.push(i as u64, x, [0.0; D], 1.0));
        let grid = CellGrid::new(RADIUS, &Periodic::NONE, [0.0; D], [1.0; D], x.len()).unwrap();
        let mut on_device = Fluid::new(executor, grid, x.len()).unwrap();
        on_device.write(executor, &fluid).unwrap();
        let mut run = Self {
            executor,
            fluid: on_device,
            walls: Samples::new(executor, grid, 0).unwrap(),
            cells: CellBox::default(),
        };
        run.sort();
        run
    }

    /// Sorts, and returns how many points are outside.
    fn sort(&mut self) -> u64 {
        self.fluid.sort(self.executor, &mut []).unwrap();
        self.fluid.cells.start.last().copied().unwrap().into()
    }

    /// What a step that found so many points outside does to the box.
    fn follow(&mut self, outside: u64) -> bool {
        let none = u64::from(NONE);
        let summary = Summary { outside, bad: none, lost: none, ..Summary::default() };
        let domain = Domain { low: [-1e7; D], high: [1e7; D], periodic: Periodic::NONE };
        let mut reduce = Reduce::new(self.executor).unwrap();
        let content = Content { fluid: &mut self.fluid, walls: &mut self.walls, reduce: &mut reduce };
        let frame = Frame { radius: RADIUS, domain: &domain };
        CellBoxFit(&mut self.cells).follow(self.executor, frame, content, &summary).unwrap()
    }
}

#[test]
fn a_box_that_was_left_is_fitted_once() {
    fn check<const D: usize>() {
        for executor in &ORDERS {
            let mut run = Run::new(executor, &cloud::<D>(3000, 50));
            assert!(!run.follow(0) && !run.follow(128));
            run.fluid.x[0].iter_mut().for_each(|x| *x += 40.0);
            let outside = run.sort();
            assert_eq!(outside, 3000);
            assert!(run.follow(outside));
            assert_eq!(run.sort(), 0);
            assert!(!run.follow(0));
        }
    }
    check::<2>();
    check::<3>();
}

/// A cube of fluid in a spray that no box of cells could hold.
#[test]
fn a_box_that_cannot_hold_all_holds_most_and_is_not_fitted_in_vain() {
    fn check<const D: usize>() {
        let mut x = cloud::<D>(20_000, 51);
        let spray = cloud::<D>(400, 52).into_iter().enumerate();
        x.extend(spray.map(|(k, x)| x.map(|x| (x - 0.5) * 10.0 * (1.0 + k as Real).powi(2))));
        let mut found = Vec::new();
        for executor in &ORDERS {
            let mut run = Run::new(executor, &x);
            assert!(run.follow(400));
            let left = run.sort();
            assert!((1..=400).contains(&left), "{left} outside");
            assert!(run.fluid.cells.grid().n_cells() <= FEW_CELLS);
            assert!(!run.follow(left) && !run.follow(left + 100) && run.follow(left + 200));
            found.push((*run.fluid.cells.grid(), run.cells, left));
        }
        assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
    }
    check::<2>();
    check::<3>();
}

#[test]
fn a_failed_step_moves_no_box() {
    let mut run = Run::new(&ORDERS[0], &cloud::<2>(1000, 53));
    let grid = *run.fluid.cells.grid();
    run.fluid.x[0].fill(Real::NAN);
    let domain = Domain { low: [-1e7; 2], high: [1e7; 2], periodic: Periodic::NONE };
    let summary = Summary { outside: 1000, bad: 0, lost: u64::from(NONE), ..Summary::default() };
    let mut reduce = Reduce::new(run.executor).unwrap();
    let content = Content { fluid: &mut run.fluid, walls: &mut run.walls, reduce: &mut reduce };
    let frame = Frame { radius: RADIUS, domain: &domain };
    assert!(!CellBoxFit(&mut run.cells).follow(run.executor, frame, content, &summary).unwrap());
    assert_eq!(*run.fluid.cells.grid(), grid);
}
