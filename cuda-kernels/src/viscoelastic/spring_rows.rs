//! Springs: their rows on the device.

use crate::{
    common::{
        numerics::fields::Packed,
        search::neighbors::{Lines, NeighborRows, RowSize, slot},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field, In, count},
        launch::{Call, Launched, Parameter},
    },
    viscoelastic::{Launcher, SpringsOutRaw, SpringsRaw},
};
use sph_core::Real;

/// The springs of up to a given number of particles: each in the rows of both of its particles, those shorter than
/// the interaction radius first, in the layout of [`NeighborRows`]. A sort moves long rows to other slices, which
/// then take up to as many lines as these rows have entries: the capacity suffices for them, and no sort waits for
/// the host.
#[derive(Debug)]
pub struct SpringRows {
    /// Number of springs of each particle. Shape `[n]`.
    pub count: Field<u32>,
    /// Number of those that were shorter than the interaction radius. Shape `[n]`.
    n_near: Field<u32>,
    others: Field<u32>,
    rests: Field<Real>,
    lines: Lines,
}

impl SpringRows {
    /// Capacity for the rows of `n` particles.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, n: usize, size: RowSize) -> Result<Self, CudaError> {
        let lines = Lines::new(executor, n, size)?;
        Ok(Self {
            count: executor.zeros(n)?,
            n_near: executor.zeros(n)?,
            others: executor.zeros(lines.entries())?,
            rests: executor.zeros(lines.entries())?,
            lines,
        })
    }

    /// The present capacity.
    pub fn size(&self) -> RowSize {
        self.lines.size
    }

    /// Empty rows of another size; the old memory is freed before the new is allocated.
    pub fn remake(&mut self, executor: &dyn Executor, size: RowSize) -> Result<(), CudaError> {
        let n = self.count.len();
        (self.others, self.rests) = (executor.zeros(0)?, executor.zeros(0)?);
        *self = Self::new(executor, n, size)?;
        Ok(())
    }

    /// Writes the springs of all particles, other ends and rest lengths `[m]` of each in turn.
    ///
    /// # Errors
    /// When there is no memory left, or a launch or a copy fails.
    pub fn write<'a, const D: usize>(
        &mut self,
        executor: &dyn Executor,
        rows: impl ExactSizeIterator<Item = (&'a [u32], &'a [Real])> + Clone,
    ) -> Result<(), CudaError> {
        let n = rows.len();
        let counts = rows.clone().map(|(ends, _)| count(ends.len())).collect::<Result<Vec<_>, _>>()?;
        executor.write(&counts, &mut self.count)?;
        executor.write(&counts, &mut self.n_near)?;
        loop {
            self.lines.place::<D>(executor, &self.count, n)?;
            let [_, needed] = self.lines.used(executor)?;
            let Some(size) = self.lines.outgrown(needed) else { break };
            self.lines = Lines::new(executor, n, size)?;
        }
        let entries = self.lines.entries();
        if self.others.len() < entries {
            // The old memory is freed before the new is allocated.
            (self.others, self.rests) = (executor.zeros(0)?, executor.zeros(0)?);
            (self.others, self.rests) = (executor.zeros(entries)?, executor.zeros(entries)?);
        }
        let line = executor.download(&self.lines.line)?;
        let (mut others, mut rests) = (vec![0; entries], vec![0.0; entries]);
        for (i, (ends, lengths)) in rows.enumerate() {
            for (k, (&other, &rest)) in ends.iter().zip(lengths).enumerate() {
                (others[slot(&line, i, k)], rests[slot(&line, i, k)]) = (other, rest);
            }
        }
        executor.write(&others, &mut self.others)?;
        executor.write(&rests, &mut self.rests)
    }

    /// Visits each spring of each row in turn: particle, other end, rest length `[m]`.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn read(
        &self,
        executor: &dyn Executor,
        mut visit: impl FnMut(usize, u32, Real),
    ) -> Result<(), CudaError> {
        let (counts, others) = (executor.download(&self.count)?, executor.download(&self.others)?);
        let (rests, line) = (executor.download(&self.rests)?, executor.download(&self.lines.line)?);
        for (i, &n) in counts.iter().enumerate() {
            for at in (0..n as usize).map(|k| slot(&line, i, k)) {
                visit(i, others[at], rests[at]);
            }
        }
        Ok(())
    }
}

impl<C> Parameter<C> for &SpringRows {
    type Raw = SpringsRaw;

    fn raw(self, call: &Call<'_, C>, _: &'static str, n: usize) -> Result<SpringsRaw, CudaError> {
        let entries = self.lines.entries();
        Ok(SpringsRaw {
            others: Parameter::raw(&self.others, call, "others", entries)?,
            rests: Parameter::raw(&self.rests, call, "rest lengths", entries)?,
            count: Parameter::raw(&self.count, call, "counts of springs", n)?,
            n_near: Parameter::raw(&self.n_near, call, "short springs", n)?,
            line: call.executor.input(&self.lines.line),
        })
    }
}

/// Rows to be written: all, without lines and cut at the width, or those of slices from a line on.
#[derive(Debug)]
pub struct Sink<'a> {
    rows: &'a mut SpringRows,
    from_line: Option<u32>,
}

impl<C> Parameter<C> for Sink<'_> {
    type Raw = SpringsOutRaw;

    fn raw(self, call: &Call<'_, C>, _: &'static str, n: usize) -> Result<SpringsOutRaw, CudaError> {
        let Self { rows, from_line } = self;
        let entries = rows.lines.entries();
        Ok(SpringsOutRaw {
            others: Parameter::raw(&mut rows.others, call, "others", entries)?,
            rests: Parameter::raw(&mut rows.rests, call, "rest lengths", entries)?,
            count: Parameter::raw(&mut rows.count, call, "counts of springs", n)?,
            n_near: Parameter::raw(&mut rows.n_near, call, "short springs", n)?,
            line: from_line.map_or(In::default(), |_| call.executor.input(&rows.lines.line)),
            width: rows.lines.size.width,
            from_line: from_line.unwrap_or(0),
        })
    }
}

impl<const D: usize> Launcher<'_, D> {
    /// Permutes the rows by a sort of the particles: the new particle `k` is the old `order[k]`. `inverse` has `n`
    /// entries, and `after` gets the size of `before`.
    ///
    /// # Errors
    /// When a field is too short, there is no memory left, or a launch fails.
    pub fn follow_sort(
        &self,
        before: &SpringRows,
        order: &Field<u32>,
        n: usize,
        inverse: &mut Field<u32>,
        after: &mut SpringRows,
    ) -> Launched {
        if after.size() != before.size() {
            after.remake(self.executor, before.size())?;
        }
        self.invert(before, order, n, inverse, Sink { rows: after, from_line: None })?;
        after.lines.place::<D>(self.executor, &after.count, n)?;
        // The pool has a line for each entry of a long row.
        self.follow(before, order, inverse, n, Sink { rows: after, from_line: Some(0) })
    }

    /// Plastic flow, removal and creation: `after` gets all rows. `lost` becomes 1 where a rest length was not finite.
    ///
    /// # Errors
    /// As of [`Launcher::follow_sort`].
    pub fn adjust_rows(
        &self,
        fluid: &NeighborRows,
        position: &Field<Packed>,
        before: &SpringRows,
        n: usize,
        after: &mut SpringRows,
        lost: &mut Field<u32>,
    ) -> Launched {
        loop {
            self.adjust(fluid, position, before, n, Sink { rows: after, from_line: None }, lost)?;
            after.lines.place::<D>(self.executor, &after.count, n)?;
            let [lines, entries] = after.lines.used(self.executor)?;
            let Some(size) = after.lines.outgrown(entries) else {
                let from_line = Some(after.lines.pool_line());
                let long = Sink { rows: after, from_line };
                return if lines > 0 { self.adjust(fluid, position, before, n, long, lost) } else { Ok(()) };
            };
            after.remake(self.executor, size)?;
        }
    }
}
