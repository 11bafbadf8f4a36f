//! What a phase of a step does together with other ranks. On one rank it does nothing.

use crate::{
    Real,
    method::{
        failure::{Cause, StepError},
        state::State,
    },
    numerics::parallel::Exact,
    run::{
        method::Shell,
        ranks::exchange::{PerParticle, PointSet},
    },
};
use bytemuck::Pod;

impl<const D: usize> Shell<D> {
    /// Sorts fluid and walls by cell and builds the rows, as [`Neighbors::update`](crate::neighbors::Neighbors::update). On
    /// several ranks the fluid then holds the ghosts, too.
    ///
    /// # Errors
    /// When particles are too far apart for the dense grid, or another rank has failed.
    pub fn find_neighbors<'a>(
        &mut self,
        state: &mut State<D>,
        carried: impl IntoIterator<Item = &'a mut Vec<Real>>,
    ) -> Result<bool, Cause> {
        let (Some(ranks), Some(share)) = (&mut self.ranks, &self.neighbors.share) else {
            return Ok(self.neighbors.update(state, carried)?);
        };
        let (frame, mut carried) = (self.neighbors.cells().frame, carried.into_iter().collect::<Vec<_>>());
        ranks.import(share, frame, &mut state.fluid, &mut carried)?;
        self.neighbors.set_points_of_all(ranks.total());
        let rebuilt = match self.neighbors.update(state, carried) {
            Ok(rebuilt) => rebuilt,
            Err(error) => {
                ranks.send_ghosts_back(&mut state.fluid);
                return Err(error.into());
            }
        };
        if let Some(share) = &self.neighbors.share {
            ranks.plan(&self.neighbors, share, state.walls.is_moving());
        }
        Ok(rebuilt)
    }

    /// Brings to the ghosts what their owners have, one value a point, after `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn refresh<T: Pod>(
        &mut self,
        state: &State<D>,
        phase: &'static str,
        of: PointSet,
        values: &mut [T],
    ) -> Result<(), StepError> {
        let (Some(ranks), Some(share)) = (&mut self.ranks, &self.neighbors.share) else { return Ok(()) };
        ranks.refresh(share, of, values).map_err(|lost| StepError::new(state, phase, None, lost.into()))
    }

    /// Drops the ghosts, which stand in no sum from here on, with their entries in `fields`.
    pub fn drop_ghosts<'a>(
        &mut self,
        state: &mut State<D>,
        fields: impl IntoIterator<Item = &'a mut dyn PerParticle>,
    ) {
        if let Some(ranks) = &mut self.ranks {
            ranks.drop_ghosts(&mut state.fluid, fields);
        }
    }

    /// Number of particles of all ranks, of which this one has `n` with its ghosts.
    pub fn total(&self, n: usize) -> usize {
        self.ranks.as_ref().map_or(n, |ranks| ranks.total())
    }

    /// The largest number of all ranks, found in `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn max(&mut self, state: &State<D>, phase: &'static str, mine: f64) -> Result<f64, StepError> {
        let Some(ranks) = &mut self.ranks else { return Ok(mine) };
        ranks.max(mine).map_err(|lost| StepError::new(state, phase, None, lost.into()))
    }

    /// The sum over all ranks, found in `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn sum(&mut self, state: &State<D>, phase: &'static str, mine: Exact) -> Result<Exact, StepError> {
        let Some(ranks) = &mut self.ranks else { return Ok(mine) };
        ranks.sum(mine).map_err(|lost| StepError::new(state, phase, None, lost.into()))
    }

    /// Reports the density errors of all particles: the sum of max(ρ/ρ₀ − 1, 0) and the largest ρ/ρ₀ − 1 of this rank's.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn report_density(
        &mut self,
        state: &State<D>,
        phase: &'static str,
        excess: Exact,
        largest: f64,
    ) -> Result<(), StepError> {
        let n = self.total(state.fluid.len());
        self.report.density_error_mean = self.sum(state, phase, excess)?.value() / n.max(1) as f64;
        let largest = self.max(state, phase, largest)?;
        self.report.density_error_max = if n == 0 { 0.0 } else { largest };
        Ok(())
    }

    /// Gives every rank the forces on samples, each of which was found by the owner of its cell and is zero elsewhere.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn gather_reactions(
        &mut self,
        state: &State<D>,
        phase: &'static str,
        reaction: &mut [Vec<Real>; D],
    ) -> Result<(), StepError> {
        let Some(ranks) = &mut self.ranks else { return Ok(()) };
        let done = reaction.iter_mut().try_for_each(|axis| ranks.join(axis));
        done.map_err(|lost| StepError::new(state, phase, None, lost.into()))
    }
}
