//! The particles of the fluid in the order of cells, to find those around a point.

use crate::{
    Real,
    fluid::particles::Particles,
    neighbors::{Backend, Cells, Periodic, Run},
    numerics::{lane::each, vector::norm2},
};

/// Particles by cell.
pub struct Sorted<const D: usize> {
    cells: Cells<D>,
    /// Positions, in the order of the cells, `[m]`.
    pub x: Vec<[f64; D]>,
    /// How far [`Sorted::around`] sees, `[m]`.
    reach: f64,
}

impl<const D: usize> Sorted<D> {
    /// Those of the fluid; `reach` is in `[m]`.
    pub fn of(fluid: &Particles<D>, reach: f64, periodic: Periodic<D>) -> Self {
        let mut cells = Cells::new(Backend::HashGrid, reach as Real, periodic);
        let mut order = Vec::new();
        // Hashed cells refuse nothing: without an order there is no particle.
        let _ = cells.sort(&fluid.x, None, &mut order);
        Self { cells, x: order.iter().map(|&i| fluid.position(i as usize).map(f64::from)).collect(), reach }
    }

    /// Shows `visit` the way to each particle that is nearer than the reach, `[m]`, with its squared length, `[m²]`, in a fixed
    /// order; `runs` is scratch.
    pub fn around(&self, at: &[f64; D], runs: &mut Vec<Run<D>>, mut visit: impl FnMut(&[f64; D], f64)) {
        self.cells.runs_around(self.cells.frame.cell(at.map(|x| x as Real)), runs);
        for run in &*runs {
            let from: [f64; D] = each(|a| at[a] - f64::from(run.shift[a]));
            for x in &self.x[run.start..run.end] {
                let d: [f64; D] = each(|a| x[a] - from[a]);
                let r2 = norm2(d);
                if r2 < self.reach * self.reach {
                    visit(&d, r2);
                }
            }
        }
    }
}
