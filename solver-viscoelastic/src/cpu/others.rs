//! What a step does together with other ranks: springs go with the particles that own them, and know ends that are far away.

use super::Cpu;
use crate::springs::among::carried;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};
use sph_core::{
    Real,
    method::failure::{Lost, StepError},
    run::ranks::exchange::PerParticle,
};

impl<const D: usize> Cpu<'_, D> {
    /// True when springs go from rank to rank; those that are switched off, too.
    pub(super) fn shares_springs(&self) -> bool {
        let s = &*self.method;
        s.shell.ranks.is_some() && (s.constants.needs.springs || s.fields.springs.created != 0.0)
    }

    /// Before a step: particles know where their rows of springs are.
    pub(super) fn restore_springs(&mut self) {
        let shares = self.shares_springs();
        let (s, ids) = (&mut *self.method, &self.state.fluid.id);
        let fields = &mut s.fields;
        if shares && fields.springs.restore_rows_among(ids, s.constants.h) {
            fields.was.clear();
            fields.was.extend((1..=ids.len()).map(carried));
        } else if s.constants.needs.springs && s.shell.ranks.is_none() {
            fields.springs.restore_rows(ids, s.constants.h);
        }
    }

    /// Drops the ghosts. Rows of springs stay as they are.
    pub(super) fn drop_ghosts(&mut self) {
        let shares = self.shares_springs();
        let s = &mut *self.method;
        if shares {
            let own = s.shell.own(self.state.fluid.len());
            s.fields.was.clear();
            s.fields.was.extend((0..own.count()).map(|k| carried(own.place(k) + 1)));
        }
        let records: [&mut dyn PerParticle; 1] = [&mut s.fields.position];
        s.shell.drop_ghosts(self.state, records);
    }

    /// Springs follow the search, and go over with their owners.
    pub(super) fn follow_search(&mut self) -> Result<(), StepError> {
        let shares = self.shares_springs();
        let (s, ids) = (&mut *self.method, &self.state.fluid.id);
        if !shares {
            if s.constants.needs.springs {
                s.fields.springs.follow(s.shell.neighbors.order(), ids);
            }
            return Ok(());
        }
        let springs = &mut s.fields.springs;
        let moves = springs.moves(&s.fields.was, ids);
        let came = s.shell.with_others().1.hand_over(|left| springs.of_left(&moves, left));
        let came = came.map_err(|lost| self.lost("find_neighbors", lost))?;
        self.method.fields.springs.follow_among(&moves, &self.state.fluid.id, &came);
        Ok(())
    }

    /// Appends to the records the positions of ends of springs that are neither here nor ghosts.
    pub(super) fn find_far_ends(&mut self) -> Result<(), StepError> {
        if self.method.shell.ranks.is_none() || !self.method.constants.needs.springs {
            return Ok(());
        }
        let known = self.far_positions().map_err(|lost| self.lost("find_neighbors", lost))?;
        let (s, ids) = (&mut *self.method, &self.state.fluid.id);
        let (springs, position) = (&mut s.fields.springs, &mut s.fields.position);
        let is_gone = |(id, used): &&(u64, bool)| *used && !known.contains_key(id);
        let gone: Vec<u64> = springs.far().iter().filter(is_gone).map(|(id, _)| *id).collect();
        if !gone.is_empty() {
            springs.remove_ends(&gone);
            springs.restore_rows_among(ids, s.constants.h);
        }
        // No spring ends at those that nobody knows.
        let null = position.last().copied().unwrap_or_default();
        position.extend(springs.far().iter().map(|(id, _)| known.get(id).copied().unwrap_or(null)));
        Ok(())
    }

    /// Positions of the ends that any rank misses, by id: each gives those of its own particles. Where none misses one, this takes
    /// one sum over all ranks.
    fn far_positions(&mut self) -> Result<FxHashMap<u64, [Real; 4]>, Lost> {
        let (s, ids) = (&mut *self.method, &self.state.fluid.id);
        let misses = s.fields.springs.far().iter().filter(|(_, used)| *used).map(|(id, _)| *id);
        let asked = s.shell.with_others().1.all_gather(misses.collect())?;
        if asked.is_empty() {
            return Ok(FxHashMap::default());
        }
        let (own, asked) = (s.shell.own(ids.len()), asked.into_iter().collect::<FxHashSet<u64>>());
        let places: Vec<usize> = (0..own.count()).map(|k| own.place(k)).collect();
        let mine = places.into_par_iter().filter(|&i| asked.contains(&ids[i]));
        let (mine, positions): (Vec<u64>, Vec<[Real; 4]>) =
            mine.map(|i| (ids[i], s.fields.position[i])).unzip();
        let (_, mut others) = s.shell.with_others();
        Ok(others.all_gather(mine)?.into_iter().zip(others.all_gather(positions)?).collect())
    }

    /// The largest of all ranks of what this one has found: speed and acceleration of the report.
    pub(super) fn report_largest(&mut self, phase: &'static str) -> Result<(), StepError> {
        let shell = &mut self.method.shell;
        let (speed, acceleration) = (shell.report.max_speed, shell.report.max_acceleration);
        shell.report.max_speed = shell.max(self.state, phase, speed)?;
        shell.report.max_acceleration = shell.max(self.state, phase, acceleration)?;
        Ok(())
    }

    pub(super) fn lost(&self, phase: &'static str, lost: Lost) -> StepError {
        StepError::new(self.state, phase, None, lost.into())
    }
}
