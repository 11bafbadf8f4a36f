//! Springs: their rows on a card, and the launchers of `kernels/viscoelastic_springs.cu`.

use super::{
    launch::{Launched, Launches},
    viscoelastic::{Launcher, WARP},
    viscoelastic_viscosity::CELL_THREADS,
};
use crate::{
    colors::Color,
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Launch, Out, THREADS, arguments, count},
    fields::Packed,
    neighbors::{Lines, NeighborRows, RowSize, slot},
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/viscoelastic_springs.cu", name: $name };)+
    };
}
kernels! {
    INVERT = "visco_invert", FOLLOW = "visco_follow", ADJUST = "visco_adjust", PULL = "visco_pull",
    SWEEP_SPRINGS = "visco_sweep_springs", SWEEP_SHORT = "visco_sweep_short",
}

/// Twin of `Springs` in kernels/viscoelastic_springs.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct StoredSprings {
    others: In<u32>,
    rests: In<Real>,
    count: In<u32>,
    n_near: In<u32>,
    line: In<u32>,
}

/// Twin of `SpringsOut` in kernels/viscoelastic_springs.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct WritableSprings {
    others: Out<u32>,
    rests: Out<Real>,
    count: Out<u32>,
    n_near: Out<u32>,
    line: In<u32>,
    width: u32,
    from_line: u32,
}

/// The springs of up to a given number of particles: each in the rows of both of its particles, those that were shorter
/// than the interaction radius first. Entries stand as those of [`NeighborRows`]. A sort puts long rows into other slices,
/// which then take up to as many lines as these rows have entries: there is room for so many, and no sort waits for the host.
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
    /// Room for the rows of `n` particles.
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

    /// What the memory has become.
    pub fn size(&self) -> RowSize {
        self.lines.size
    }

    /// Empty rows of another size; memory of the old ones is free before the new is taken.
    pub fn remake(&mut self, executor: &dyn Executor, size: RowSize) -> Result<(), CudaError> {
        let n = self.count.len();
        (self.others, self.rests) = (executor.zeros(0)?, executor.zeros(0)?);
        *self = Self::new(executor, n, size)?;
        Ok(())
    }

    /// Takes these springs of as many particles, other ends and rest lengths `[m]` of each in turn.
    ///
    /// # Errors
    /// When there is no memory left, or a launch or a copy fails.
    pub fn write<'a>(
        &mut self,
        executor: &dyn Executor,
        dim: usize,
        rows: impl ExactSizeIterator<Item = (&'a [u32], &'a [Real])> + Clone,
    ) -> Result<(), CudaError> {
        let n = rows.len();
        let counts = rows.clone().map(|(ends, _)| count(ends.len())).collect::<Result<Vec<_>, _>>()?;
        executor.write(&counts, &mut self.count)?;
        executor.write(&counts, &mut self.n_near)?;
        loop {
            self.lines.place(executor, dim, &self.count, n)?;
            let [_, needed] = self.lines.used(executor)?;
            let Some(size) = self.lines.outgrown(needed) else { break };
            self.lines = Lines::new(executor, n, size)?;
        }
        let entries = self.lines.entries();
        if self.others.len() < entries {
            // The old memory is free before the new is taken.
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

    /// Shows `visit` each spring of each row in turn: particle, other end, rest length `[m]`.
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

impl<const D: usize> Launcher<'_, D> {
    fn springs(&self, kernel: Kernel, rows: &SpringRows, n: usize) -> Result<StoredSprings, CudaError> {
        let entries = rows.lines.entries();
        Ok(StoredSprings {
            others: self.input(kernel, "others", &rows.others, entries)?,
            rests: self.input(kernel, "rest lengths", &rows.rests, entries)?,
            count: self.input(kernel, "counts of springs", &rows.count, n)?,
            n_near: self.input(kernel, "short springs", &rows.n_near, n)?,
            line: self.executor.input(&rows.lines.line),
        })
    }

    /// Rows to be written: all, without places and cut at the width, or those of slices from a line on.
    fn writable_springs(
        &self,
        kernel: Kernel,
        rows: &mut SpringRows,
        n: usize,
        from_line: Option<u32>,
    ) -> Result<WritableSprings, CudaError> {
        let entries = rows.lines.entries();
        Ok(WritableSprings {
            others: self.output(kernel, "others", &mut rows.others, entries)?,
            rests: self.output(kernel, "rest lengths", &mut rows.rests, entries)?,
            count: self.output(kernel, "counts of springs", &mut rows.count, n)?,
            n_near: self.output(kernel, "short springs", &mut rows.n_near, n)?,
            line: from_line.map_or(In::new(0), |_| self.executor.input(&rows.lines.line)),
            width: rows.lines.size.width,
            from_line: from_line.unwrap_or(0),
        })
    }

    /// Rows follow a sort of the particles: the new particle `k` is the old `order[k]`. `inverse` is room for `n` places, and
    /// `after` gets the size of `before`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn follow(
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
        let to_inverse = self.output(INVERT, "inverse", inverse, n)?;
        let (order, n_items) = (self.input(INVERT, "order", order, n)?, count(n)?);
        let (from, to) = (self.springs(INVERT, before, n)?, self.writable_springs(INVERT, after, n, None)?);
        // SAFETY: the order is a permutation of numbers below n.
        unsafe {
            self.start(INVERT, n, arguments![@before from, order, n_items, @inverse to_inverse, @after to])?
        };
        after.lines.place(self.executor, D, &after.count, n)?;
        let to = self.writable_springs(FOLLOW, after, n, Some(0))?;
        let inverse = self.executor.input(inverse);
        // SAFETY: as above; springs join particles below n, and the pool has a line for each entry of a long row.
        unsafe { self.start(FOLLOW, n, arguments![@before from, order, inverse, n_items, @after to]) }
    }

    /// Springs flow, break and are made: `after` gets all rows anew. `lost` becomes 1 where a rest length was not finite.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn adjust(
        &self,
        fluid: &NeighborRows,
        place: &Field<Packed>,
        before: &SpringRows,
        n: usize,
        after: &mut SpringRows,
        lost: &mut Field<u32>,
    ) -> Launched {
        loop {
            self.write(fluid, place, before, n, (after, None), lost)?;
            after.lines.place(self.executor, D, &after.count, n)?;
            let [lines, entries] = after.lines.used(self.executor)?;
            let Some(size) = after.lines.outgrown(entries) else {
                let from_line = after.lines.pool_line();
                return if lines > 0 {
                    self.write(fluid, place, before, n, (after, Some(from_line)), lost)
                } else {
                    Ok(())
                };
            };
            after.remake(self.executor, size)?;
        }
    }

    /// The rows of [`Launcher::adjust`], those of slices from a line on.
    fn write(
        &self,
        fluid: &NeighborRows,
        place: &Field<Packed>,
        before: &SpringRows,
        n: usize,
        (after, from_line): (&mut SpringRows, Option<u32>),
        lost: &mut Field<u32>,
    ) -> Launched {
        let lost = self.output(ADJUST, "lost", lost, n)?;
        let (fluid, place) = (self.rows(ADJUST, fluid, n)?, self.input(ADJUST, "place", place, n)?);
        let before = self.springs(ADJUST, before, n)?;
        let after = self.writable_springs(ADJUST, after, n, from_line)?;
        // SAFETY: rows name points that were listed, springs join particles below n, and nothing is written beyond widths;
        // slices with places have as many lines as their longest row of the same particles has springs.
        unsafe {
            self.start(ADJUST, n, arguments![*self.constants, fluid, place, before, count(n)?, after, lost])
        }
    }

    /// What springs do to each particle, from the same places: `[Δx ·]`. With `far` only those longer than the
    /// interaction radius.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn pull(
        &self,
        springs: &SpringRows,
        place: &Field<Packed>,
        n: usize,
        far: bool,
        delta: &mut Field<Packed>,
    ) -> Launched {
        let (springs, place) = (self.springs(PULL, springs, n)?, self.input(PULL, "place", place, n)?);
        let delta = self.output(PULL, "delta", delta, n)?;
        let (far, n_items) = (u32::from(far), count(n)?);
        // SAFETY: as of `adjust`.
        unsafe { self.start(PULL, n, arguments![*self.constants, springs, place, n_items, far, delta]) }
    }

    /// The springs of all particles as one cell, one after the other.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn sweep_springs(
        &self,
        all: &Color<D>,
        springs: &SpringRows,
        n: usize,
        place: &mut Field<Packed>,
    ) -> Launched {
        let launch = Self::of_cells(SWEEP_SPRINGS, all, 1, CELL_THREADS)?;
        self.sweep_by(launch, all, springs, n, place)
    }

    /// The springs shorter than the interaction radius of the cells of a color: those of one particle after those of the
    /// other.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn sweep_short(
        &self,
        color: &Color<D>,
        springs: &SpringRows,
        n: usize,
        place: &mut Field<Packed>,
    ) -> Launched {
        let launch = Self::of_cells(SWEEP_SHORT, color, WARP, THREADS)?;
        self.sweep_by(launch, color, springs, n, place)
    }

    fn sweep_by(
        &self,
        launch: Launch,
        color: &Color<D>,
        springs: &SpringRows,
        n: usize,
        place: &mut Field<Packed>,
    ) -> Launched {
        let springs = self.springs(launch.kernel, springs, n)?;
        let place = self.output(launch.kernel, "place", place, n)?;
        // SAFETY: cells hold particles below n, and so do springs.
        unsafe { self.executor.launch(launch, arguments![*self.constants, *color, springs, place]) }
    }
}
