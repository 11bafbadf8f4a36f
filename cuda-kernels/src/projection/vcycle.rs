//! The multigrid preconditioner of the staggered projection.
//!
//! Large levels have a kernel for each part of the cycle. The small ones, of which each would be done before the next
//! kernel could start, are done by one block in one kernel.

use crate::{
    device::{
        executor::{Executor, Field},
        launch::Launched,
    },
    projection::{Numbers, aggregation::Multigrid},
};
use sph_core::Real;

crate::device::launch::generated!("projection_vcycle.rs");

/// Cells of a level that is small: two for each of its threads.
const SMALL: u32 = 2 * TOGETHER;

/// A solution begins in `q`, and what is to be improved stands in `z`.
const FROM_Q: u32 = 0;
const FROM_Z: u32 = 1;

impl<const D: usize> Multigrid<D> {
    /// `z ← (D⁻¹ + P B Pᵀ) r` of the first `n` particles, with the diagonal D of the particles, P that hands the number
    /// of a cell to its particles, and the cycle B over the levels; `r·z` into a slot.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn precondition(
        &mut self,
        executor: &dyn Executor,
        diagonal: &Field<Real>,
        r: &Field<Real>,
        n: usize,
        z: &mut Field<Real>,
        partial: &mut Field<f64>,
        slot: u32,
        numbers: &mut Field<Numbers>,
    ) -> Launched {
        if let Some(&level) = self.in_use.first() {
            let cells = self.fields(executor);
            restrict_particles(executor, level, cells, r, n)?;
            self.cycle(executor)?;
        }
        let cells = self.fields(executor);
        prolong_particles::<D>(executor, cells, &self.of, diagonal, r, n, z, partial, slot, numbers)
    }

    /// The cycle over all levels, of which the first has its right-hand side and its first sweep.
    fn cycle(&mut self, executor: &dyn Executor) -> Launched {
        let last = self.in_use.len() - 1;
        let large = self.in_use.iter().take_while(|level| level.n > SMALL).count();
        for l in 0..large.min(last) {
            self.relax(executor, l, SWEEPS - 1, FROM_Q)?;
            self.descend(executor, l)?;
        }
        if large > last {
            self.relax(executor, last, COARSEST - 1, FROM_Q)?;
        } else {
            self.cycle_small(executor, large)?;
        }
        for l in (0..large.min(last)).rev() {
            let (level, cells) = (self.in_use[l], self.fields(executor));
            prolong_level(executor, level, cells)?;
            self.relax(executor, l, SWEEPS, FROM_Z)?;
        }
        Ok(())
    }

    /// A number of sweeps over level `l`; each goes from one of two arrays to the other.
    fn relax(&mut self, executor: &dyn Executor, l: usize, times: u32, from: u32) -> Launched {
        let (level, cells) = (self.in_use[l], self.fields(executor));
        for k in 0..times {
            let back = (from + k) % 2;
            relax_level(executor, level, cells, back)?;
        }
        Ok(())
    }

    /// Restricts the residual of level `l` to the next one, and begins there.
    fn descend(&mut self, executor: &dyn Executor, l: usize) -> Launched {
        let (fine, coarse, cells) = (self.in_use[l], self.in_use[l + 1], self.fields(executor));
        residual_level(executor, fine, cells)?;
        restrict_level(executor, fine, coarse, cells)
    }

    /// The cycle over the levels from `l` on, by one block.
    fn cycle_small(&mut self, executor: &dyn Executor, l: usize) -> Launched {
        let (n_levels, cells) = (self.in_use.len(), self.fields(executor));
        cycle_levels(executor, &self.boxes_there, &self.ends, l as u32, n_levels, cells)
    }
}
