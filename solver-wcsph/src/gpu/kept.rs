//! Neighbor lists with a skin, which serve for more than one step: what [`Walk::Kept`] adds to a run.
//!
//! Rows hold all pairs within the support and a skin. Two particles that were farther apart cannot come within the
//! support before they have moved by half a skin each, so neither sort nor search is needed until then.
//!
//! [`Walk::Kept`]: cuda_kernels::device::compile::variant::Walk::Kept

use crate::{cpu::MAX_CORRECTION, memory::Needs};
use cuda_kernels::{
    common::{
        run::{Demand, summary::Summary},
        search::neighbors::{NeighborRows, Query, RowSize, Source},
    },
    device::{compile::variant::Walk, error::CudaError, executor::Executor},
};
use sph_core::Real;

/// The rows of the fluid among itself, and how long they serve.
#[derive(Debug)]
pub struct Kept {
    pub rows: NeighborRows,
    /// Radius of the rows, `[m]`.
    radius: Real,
    pub travel: Travel,
}

impl Kept {
    /// Rows as long as those of the lattice, with this support radius `[m]`.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new<const D: usize>(
        executor: &dyn Executor,
        support: Real,
        needs: Needs,
        demand: Demand<'_, D>,
    ) -> Result<Self, CudaError> {
        let Demand { spacing, bounded, population, .. } = demand;
        let radius = support * Walk::Kept.edge();
        let ball = if D == 2 { 3.2 } else { 4.2 };
        let width = (ball * (radius / spacing).powi(D as i32)) as u32;
        let size = RowSize::of(width.next_multiple_of(8));
        let rows = NeighborRows::new(executor, population.fluid, size)?;
        let correction = if needs.drift_correction { MAX_CORRECTION * spacing } else { 0.0 };
        // Surface terms have no rows.
        let travel = Travel::new(support, correction, bounded && !needs.surface);
        Ok(Self { rows, radius, travel })
    }

    /// Lists the neighbors of the current positions.
    ///
    /// # Errors
    /// When there is no memory for longer rows, or a launch or a copy fails.
    pub fn list<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        fluid: &Source<'_, D>,
        n: usize,
    ) -> Result<(), CudaError> {
        let query = Query { radius: self.radius, records: fluid.records, n, same: true };
        self.rows.list(executor, &query, fluid)?;
        self.travel.since = 0.0;
        Ok(())
    }
}

/// How far particles may have moved since their neighbors were listed.
#[derive(Clone, Copy, Debug)]
pub struct Travel {
    /// Bound of the displacement by all drifts that were accounted for, `[m]`.
    pub since: f64,
    /// The drift that was not, `[s]`.
    dt: f64,
    /// Largest speed `[m/s]` and acceleration `[m/s²]` at the last summary.
    speed: f64,
    acceleration: f64,
    /// What a correction adds to a drift at most, `[m]`.
    correction: f64,
    /// Largest displacement that rows allow, `[m]`; negative where displacements have no bound.
    limit: f64,
}

impl Travel {
    /// Of neighbors that are not listed yet, with a support `[m]`. A drift correction moves a particle by `correction`
    /// `[m]` at most. Where displacements have no bound, no rows serve twice.
    pub fn new(support: Real, correction: Real, bounded: bool) -> Self {
        // A share for the rounding of positions.
        let limit = 0.98 * 0.5 * f64::from(Walk::SKIN * support);
        Self {
            since: f64::INFINITY,
            dt: 0.0,
            speed: f64::INFINITY,
            acceleration: f64::INFINITY,
            correction: f64::from(correction),
            limit: if bounded { limit } else { -1.0 },
        }
    }

    /// Particles drift for `dt` `[s]`.
    pub fn drift(&mut self, dt: f64) {
        self.dt = dt;
    }

    /// What a step came to. Its last kick had these accelerations, and so has the first one of the next step.
    pub fn learn(&mut self, summary: &Summary) {
        (self.speed, self.acceleration) = (summary.v2.sqrt(), summary.a2.sqrt());
    }

    /// Accounts for the last drift.
    pub fn settle(&mut self) {
        if self.dt > 0.0 {
            // A drift has the velocity of the last summary, or that after another kick of half a step.
            self.since += self.dt * (self.speed + self.dt * self.acceleration) + self.correction;
            self.dt = 0.0;
        }
    }

    /// Neighbors must be listed again.
    pub fn end(&mut self) {
        self.since = f64::INFINITY;
    }

    /// True when neighbors must be listed.
    pub fn is_over(&self) -> bool {
        self.since.is_nan() || self.since > self.limit
    }
}
