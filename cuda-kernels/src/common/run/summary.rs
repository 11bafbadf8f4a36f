//! What a step is judged by. These numbers alone leave the device in a steady step.

use crate::{
    common::{numerics::reduce::PARTIALS, search::cells::CellSort},
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{Real, method::report::StepReport};

crate::device::launch::generated!("common_run_summary.rs");

impl Summary {
    /// What `n` particles came to, in the words of a report, beside what the step says of itself.
    pub fn report(&self, n: usize, of_step: StepReport) -> StepReport {
        StepReport {
            density_error_mean: self.excess / n.max(1) as f64,
            density_error_max: if n == 0 { 0.0 } else { self.largest },
            max_speed: self.v2.sqrt(),
            max_acceleration: self.a2.sqrt(),
            ..of_step
        }
    }
}

/// What is summarized. Fields of shape `[n]`.
#[derive(Debug)]
pub struct Judged<'a, const D: usize> {
    /// Densities, `[kg/m³]`.
    pub rho: &'a Field<Real>,
    /// Density at rest ρ₀, `[kg/m³]`.
    pub rho_0: Real,
    /// Squared speeds, `[m²/s²]`.
    pub v2: &'a Field<Real>,
    /// Squared accelerations, [m²/s⁴].
    pub a2: &'a Field<Real>,
    /// Not 0 for particles that have left the domain.
    pub lost: &'a Field<u32>,
    /// The cells of the fluid and of the walls.
    pub cells: [&'a CellSort<D>; 2],
}

/// Buffers of a summary.
#[derive(Debug)]
pub struct Summaries {
    partial: Field<Summary>,
    result: Field<Summary>,
}

impl Summaries {
    /// Buffers of one summary.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self { partial: executor.zeros(PARTIALS)?, result: executor.zeros(1)? })
    }

    /// The summary of `n` particles, after all work before.
    ///
    /// # Errors
    /// When a field is too short, or a launch, a kernel before it or the copy fails.
    pub fn of<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        judged: &Judged<'_, D>,
        n: usize,
    ) -> Result<Summary, CudaError> {
        let &Judged { rho, rho_0, v2, a2, lost, cells } = judged;
        let [of_fluid, of_walls] = cells.map(|cells| cells.outside(executor));
        let (cells, Self { partial, result }) = (Outside { of_fluid, of_walls }, &mut *self);
        summarize::<D>(executor, rho, rho_0, v2, a2, lost, cells, n, partial, result)?;
        let mut summary = [Summary::default()];
        executor.read(result, &mut summary)?;
        Ok(summary[0])
    }
}
