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
    neighbors::{NeighborRows, entries_of, slot},
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
    width: u32,
}

/// Twin of `SpringsOut` in kernels/viscoelastic_springs.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct WritableSprings {
    others: Out<u32>,
    rests: Out<Real>,
    count: Out<u32>,
    n_near: Out<u32>,
    width: u32,
}

/// The springs of up to a given number of particles: each in the rows of both of its particles, those that were shorter
/// than the interaction radius first. Entries stand as those of [`NeighborRows`].
#[derive(Debug)]
pub struct SpringRows<E: Executor> {
    /// Number of springs of each particle. Shape `[n]`.
    pub count: Field<E, u32>,
    /// Number of those that were shorter than the interaction radius. Shape `[n]`.
    n_near: Field<E, u32>,
    others: Field<E, u32>,
    rests: Field<E, Real>,
    /// Entries a row has room for.
    pub width: u32,
}

/// Memory of [`SpringRows`], `[B]`.
pub fn spring_bytes(n: usize, width: u32) -> usize {
    2 * size_of::<u32>() * n + (size_of::<u32>() + size_of::<Real>()) * entries_of(n, width)
}

impl<E: Executor> SpringRows<E> {
    /// Room for the rows of `n` particles, `width` springs each.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &E, n: usize, width: u32) -> Result<Self, CudaError> {
        let entries = entries_of(n, width);
        Ok(Self {
            count: executor.zeros(n)?,
            n_near: executor.zeros(n)?,
            others: executor.zeros(entries)?,
            rests: executor.zeros(entries)?,
            width,
        })
    }

    /// Rows of these springs, other ends and rest lengths `[m]` of each particle in turn.
    ///
    /// # Errors
    /// When a row has no room, there is no memory left, or a copy fails.
    pub fn upload<'a>(
        executor: &E,
        width: u32,
        rows: impl ExactSizeIterator<Item = (&'a [u32], &'a [Real])>,
    ) -> Result<Self, CudaError> {
        let n = rows.len();
        let (mut counts, entries) = (Vec::with_capacity(n), entries_of(n, width));
        let (mut others, mut rests) = (vec![0; entries], vec![0.0; entries]);
        for (i, (ends, lengths)) in rows.enumerate() {
            let found = count(ends.len())?;
            if found > width {
                return Err(CudaError::RowsTooNarrow { found, width });
            }
            counts.push(found);
            for (k, (&other, &rest)) in ends.iter().zip(lengths).enumerate() {
                (others[slot(width, i, k)], rests[slot(width, i, k)]) = (other, rest);
            }
        }
        let (others, rests) = (executor.upload(&others)?, executor.upload(&rests)?);
        Ok(Self { count: executor.upload(&counts)?, n_near: executor.upload(&counts)?, others, rests, width })
    }

    /// Shows `visit` each spring of each row in turn: particle, other end, rest length `[m]`.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn read(&self, executor: &E, mut visit: impl FnMut(usize, u32, Real)) -> Result<(), CudaError> {
        let (counts, others) = (executor.download(&self.count)?, executor.download(&self.others)?);
        let rests = executor.download(&self.rests)?;
        for (i, &n) in counts.iter().enumerate() {
            for at in (0..n as usize).map(|k| slot(self.width, i, k)) {
                visit(i, others[at], rests[at]);
            }
        }
        Ok(())
    }
}

impl<const D: usize, E: Executor> Launcher<'_, D, E> {
    fn springs(&self, kernel: Kernel, rows: &SpringRows<E>, n: usize) -> Result<StoredSprings, CudaError> {
        let entries = entries_of(n, rows.width);
        Ok(StoredSprings {
            others: self.input(kernel, "others", &rows.others, entries)?,
            rests: self.input(kernel, "rest lengths", &rows.rests, entries)?,
            count: self.input(kernel, "counts of springs", &rows.count, n)?,
            n_near: self.input(kernel, "short springs", &rows.n_near, n)?,
            width: rows.width,
        })
    }

    fn writable_springs(
        &self,
        kernel: Kernel,
        rows: &mut SpringRows<E>,
        n: usize,
    ) -> Result<WritableSprings, CudaError> {
        let entries = entries_of(n, rows.width);
        Ok(WritableSprings {
            others: self.output(kernel, "others", &mut rows.others, entries)?,
            rests: self.output(kernel, "rest lengths", &mut rows.rests, entries)?,
            count: self.output(kernel, "counts of springs", &mut rows.count, n)?,
            n_near: self.output(kernel, "short springs", &mut rows.n_near, n)?,
            width: rows.width,
        })
    }

    /// Rows follow a sort of the particles: the new particle `k` is the old `order[k]`. `after` is at least as wide as
    /// `before`; `inverse` is room for `n` places.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn follow(
        &self,
        before: &SpringRows<E>,
        order: &Field<E, u32>,
        n: usize,
        inverse: &mut Field<E, u32>,
        after: &mut SpringRows<E>,
    ) -> Launched {
        FOLLOW.expect("width", after.width as usize, before.width as usize)?;
        let to_inverse = self.output(INVERT, "inverse", inverse, n)?;
        let (order, n_items) = (self.input(INVERT, "order", order, n)?, count(n)?);
        // SAFETY: the order is a permutation of numbers below n.
        unsafe { self.start(INVERT, n, arguments![order, n_items, @inverse to_inverse])? };
        let (before, after) = (self.springs(FOLLOW, before, n)?, self.writable_springs(FOLLOW, after, n)?);
        let inverse = self.executor.input(inverse);
        // SAFETY: as above, and springs join particles below n.
        unsafe { self.start(FOLLOW, n, arguments![before, order, inverse, n_items, after]) }
    }

    /// Springs flow, break and are made: `after` gets all rows anew. The count of a row that has no room in it is larger
    /// than its width. `lost` becomes 1 where a rest length was not finite.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn adjust(
        &self,
        fluid: &NeighborRows<E>,
        place: &Field<E, Packed>,
        before: &SpringRows<E>,
        n: usize,
        after: &mut SpringRows<E>,
        lost: &mut Field<E, u32>,
    ) -> Launched {
        let lost = self.output(ADJUST, "lost", lost, n)?;
        let (fluid, place) = (self.rows(ADJUST, fluid, n)?, self.input(ADJUST, "place", place, n)?);
        let (before, after) = (self.springs(ADJUST, before, n)?, self.writable_springs(ADJUST, after, n)?);
        // SAFETY: rows name points that were listed, springs join particles below n, and nothing is written beyond widths.
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
        springs: &SpringRows<E>,
        place: &Field<E, Packed>,
        n: usize,
        far: bool,
        delta: &mut Field<E, Packed>,
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
        springs: &SpringRows<E>,
        n: usize,
        place: &mut Field<E, Packed>,
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
        springs: &SpringRows<E>,
        n: usize,
        place: &mut Field<E, Packed>,
    ) -> Launched {
        let launch = Self::of_cells(SWEEP_SHORT, color, WARP, THREADS)?;
        self.sweep_by(launch, color, springs, n, place)
    }

    fn sweep_by(
        &self,
        launch: Launch,
        color: &Color<D>,
        springs: &SpringRows<E>,
        n: usize,
        place: &mut Field<E, Packed>,
    ) -> Launched {
        let springs = self.springs(launch.kernel, springs, n)?;
        let place = self.output(launch.kernel, "place", place, n)?;
        // SAFETY: cells hold particles below n, and so do springs.
        unsafe { self.executor.launch(launch, arguments![*self.constants, *color, springs, place]) }
    }
}
