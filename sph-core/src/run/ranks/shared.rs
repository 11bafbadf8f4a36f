//! What a phase of a step does together with other ranks. On one rank it does nothing.

use crate::{
    Real,
    method::{
        failure::{Cause, Lost, StepError},
        state::State,
    },
    neighbors::Share,
    numerics::parallel::Exact,
    run::{
        method::Shell,
        ranks::exchange::{PerParticle, PointSet, Ranks},
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
        let mut carried = carried.into_iter().collect::<Vec<_>>();
        ranks.import(share, &mut state.fluid, &mut carried)?;
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

    /// Does something with other ranks in `phase`; `alone` is the result without any.
    fn together<T>(
        &mut self,
        state: &State<D>,
        phase: &'static str,
        alone: T,
        work: impl FnOnce(&mut Ranks<D>, &Share<D>) -> Result<T, Lost>,
    ) -> Result<T, StepError> {
        let (Some(ranks), Some(share)) = (&mut self.ranks, &self.neighbors.share) else { return Ok(alone) };
        work(ranks, share).map_err(|lost| StepError::new(state, phase, None, lost.into()))
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
        self.together(state, phase, (), |ranks, share| ranks.refresh(share, of, values))
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

    /// Places of the particles that this rank owns, of `n` with its ghosts.
    pub fn own(&self, n: usize) -> Own<'_> {
        Own { n, among: self.ranks.as_ref().and_then(|ranks| ranks.owned()) }
    }

    /// The largest number of all ranks, found in `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn max(&mut self, state: &State<D>, phase: &'static str, mine: f64) -> Result<f64, StepError> {
        self.together(state, phase, mine, |ranks, _| ranks.links.all_reduce(mine, f64::max))
    }

    /// The sum over all ranks, found in `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn sum(&mut self, state: &State<D>, phase: &'static str, mine: Exact) -> Result<Exact, StepError> {
        self.together(state, phase, mine, |ranks, _| ranks.links.all_reduce(mine.0, |a, b| a + b).map(Exact))
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
        self.together(state, phase, (), |ranks, _| {
            reaction.iter_mut().try_for_each(|axis| ranks.links.all_reduce_each(axis, |a, b| a + b))
        })
    }
}

/// Places of particles without those of other ranks.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    n: usize,
    /// Their places among ghosts, where there are any.
    among: Option<&'a [u32]>,
}

impl Own<'_> {
    /// How many.
    pub fn count(&self) -> usize {
        self.among.map_or(self.n, <[u32]>::len)
    }

    /// The place of the `k`-th.
    #[inline(always)]
    pub fn place(&self, k: usize) -> usize {
        self.among.map_or(k, |among| among[k] as usize)
    }
}
