//! Reductions in a fixed order.
//!
//! The size of the grid follows from the number of values alone, partial results merge along one tree, and sums are in f64: a result depends on
//! the values and their number alone. It differs from the processor's in the order of its sum. Results stay on the
//! device until they are asked for.

use crate::{
    common::numerics::space,
    device::{
        error::CudaError,
        executor::{Executor, Field, count},
        launch::Launched,
    },
};
use sph_core::{Real, fluid::material::Domain};

crate::device::launch::generated!("common_numerics_reduce.rs");

/// Result of a search that finds no index.
pub const NONE: u32 = u32::MAX;

/// Most blocks of the first pass: items of a field of partial results.
pub const PARTIALS: usize = REDUCE_BLOCKS as usize;

/// Blocks of the first pass over n items. Twin of `reduce_blocks` in reduce.cuh.
///
/// # Errors
/// When there are more items than can be numbered.
pub fn reduce_blocks(n: usize) -> Result<u32, CudaError> {
    Ok(count(n)?.div_ceil(REDUCE_THREADS).clamp(1, REDUCE_BLOCKS))
}

/// Reductions of fields, and the partial results of their blocks.
#[derive(Debug)]
pub struct Reduce<const D: usize> {
    numbers: Field<f64>,
    errors: Field<DensityErrors>,
    indices: Field<u32>,
    peaks: Field<Peak>,
    bounds: Field<Bounds<D>>,
}

impl<const D: usize> Reduce<D> {
    /// Buffers of the partial results.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self {
            numbers: executor.zeros(PARTIALS)?,
            errors: executor.zeros(PARTIALS)?,
            indices: executor.zeros(PARTIALS)?,
            peaks: executor.zeros(PARTIALS)?,
            bounds: executor.zeros(PARTIALS)?,
        })
    }

    /// `result[0] ← Σ_i x_i`, i < n, in f64.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn sum(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<f64>,
    ) -> Launched {
        sum_reals::<D>(executor, x, n, &mut self.numbers, result)
    }

    /// `result[0] ← Σ_i x_i y_i`, i < n, in f64.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn sum_products(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        y: &Field<Real>,
        n: usize,
        result: &mut Field<f64>,
    ) -> Launched {
        sum_products::<D>(executor, x, y, n, &mut self.numbers, result)
    }

    /// `result[0] ← max_i x_i`, i < n; -∞ of nothing. NaN does not count.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<f64>,
    ) -> Launched {
        max_reals::<D>(executor, x, n, &mut self.numbers, result)
    }

    /// `result[0] ← max_i |v_i|²`, i < n; -∞ of nothing.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max_norms2(
        &mut self,
        executor: &dyn Executor,
        v: &[Field<Real>; D],
        n: usize,
        result: &mut Field<f64>,
    ) -> Launched {
        max_norms2::<D>(executor, v, n, &mut self.numbers, result)
    }

    /// `result[0]` ← how far the first `n` densities are from `rho_0` `[kg/m³]`; both numbers are 0 of nothing. `of_rho` is
    /// what followed from the densities and must be finite, too.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn density_errors(
        &mut self,
        executor: &dyn Executor,
        rho: &Field<Real>,
        of_rho: Option<&Field<Real>>,
        rho_0: Real,
        n: usize,
        result: &mut Field<DensityErrors>,
    ) -> Launched {
        density_errors::<D>(executor, rho, of_rho, rho_0, n, &mut self.errors, result)
    }

    /// `result[0]` ← the maximum of x and the first i < n of it.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max_place(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<Peak>,
    ) -> Launched {
        max_place::<D>(executor, x, n, &mut self.peaks, result)
    }

    /// `result[0]` ← the largest of the first `n` counts; 0 of nothing.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max_counts(
        &mut self,
        executor: &dyn Executor,
        counts: &Field<u32>,
        n: usize,
        result: &mut Field<u32>,
    ) -> Launched {
        max_counts::<D>(executor, counts, n, &mut self.indices, result)
    }

    /// `result[0]` ← the box of the first `n` points. NaN does not widen it.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn enclose(
        &mut self,
        executor: &dyn Executor,
        x: &[Field<Real>; D],
        n: usize,
        result: &mut Field<Bounds<D>>,
    ) -> Launched {
        enclose_points::<D>(executor, x, n, &mut self.bounds, result)
    }

    /// `result[0]` ← the first i < n that is outside of the domain or whose position or velocity is no finite number,
    /// or [`NONE`].
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn first_lost(
        &mut self,
        executor: &dyn Executor,
        x: &[Field<Real>; D],
        v: &[Field<Real>; D],
        domain: &Domain<D>,
        n: usize,
        result: &mut Field<u32>,
    ) -> Launched {
        first_lost::<D>(executor, x, v, space::Domain::from(domain), n, &mut self.indices, result)
    }

    /// `result[0]` ← the first i < n whose x is no finite number, or [`NONE`].
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn first_not_finite(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<u32>,
    ) -> Launched {
        first_not_finite::<D>(executor, x, n, &mut self.indices, result)
    }
}
