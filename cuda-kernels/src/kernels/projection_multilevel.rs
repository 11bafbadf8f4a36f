//! The preconditioner of the staggered projection that reaches across the fluid at once: launchers of
//! `kernels/projection_multilevel.cu`.
//!
//! Large levels have a kernel for each part of the cycle. The small ones, of which each would be done before the next
//! kernel could start, are done by one block in one kernel.

use super::{
    projection_cg::Work,
    projection_levels::{Level, Levels},
};
use crate::{
    error::CudaError,
    executor::{Argument, Executor, Field, Kernel, Launch, arguments, count},
    reduce::start,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_multilevel.cu", name: $name };)+
    };
}
kernels! {
    GATHER = "projection_gather_level", RELAX = "projection_relax_level", LEAVE = "projection_leave_level",
    RESTRICT = "projection_restrict_level", CORRECT = "projection_correct_level", CYCLE = "projection_cycle_levels",
    SPREAD = "projection_spread_level",
}

/// Sweeps before and after the coarser levels. Twin of `SWEEPS` in kernels/projection_multilevel.cu, as the next ones.
const SWEEPS: u32 = 2;
/// Sweeps at the coarsest level.
const COARSEST: u32 = 8;
/// Threads of the block that has all small levels.
const TOGETHER: u32 = 512;
/// Cells of a level that is small: two for each of its threads.
const SMALL: u32 = 2 * TOGETHER;

/// A solution begins in `q`, and what is to be improved stands in `z`.
const FROM_Q: u32 = 0;
const FROM_Z: u32 = 1;

impl<const D: usize> Levels<D> {
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
        slot: u32,
        work: &mut Work,
    ) -> Result<(), CudaError> {
        SPREAD.expect("diagonal", diagonal.len(), n)?;
        SPREAD.expect("r", r.len(), n)?;
        SPREAD.expect("z", z.len(), n)?;
        SPREAD.expect("cells of particles", self.of.len(), n)?;
        let (r, diagonal, n_items) = (executor.input(r), executor.input(diagonal), count(n)?);
        if let Some(&level) = self.in_use.first() {
            let cells = self.fields(executor);
            // SAFETY: cells hold the first n particles, as of `build`.
            unsafe { self.start(executor, GATHER, level, arguments![level, cells, r])? };
            self.cycle(executor)?;
        }
        let (cells, of, z) = (self.fields(executor), executor.input(&self.of), executor.output(z));
        let partial = work.partial(executor);
        start(executor, SPREAD, D, n, arguments![cells, of, diagonal, r, n_items, z, partial])?;
        work.merge_products(executor, D, n, slot)
    }

    /// The cycle over all levels, of which the first has its right side and its first sweep.
    fn cycle(&mut self, executor: &dyn Executor) -> Result<(), CudaError> {
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
            // SAFETY: as of `relax`.
            unsafe { self.start(executor, CORRECT, level, arguments![level, cells])? };
            self.relax(executor, l, SWEEPS, FROM_Z)?;
        }
        Ok(())
    }

    /// # Safety
    /// As of [`Executor::launch`], for one thread for each cell of the level.
    unsafe fn start(
        &self,
        executor: &dyn Executor,
        kernel: Kernel,
        level: Level<D>,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { executor.launch(kernel.for_each(D, level.n as usize)?, arguments) }
    }

    /// A number of sweeps over level `l`; each goes from one of two arrays to the other.
    fn relax(&mut self, executor: &dyn Executor, l: usize, times: u32, from: u32) -> Result<(), CudaError> {
        let (level, cells) = (self.in_use[l], self.fields(executor));
        for k in 0..times {
            let back = (from + k) % 2;
            // SAFETY: the fields have room for the cells of all levels, whose rows name cells of the same level.
            unsafe { self.start(executor, RELAX, level, arguments![level, cells, back])? };
        }
        Ok(())
    }

    /// What level `l` has left goes to the next one, and begins there.
    fn descend(&mut self, executor: &dyn Executor, l: usize) -> Result<(), CudaError> {
        let (fine, coarse, cells) = (self.in_use[l], self.in_use[l + 1], self.fields(executor));
        // SAFETY: as of `relax`; cells of the coarser level have their members in the finer one.
        unsafe {
            self.start(executor, LEAVE, fine, arguments![@level fine, cells])?;
            self.start(executor, RESTRICT, coarse, arguments![fine, coarse, cells])
        }
    }

    /// The cycle over the levels from `l` on, by one block.
    fn cycle_small(&mut self, executor: &dyn Executor, l: usize) -> Result<(), CudaError> {
        let (fine, n_levels, cells) = (count(l)?, count(self.in_use.len())?, self.fields(executor));
        let (boxes, ends) = (executor.input(&self.boxes_there), executor.input(&self.ends));
        let launch = Launch { kernel: CYCLE, dim: D, smoothing: None, blocks: 1, threads: TOGETHER };
        // SAFETY: as of `descend`, for all levels in use.
        unsafe { executor.launch(launch, arguments![boxes, ends, fine, n_levels, cells]) }
    }
}
