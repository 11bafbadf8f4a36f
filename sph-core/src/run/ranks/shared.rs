//! What a phase of a step does together with other ranks. On one rank it does nothing.

use crate::{
    Real,
    method::{
        failure::{Cause, Lost, StepError},
        state::State,
    },
    neighbors::{Neighbors, Share},
    numerics::parallel::{self, Exact, Max, Merge as _},
    run::{
        method::Shell,
        ranks::{
            exchange::{PerParticle, PointSet, Ranks},
            plan::Plan,
        },
    },
};
use bytemuck::Pod;
use std::ops::Add;

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

    /// Neighbors, and what a loop over them does together with other ranks.
    pub fn with_others(&mut self) -> (&Neighbors<D>, Others<'_, D>) {
        let ranks = self.ranks.as_deref_mut().zip(self.neighbors.share.as_ref());
        (&self.neighbors, Others(ranks))
    }

    /// Does something with other ranks in `phase`.
    fn together<T>(
        &mut self,
        state: &State<D>,
        phase: &'static str,
        work: impl FnOnce(&mut Others<'_, D>) -> Result<T, Lost>,
    ) -> Result<T, StepError> {
        work(&mut self.with_others().1).map_err(|lost| StepError::new(state, phase, None, lost.into()))
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
        self.together(state, phase, |others| others.refresh(of, values))
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
        self.together(state, phase, |others| others.max(mine))
    }

    /// True when something was found in `phase` on any rank.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn any(&mut self, state: &State<D>, phase: &'static str, mine: bool) -> Result<bool, StepError> {
        Ok(self.max(state, phase, f64::from(u8::from(mine)))? > 0.0)
    }

    /// The sum over all ranks, found in `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn sum(&mut self, state: &State<D>, phase: &'static str, mine: Exact) -> Result<f64, StepError> {
        self.together(state, phase, |others| others.sums([mine]).map(|[sum]| sum))
    }

    /// Reports the density errors of all particles, whose densities have been found in `phase`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn report_density(&mut self, state: &State<D>, phase: &'static str) -> Result<(), StepError> {
        let (rho, rho_0) = (&state.fluid.rho, state.rest.rho_0);
        let own = self.own(rho.len());
        let error = |k: usize| f64::from(rho[own.place(k)] / rho_0 - 1.0);
        let (excess, Max(largest)) = parallel::blocks(own.count(), (), |range, ()| {
            let largest = range.clone().map(error).fold(f64::NEG_INFINITY, f64::max);
            (Exact::of(range, |k| error(k).max(0.0)), Max(largest))
        });
        let n = self.total(rho.len());
        self.report.density_error_mean = self.sum(state, phase, excess)? / n.max(1) as f64;
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
        self.together(state, phase, |others| reaction.iter_mut().try_for_each(|axis| others.all_sum(axis)))
    }
}

/// The other ranks of a run, if there are any.
pub struct Others<'a, const D: usize>(Option<(&'a mut Ranks<D>, &'a Share<D>)>);

impl<const D: usize> Others<'_, D> {
    fn together<T>(
        &mut self,
        alone: T,
        work: impl FnOnce(&mut Ranks<D>, &Share<D>) -> Result<T, Lost>,
    ) -> Result<T, Lost> {
        match &mut self.0 {
            Some((ranks, share)) => work(ranks, share),
            None => Ok(alone),
        }
    }

    /// As [`Shell::refresh`].
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn refresh<T: Pod>(&mut self, of: PointSet, values: &mut [T]) -> Result<(), Lost> {
        self.together((), |ranks, share| ranks.refresh(share, of, values))
    }

    /// True without any.
    pub fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// True for a cell of another rank.
    pub fn own(&self, cell: [i32; D]) -> bool {
        self.0.as_ref().is_some_and(|(_, share)| !share.owns(cell))
    }

    /// Finds who needs what of one value a cell.
    pub fn plan(&self, plan: &mut Plan, cells: &[[i32; D]]) {
        if let Some((_, share)) = &self.0 {
            plan.make(cells.iter().zip(0..).map(|(&at, c)| (at, c..c + 1)), share);
        }
    }

    /// Brings to the cells of other ranks what their owners have.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn refresh_cells<T: Pod>(&mut self, plan: &Plan, values: &mut [T]) -> Result<(), Lost> {
        self.together((), |ranks, share| plan.refresh(&mut ranks.links, &share.beside, values))
    }

    /// A number of things, of which this rank has `mine`.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn count(&mut self, mine: usize) -> Result<usize, Lost> {
        self.together(mine, |ranks, _| ranks.links.all_reduce(mine as u64, |a, b| a + b).map(|n| n as usize))
    }

    /// The values of all ranks, one rank behind the other.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn all_gather<T: Pod>(&mut self, mine: Vec<T>) -> Result<Vec<T>, Lost> {
        match &mut self.0 {
            Some((ranks, _)) => ranks.links.all_gather(&mine),
            None => Ok(mine),
        }
    }

    /// Gives the ranks to which particles have gone over in the last search what `give` has for their ids, and returns what came.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn hand_over(&mut self, give: impl Fn(&[u64]) -> Vec<Real>) -> Result<Vec<Real>, Lost> {
        self.together(Vec::new(), |ranks, _| ranks.hand_over(give))
    }

    /// The largest number of all ranks.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn max(&mut self, mine: f64) -> Result<f64, Lost> {
        self.together(mine, |ranks, _| ranks.links.all_reduce(mine, f64::max))
    }

    /// Sums over all ranks.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn sums<const N: usize>(&mut self, mine: [Exact; N]) -> Result<[f64; N], Lost> {
        let all = self.together(mine, |ranks, _| {
            let mut words = mine.map(Exact::to_words);
            let merge = |a, b| Exact::of_words(a).merge(Exact::of_words(b)).to_words();
            ranks.links.all_reduce_each(&mut words, merge)?;
            Ok(words.map(Exact::of_words))
        });
        Ok(all?.map(Exact::value))
    }

    /// Makes 0 what stands at ghosts.
    pub fn clear_ghosts(&self, values: &mut [Real]) {
        if let Some((ranks, _)) = &self.0 {
            ranks.ghosts().iter().for_each(|&i| values[i as usize] = 0.0);
        }
    }

    /// Adds up the numbers of all ranks, of which each is known to one of them, and is 0 on the others.
    ///
    /// # Errors
    /// When another rank has failed.
    pub fn all_sum<T: Pod + Add<Output = T>>(&mut self, values: &mut [T]) -> Result<(), Lost> {
        self.together((), |ranks, _| ranks.links.all_reduce_each(values, |a, b| a + b))
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
