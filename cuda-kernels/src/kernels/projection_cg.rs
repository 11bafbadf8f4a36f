//! The linear equation of the staggered projection: launchers of `kernels/projection_cg.cu`.
//!
//! Numbers that the iteration computes stay on the card: `r·z` in one of two slots, all others in [`Numbers`], which
//! the host reads now and then. Sums are in `f64` and in an order that depends on the number of particles alone.

use super::{
    launch::{Launched, Launches},
    projection::Launcher,
};
use crate::{
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Launch, Out, arguments, count, plain},
    neighbors::{NeighborRows, StoredRows},
    reduce::{PARTIALS, Passes, start},
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_cg.cu", name: $name };)+
    };
}
kernels! {
    RESIDUAL = "projection_residual", MERGE_RESIDUAL = "projection_merge_residual", PRODUCT = "projection_product",
    MERGE_PRODUCT = "projection_merge_product", PRECONDITION = "projection_precondition",
    MERGE_PRECONDITION = "projection_merge_precondition", ADVANCE = "projection_advance",
    MERGE_ADVANCE = "projection_merge_advance", MULTIPLY = "projection_multiply", SHRINK = "projection_shrink", TURN = "projection_turn", RELAX = "projection_relax",
    CENTER = "projection_center", DEPTH = "projection_depth", LIFT = "projection_lift", ACT = "projection_act",
}
const MERGE_MAXIMA: Kernel = Kernel { file: "reduce.cu", name: "merge_maxima" };

/// Twin of `REDUCE_THREADS` in reduce.cuh.
const REDUCE_THREADS: u32 = 256;

/// Iterations between two looks: [`Numbers`] remembers as many. Twin of `LOOK` in kernels/projection_cg.cu.
pub const LOOK: usize = 8;

/// Numbers of the iteration. Twin of `Numbers` in kernels/projection_cg.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Numbers {
    /// `r·z` before and after the last iteration, in turns.
    pub rho: [f64; 2],
    /// `d·q`.
    pub sigma: f64,
    /// `Σ A_ii d_i²`.
    pub size: f64,
    /// `‖r‖²`.
    pub r2: f64,
    /// `‖b‖²`.
    pub b2: f64,
    /// 0 while the iteration goes on, 1 where `d·q` was nothing but rounding, 2 where it was negative or none.
    pub status: f64,
    /// Iterations so far.
    pub done: f64,
    /// `‖r‖²` after iteration `k` at `k % LOOK`.
    pub history: [f64; LOOK],
}

/// Two sums. Twin of `Two` in kernels/projection_cg.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Two([f64; 2]);
plain!(Numbers, Two);

/// Twin of `Matrix` in kernels/projection_cg.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct MatrixRows {
    rows: StoredRows,
    entries: In<Real>,
    diagonal: In<Real>,
    scale: Real,
}

/// The matrix `A_ij = −scale c_ij`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// Rows of the fluid, of `n` particles.
    pub rows: &'a NeighborRows,
    /// Entries c, in the layout of the rows.
    pub entries: &'a Field<Real>,
    /// Diagonal of A. Shape `[n]`.
    pub diagonal: &'a Field<Real>,
    /// What entries are multiplied by.
    pub scale: Real,
}

/// Room for the numbers of an iteration.
#[derive(Debug)]
pub struct Work {
    numbers: Field<Numbers>,
    pairs: Field<Two>,
    partial: Field<f64>,
    /// The largest of what was asked for last. Shape `[1]`.
    largest: Field<f64>,
}

impl Work {
    /// Room for one iteration after the other.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self {
            numbers: executor.zeros(1)?,
            pairs: executor.zeros(PARTIALS)?,
            partial: executor.zeros(PARTIALS)?,
            largest: executor.zeros(1)?,
        })
    }

    /// The numbers so far, after all work before.
    ///
    /// # Errors
    /// When the copy, or a kernel before it, fails.
    pub fn read(&self, executor: &dyn Executor) -> Result<Numbers, CudaError> {
        let mut numbers = [Numbers::default()];
        executor.read(&self.numbers, &mut numbers)?;
        Ok(numbers[0])
    }

    /// Where the first pass of a sum of products leaves what its blocks have.
    pub(super) fn partial(&mut self, executor: &dyn Executor) -> Out<f64> {
        executor.output(&mut self.partial)
    }

    /// `r·z` into a slot, from what the first pass over `n` items has left.
    pub(super) fn merge_products(
        &mut self,
        executor: &dyn Executor,
        dim: usize,
        n: usize,
        slot: u32,
    ) -> Launched {
        let (partial, numbers) = (executor.input(&self.partial), executor.output(&mut self.numbers));
        let (kernel, n_items, slot) = (MERGE_PRECONDITION, count(n)?, slot % 2);
        let launch = Launch { kernel, dim, smoothing: None, blocks: 1, threads: REDUCE_THREADS };
        // SAFETY: there is a partial result of each block, and the numbers are one.
        unsafe { executor.launch(launch, arguments![partial, n_items, slot, numbers]) }
    }
}

impl<const D: usize> Launcher<'_, D> {
    fn matrix(&self, kernel: Kernel, a: &Matrix<'_>, n: usize) -> Result<MatrixRows, CudaError> {
        Ok(MatrixRows {
            rows: self.rows(kernel, a.rows, n)?,
            entries: self.input(kernel, "entries", a.entries, a.rows.entries())?,
            diagonal: self.input(kernel, "diagonal", a.diagonal, n)?,
            scale: a.scale,
        })
    }

    /// One block, which merges the partial results.
    fn one_block(kernel: Kernel) -> Launch {
        Launch { kernel, dim: D, smoothing: None, blocks: 1, threads: REDUCE_THREADS }
    }

    /// `r ← b − A x`, and the numbers before the first iteration.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails; so for all launchers here.
    pub fn residual(
        &self,
        a: &Matrix<'_>,
        x: &Field<Real>,
        b: &Field<Real>,
        n: usize,
        r: &mut Field<Real>,
        work: &mut Work,
    ) -> Launched {
        let (a, x) = (self.matrix(RESIDUAL, a, n)?, self.input(RESIDUAL, "x", x, n)?);
        let (b, r) = (self.input(RESIDUAL, "b", b, n)?, self.output(RESIDUAL, "r", r, n)?);
        let (n_items, partial) = (count(n)?, self.executor.output(&mut work.pairs));
        start(self.executor, RESIDUAL, D, n, arguments![a, x, b, n_items, r, partial])?;
        let (partial, numbers) = (self.executor.input(&work.pairs), self.executor.output(&mut work.numbers));
        // SAFETY: partial results are those of the first pass over as many items; so for the merging kernels below.
        unsafe {
            self.executor.launch(Self::one_block(MERGE_RESIDUAL), arguments![partial, n_items, numbers])
        }
    }

    /// `q ← A d`, with the numbers that follow from it.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn product(
        &self,
        a: &Matrix<'_>,
        d: &Field<Real>,
        n: usize,
        q: &mut Field<Real>,
        work: &mut Work,
    ) -> Launched {
        let (a, d) = (self.matrix(PRODUCT, a, n)?, self.input(PRODUCT, "d", d, n)?);
        let (q, n_items) = (self.output(PRODUCT, "q", q, n)?, count(n)?);
        let partial = self.executor.output(&mut work.pairs);
        start(self.executor, PRODUCT, D, n, arguments![a, d, n_items, q, partial])?;
        let (partial, numbers) = (self.executor.input(&work.pairs), self.executor.output(&mut work.numbers));
        // SAFETY: as of `residual`.
        unsafe { self.executor.launch(Self::one_block(MERGE_PRODUCT), arguments![partial, n_items, numbers]) }
    }

    /// `z ← r/A_ii`, or `r` itself; `r·z` into a slot.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn precondition(
        &self,
        divides: bool,
        diagonal: &Field<Real>,
        r: &Field<Real>,
        n: usize,
        z: &mut Field<Real>,
        slot: u32,
        work: &mut Work,
    ) -> Launched {
        let kernel = PRECONDITION;
        let (diagonal, r) = (self.input(kernel, "diagonal", diagonal, n)?, self.input(kernel, "r", r, n)?);
        let (z, n_items, divides) = (self.output(kernel, "z", z, n)?, count(n)?, u32::from(divides));
        let partial = work.partial(self.executor);
        start(self.executor, kernel, D, n, arguments![divides, diagonal, r, n_items, z, partial])?;
        work.merge_products(self.executor, D, n, slot)
    }

    /// `r·z` into a slot.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn multiply(
        &self,
        r: &Field<Real>,
        z: &Field<Real>,
        n: usize,
        slot: u32,
        work: &mut Work,
    ) -> Launched {
        let (r, z) = (self.input(MULTIPLY, "r", r, n)?, self.input(MULTIPLY, "z", z, n)?);
        let partial = work.partial(self.executor);
        start(self.executor, MULTIPLY, D, n, arguments![r, z, count(n)?, partial])?;
        work.merge_products(self.executor, D, n, slot)
    }

    /// Multiplies a field.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn shrink(&self, factor: Real, n: usize, field: &mut Field<Real>) -> Launched {
        let (n_items, field) = (count(n)?, self.output(SHRINK, "field", field, n)?);
        // SAFETY: the field has n items.
        unsafe { self.start(SHRINK, n, arguments![factor, n_items, field]) }
    }

    /// `x ← x + α d`, `r ← r − α q` with the `r·z` of a slot, while the iteration goes on.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn advance(
        &self,
        d: &Field<Real>,
        q: &Field<Real>,
        n: usize,
        slot: u32,
        target: f64,
        x: &mut Field<Real>,
        r: &mut Field<Real>,
        work: &mut Work,
    ) -> Launched {
        let (d, q) = (self.input(ADVANCE, "d", d, n)?, self.input(ADVANCE, "q", q, n)?);
        let (x, r) = (self.output(ADVANCE, "x", x, n)?, self.output(ADVANCE, "r", r, n)?);
        let (n_items, slot, numbers) = (count(n)?, slot % 2, self.executor.input(&work.numbers));
        let partial: Out<f64> = self.executor.output(&mut work.partial);
        start(self.executor, ADVANCE, D, n, arguments![d, q, n_items, slot, target, numbers, x, r, partial])?;
        let (partial, numbers) =
            (self.executor.input(&work.partial), self.executor.output(&mut work.numbers));
        // SAFETY: as of `residual`; what is merged where nothing moved is not read.
        unsafe {
            self.executor
                .launch(Self::one_block(MERGE_ADVANCE), arguments![partial, n_items, target, numbers])
        }
    }

    /// `d ← z + β d` with the `r·z` of the slot `next` over that of the other one; `d ← z` where there is no `next`.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn turn(
        &self,
        z: &Field<Real>,
        n: usize,
        next: Option<u32>,
        work: &Work,
        d: &mut Field<Real>,
    ) -> Launched {
        let (z, d) = (self.input(TURN, "z", z, n)?, self.output(TURN, "d", d, n)?);
        let (begins, slot) = (u32::from(next.is_none()), next.unwrap_or(0) % 2);
        let (n_items, numbers) = (count(n)?, self.executor.input(&work.numbers));
        // SAFETY: all fields have n items.
        unsafe { self.start(TURN, n, arguments![z, n_items, begins, @next slot, numbers, d]) }
    }

    /// `x ← x + ω r/A_ii`.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn relax(
        &self,
        omega: Real,
        diagonal: &Field<Real>,
        r: &Field<Real>,
        n: usize,
        x: &mut Field<Real>,
    ) -> Launched {
        let (diagonal, r) = (self.input(RELAX, "diagonal", diagonal, n)?, self.input(RELAX, "r", r, n)?);
        let (n_items, x) = (count(n)?, self.output(RELAX, "x", x, n)?);
        // SAFETY: all fields have n items.
        unsafe { self.start(RELAX, n, arguments![omega, diagonal, r, n_items, x]) }
    }

    /// Takes the mean out of a field of this `sum`, where that of the `air` is 0. Both have the shape `[1]`.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn center(&self, sum: &Field<f64>, air: &Field<f64>, n: usize, field: &mut Field<Real>) -> Launched {
        let (sum, air) = (self.input(CENTER, "sum", sum, 1)?, self.input(CENTER, "air", air, 1)?);
        let (n_items, field) = (count(n)?, self.output(CENTER, "field", field, n)?);
        // SAFETY: the field has n items, sums have one.
        unsafe { self.start(CENTER, n, arguments![sum, air, n_items, field]) }
    }

    /// Makes the least number of a field 0, where the sum of the `air`, of shape `[1]`, is 0.
    ///
    /// # Errors
    /// As of [`Launcher::residual`].
    pub fn lift(&self, air: &Field<f64>, n: usize, field: &mut Field<Real>, work: &mut Work) -> Launched {
        let (executor, x) = (self.executor, self.input(DEPTH, "field", field, n)?);
        let passes = Passes { executor, n, first: DEPTH, second: MERGE_MAXIMA };
        passes.run(D, &mut work.partial, &mut work.largest, |partial| {
            start(executor, DEPTH, D, n, arguments![x, count(n)?, partial])
        })?;
        let (depth, air) = (executor.input(&work.largest), self.input(LIFT, "air", air, 1)?);
        let (n_items, field) = (count(n)?, executor.output(field));
        // SAFETY: the field has n items, maxima and sums have one.
        unsafe { self.start(LIFT, n, arguments![depth, air, n_items, field]) }
    }

    /// Pressures as they act, `[Pa]`: the part `share` of each over the air's. Returns the largest size of a
    /// pressure, after all work before; `lost` becomes 1 where one is not finite.
    ///
    /// # Errors
    /// When a field is too short, or a launch or the copy fails.
    pub fn act(
        &self,
        p: &Field<Real>,
        share: &Field<Real>,
        n: usize,
        acting: &mut Field<Real>,
        lost: &mut Field<u32>,
        work: &mut Work,
    ) -> Result<f64, CudaError> {
        let (executor, air) = (self.executor, self.constants.air_pressure);
        let (p, share) = (self.input(ACT, "p", p, n)?, self.input(ACT, "share", share, n)?);
        let (acting, lost) = (self.output(ACT, "acting", acting, n)?, self.output(ACT, "lost", lost, n)?);
        let passes = Passes { executor, n, first: ACT, second: MERGE_MAXIMA };
        passes.run(D, &mut work.partial, &mut work.largest, |partial| {
            start(
                executor,
                ACT,
                D,
                n,
                arguments![p, share, @air_pressure air, count(n)?, acting, lost, partial],
            )
        })?;
        let mut largest = [0.0];
        executor.read(&work.largest, &mut largest)?;
        Ok(f64::max(largest[0], 0.0))
    }
}
