//! The phases of the viscoelastic fluid: launchers of `kernels/viscoelastic.cu`; `viscoelastic_motion.rs`,
//! `viscoelastic_viscosity.rs`, `viscoelastic_springs.rs`, `viscoelastic_contact.rs` and `viscoelastic_bodies.rs` have
//! those of the other texts.
//!
//! Names and order are those of the loops in `solver-viscoelastic/src/cpu`. Records of particles are quads in arrays of
//! their own: `place` `[x y z ·]`, `push` `[x y z P]` with P_near in a field beside, `motion` `[v ·]`, `delta` `[Δ ·]`, and
//! of walls `samples` `[x y z w]`. All particles are in the order of their cells, and neighbors come from rows that were
//! listed at the predicted positions.
//!
//! **Health.** A launcher that may find a particle unhealthy sets its flag in `lost` to 1 and leaves all others.

use super::launch::{Launched, Launches};
use crate::{
    colors::Color,
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Launch, Out, THREADS, arguments, count},
    fields::Packed,
    neighbors::{NeighborRows, StoredRows},
    physics::viscoelastic::Constants,
    walls::Sets,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/viscoelastic.cu", name: $name };)+
    };
}
kernels! {
    PACK_WALLS = "visco_pack_walls", DENSITIES = "visco_densities", DISPLACEMENTS = "visco_displacements",
    DISPLACE = "visco_displace", SWEEP = "visco_sweep", PUSH_BACK = "visco_push_back",
}

/// Threads of a warp, which share a cell where they may.
pub(super) const WARP: usize = 32;

/// Twin of `Near` in kernels/viscoelastic.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
struct NearRows {
    fluid: StoredRows,
    walls: StoredRows,
    samples: In<Packed>,
}

/// Twin of `Swept` in kernels/viscoelastic.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct Swept {
    place: Out<Packed>,
    rho: Out<Real>,
    way2: Out<Real>,
    push: Out<Packed>,
    p_near: Out<Real>,
}

/// What pushes a particle.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// Rows of fluid in fluid, of `n` particles.
    pub fluid: &'a NeighborRows,
    /// Rows of fluid in walls, of `n` particles.
    pub walls: &'a NeighborRows,
    /// `[x y z w]` of all samples that rows name.
    pub samples: &'a Field<Packed>,
}

/// What a relaxation finds of each particle. Shapes `[n]`.
#[derive(Debug)]
pub struct Found<'a> {
    /// Densities, `[kg/m³]`.
    pub rho: &'a mut Field<Real>,
    /// Squared ways by its own pressure, or by that of all, `[m²]`.
    pub way2: &'a mut Field<Real>,
}

/// Who pushed how hard, and from where. Shapes `[n]`.
#[derive(Debug)]
pub struct Pushes<'a> {
    /// `[x y z P]`, `[m]` and `[m/s²]`.
    pub push: &'a mut Field<Packed>,
    /// P_near, `[m/s²]`.
    pub p_near: &'a mut Field<Real>,
}

/// Launches the phases, of one set of constants.
#[derive(Clone, Copy, Debug)]
pub struct Launcher<'a, const D: usize> {
    /// Where they run.
    pub executor: &'a dyn Executor,
    /// What they read.
    pub constants: &'a Constants<D>,
}

impl<const D: usize> Launches<D> for Launcher<'_, D> {
    fn executor(&self) -> &dyn Executor {
        self.executor
    }

    fn smoothing(&self) -> Option<&'static str> {
        None
    }
}

impl<const D: usize> Launcher<'_, D> {
    fn near(&self, kernel: Kernel, near: &Near<'_>, n: usize) -> Result<NearRows, CudaError> {
        Ok(NearRows {
            fluid: self.rows(kernel, near.fluid, n)?,
            walls: self.rows(kernel, near.walls, n)?,
            samples: self.executor.input(near.samples),
        })
    }

    /// A launch of so many threads for each cell of a color.
    pub(super) fn of_cells(
        kernel: Kernel,
        color: &Color<D>,
        each: usize,
        threads: u32,
    ) -> Result<Launch, CudaError> {
        let blocks = count(color.n_cells() * each)?.div_ceil(threads);
        Ok(Launch { kernel, dim: D, smoothing: None, blocks, threads })
    }

    /// Records `[x y z w]` of `n` samples at `x` with these volumes `[m^D]`.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails; so for all launchers here.
    pub fn pack_walls(
        &self,
        x: &[Field<Real>; D],
        volume: &Field<Real>,
        n: usize,
        samples: &mut Field<Packed>,
    ) -> Launched {
        let (x, volume) = (self.points(PACK_WALLS, "x", x, n)?, self.input(PACK_WALLS, "volume", volume, n)?);
        let samples = self.output(PACK_WALLS, "samples", samples, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(PACK_WALLS, n, arguments![*self.constants, x, volume, count(n)?, samples]) }
    }

    /// Densities at the positions `place`, and with which pressures each particle pushes.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn densities(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        n: usize,
        pushes: Pushes<'_>,
        rho: &mut Field<Real>,
    ) -> Launched {
        let (near, place) = (self.near(DENSITIES, &near, n)?, self.input(DENSITIES, "place", place, n)?);
        let push = self.output(DENSITIES, "push", pushes.push, n)?;
        let p_near = self.output(DENSITIES, "P_near", pushes.p_near, n)?;
        let (rho, n_items) = (self.output(DENSITIES, "rho", rho, n)?, count(n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe {
            self.start(DENSITIES, n, arguments![*self.constants, near, place, n_items, push, p_near, rho])
        }
    }

    /// What all pairs do to each particle, from the same positions: `[Δx ·]`, and |Δx|² `[m²]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn displacements(
        &self,
        near: Near<'_>,
        pushes: &Pushes<'_>,
        n: usize,
        delta: &mut Field<Packed>,
        way2: &mut Field<Real>,
    ) -> Launched {
        let near = self.near(DISPLACEMENTS, &near, n)?;
        let push = self.input(DISPLACEMENTS, "push", &*pushes.push, n)?;
        let p_near = self.input(DISPLACEMENTS, "P_near", &*pushes.p_near, n)?;
        let delta = self.output(DISPLACEMENTS, "delta", delta, n)?;
        let (way2, n_items) = (self.output(DISPLACEMENTS, "way2", way2, n)?, count(n)?);
        // SAFETY: as of `densities`.
        unsafe {
            self.start(
                DISPLACEMENTS,
                n,
                arguments![*self.constants, near, push, p_near, n_items, delta, way2],
            )
        }
    }

    /// `place ← place + delta`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn displace(&self, delta: &Field<Packed>, n: usize, place: &mut Field<Packed>) -> Launched {
        let delta = self.input(DISPLACE, "delta", delta, n)?;
        let place = self.output(DISPLACE, "place", place, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(DISPLACE, n, arguments![delta, count(n)?, place]) }
    }

    /// The particles of each cell of a color one after the other, each moving its neighbors at once. `pushes` is written
    /// where it is asked for.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn sweep(
        &self,
        color: &Color<D>,
        near: Near<'_>,
        place: &mut Field<Packed>,
        n: usize,
        pushes: Option<Pushes<'_>>,
        found: Found<'_>,
    ) -> Launched {
        let near = self.near(SWEEP, &near, n)?;
        let (push, p_near) = match pushes {
            None => (Out::new(0), Out::new(0)),
            Some(Pushes { push, p_near }) => {
                (self.output(SWEEP, "push", push, n)?, self.output(SWEEP, "P_near", p_near, n)?)
            }
        };
        let place = self.output(SWEEP, "place", place, n)?;
        let rho = self.output(SWEEP, "rho", found.rho, n)?;
        let way2 = self.output(SWEEP, "way2", found.way2, n)?;
        let (swept, launch) =
            (Swept { place, rho, way2, push, p_near }, Self::of_cells(SWEEP, color, WARP, THREADS)?);
        // SAFETY: cells hold particles below n, and rows name points that were listed, of which there are as many as
        // records; the kernel asks whether `push` is nowhere.
        unsafe { self.executor.launch(launch, arguments![*self.constants, *color, near, swept]) }
    }

    /// Forces on samples of bodies `[N]`: the opposite of what the fluid got from them. `rows` are those of walls in fluid,
    /// `factor` is m ω/dt² `[kg/s²]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn push_back(
        &self,
        rows: &NeighborRows,
        pushes: &Pushes<'_>,
        samples: &Field<Packed>,
        sets: Sets<'_>,
        n_walls: usize,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let rows = self.rows(PUSH_BACK, rows, n_walls)?;
        let (push, p_near) = (self.executor.input(&*pushes.push), self.executor.input(&*pushes.p_near));
        let samples = self.input(PUSH_BACK, "samples", samples, n_walls)?;
        let sets = sets.table(self.executor, PUSH_BACK, n_walls)?;
        let (n_items, force) = (count(n_walls)?, self.writable(PUSH_BACK, "force", force, n_walls)?);
        // SAFETY: as of `densities`.
        unsafe {
            self.start(
                PUSH_BACK,
                n_walls,
                arguments![*self.constants, rows, push, p_near, samples, sets, n_items, factor, force],
            )
        }
    }
}
