//! The phases of Position Based Fluids: launchers of `kernels/pbf.cu`; `pbf_motion.rs`, `pbf_velocity.rs`,
//! `pbf_surface.rs`, `pbf_tension.rs` and `pbf_reaction.rs` have those of the other texts.
//!
//! Names and order are those of the loops in `solver-pbf/src/cpu`. Records of particles are quads in arrays of their
//! own: `place` `[x y z ·]`, `push` `[x y z λ̂]`, `delta` `[Δx count]`, `at` `[x y z m]`, `motion` `[v ρ]`, and of walls
//! `samples` `[x y z psi]` and `motion` `[v no-slip]`. If masses are unequal, μ is a field beside. All particles are in
//! the order of their cells, and neighbors come from rows that were listed at the predicted positions.
//!
//! **Health.** A launcher that may find a particle unhealthy sets its flag in `lost` to 1 and leaves all others: who
//! clears the flags once and reads their largest by [`Reduce::max_counts`] knows of all phases in between.
//!
//! [`Reduce::max_counts`]: crate::reduce::Reduce::max_counts

use super::launch::{Launched, Launches};
use crate::{
    containers::Containers,
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Writable, arguments, count},
    fields::Packed,
    neighbors::{NeighborRows, StoredRows},
    physics::pbf::Constants,
    walls::Sets,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/pbf.cu", name: $name };)+
    };
}
kernels! {
    PACK = "pbf_pack", PACK_WALLS = "pbf_pack_walls", LAMBDA = "pbf_lambda", DENSITY = "pbf_density",
    DELTA_X = "pbf_delta_x", APPLY = "pbf_apply",
}

/// Twin of `Near` in kernels/pbf.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct NearRows {
    fluid: StoredRows,
    walls: StoredRows,
    samples: In<Packed>,
    mu: In<Real>,
}

/// Twin of `Past` in kernels/pbf.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct PastFields<const D: usize> {
    pub(super) way: Writable<D>,
    pub(super) gain: Writable<D>,
}

/// Neighbors of the fluid, and what the loops over the constraint read beside its records.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// Rows of fluid in fluid, of `n` particles.
    pub fluid: &'a NeighborRows,
    /// Rows of fluid in walls, of `n` particles.
    pub walls: &'a NeighborRows,
    /// `[x y z psi]` of all samples that rows name.
    pub samples: &'a Field<Packed>,
    /// Masses over that at rest, of unequal ones; else it is not read. Shape `[n]`, `[-]`.
    pub mu: &'a Field<Real>,
}

/// Wall samples, as [`Launcher::pack_walls`] reads them.
#[derive(Clone, Copy, Debug)]
pub struct WallFields<'a, const D: usize> {
    /// Positions. Shape `[D][n]`, `[m]`.
    pub x: &'a [Field<Real>; D],
    /// Volumes. Shape `[n]`, `[m^D]`.
    pub volume: &'a Field<Real>,
    /// Velocities, read if walls have viscosity. Shape `[D][n]`, `[m/s]`.
    pub v: &'a [Field<Real>; D],
    /// Their rigid sets, read if walls have viscosity.
    pub sets: Sets<'a>,
}

/// What the second-order update remembers of the last step.
#[derive(Debug)]
pub struct Past<'a, const D: usize> {
    /// Ways of the particles. Shape `[D][n]`, `[m]`.
    pub way: &'a mut [Field<Real>; D],
    /// Changes of velocity but for what was done to velocities alone. Shape `[D][n]`, `[m/s]`.
    pub gain: &'a mut [Field<Real>; D],
}

/// Records with velocities, of the fluid or of samples that it sticks to.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// `[x y z m]` of the fluid, `[x y z psi]` of samples. Shape `[n]`.
    pub at: &'a Field<Packed>,
    /// `[v ρ]` of the fluid, `[v no-slip]` of samples. Shape `[n]`.
    pub motion: &'a Field<Packed>,
}

/// Vorticities, written by [`Launcher::vorticity`].
#[derive(Debug)]
pub struct Vortices {
    /// `[x y z V]`. Shape `[n]`.
    pub whirl: Field<Packed>,
    /// `[ω |ω|]`, `[1/s]`. Shape `[n]`.
    pub spin: Field<Packed>,
    /// |ω|², whose sum [`Launcher::confine`] reads. Shape `[n]`, `[1/s²]`.
    pub squares: Field<Real>,
}

/// Wall samples, some of them those of dynamic bodies.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Rows of walls in fluid.
    pub rows: &'a NeighborRows,
    /// `[x y z psi]`. Shape `[n_walls]`.
    pub samples: &'a Field<Packed>,
    /// Their rigid sets.
    pub sets: Sets<'a>,
}

/// Launches the phases, of one set of constants.
#[derive(Clone, Copy, Debug)]
pub struct Launcher<'a, const D: usize> {
    /// Where they run.
    pub executor: &'a dyn Executor,
    /// What they read.
    pub constants: &'a Constants<D>,
    /// The smoothing kernel of `constants.kernel`: [`KernelKind::type_name`](sph_core::kernel::KernelKind::type_name).
    pub smoothing: &'static str,
}

impl<const D: usize> Launches<D> for Launcher<'_, D> {
    fn executor(&self) -> &dyn Executor {
        self.executor
    }

    fn smoothing(&self) -> Option<&'static str> {
        Some(self.smoothing)
    }
}

impl<const D: usize> Launcher<'_, D> {
    fn near(&self, kernel: Kernel, near: &Near<'_>, n: usize) -> Result<NearRows, CudaError> {
        Ok(NearRows {
            fluid: self.rows(kernel, near.fluid, n)?,
            walls: self.rows(kernel, near.walls, n)?,
            samples: self.executor.input(near.samples),
            mu: self.mu(kernel, near.mu, n)?,
        })
    }

    /// Masses, which only unequal ones need.
    pub(super) fn mu(&self, kernel: Kernel, mu: &Field<Real>, n: usize) -> Result<In<Real>, CudaError> {
        self.input(kernel, "mu", mu, if self.constants.unequal == 0 { 0 } else { n })
    }

    /// Items that are read of `n` if the fluid sticks to walls.
    pub(super) fn n_sticky(&self, n: usize) -> usize {
        if self.constants.wall_xsph > 0.0 { n } else { 0 }
    }

    /// Records `[x y z ·]` of the predicted positions `x`, and masses μ of unequal ones by `id`; of equal ones neither
    /// is touched.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails; so for all launchers here.
    pub fn pack(
        &self,
        x: &[Field<Real>; D],
        id: &Field<u64>,
        n: usize,
        place: &mut Field<Packed>,
        mu: &mut Field<Real>,
    ) -> Launched {
        let n_masses = if self.constants.unequal == 0 { 0 } else { n };
        let (x, id) = (self.points(PACK, "x", x, n)?, self.input(PACK, "id", id, n_masses)?);
        let (place, mu) = (self.output(PACK, "place", place, n)?, self.output(PACK, "mu", mu, n_masses)?);
        // SAFETY: all fields have n items, or are not touched.
        unsafe { self.start(PACK, n, arguments![*self.constants, x, id, count(n)?, place, mu]) }
    }

    /// Records of `n` samples: `[x y z psi]`, and `[v no-slip]` if walls have viscosity.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn pack_walls(
        &self,
        walls: WallFields<'_, D>,
        n: usize,
        samples: &mut Field<Packed>,
        motion: &mut Field<Packed>,
    ) -> Launched {
        let (x, sticky) = (self.points(PACK_WALLS, "x", walls.x, n)?, self.n_sticky(n));
        let volume = self.input(PACK_WALLS, "volume", walls.volume, n)?;
        let v = self.points(PACK_WALLS, "v", walls.v, sticky)?;
        let sets = walls.sets.table(self.executor, PACK_WALLS, sticky)?;
        let samples = self.output(PACK_WALLS, "samples", samples, n)?;
        let motion = self.output(PACK_WALLS, "motion", motion, sticky)?;
        let n_items = count(n)?;
        // SAFETY: all fields have n items, or are not touched.
        unsafe {
            self.start(
                PACK_WALLS,
                n,
                arguments![*self.constants, x, volume, v, sets, n_items, samples, motion],
            )
        }
    }

    /// Density, constraint and multiplier at the positions `place`: records `push` with λ̂ `[m²]`, densities
    /// `[kg/m³]`, and λ̂ once more. [`Reduce::density_errors`] makes of both what decides on the end of iterations.
    ///
    /// [`Reduce::density_errors`]: crate::reduce::Reduce::density_errors
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn lambda(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        n: usize,
        push: &mut Field<Packed>,
        rho: &mut Field<Real>,
        lambda: &mut Field<Real>,
    ) -> Launched {
        let (near, place) = (self.near(LAMBDA, &near, n)?, self.input(LAMBDA, "place", place, n)?);
        let (push, rho) = (self.output(LAMBDA, "push", push, n)?, self.output(LAMBDA, "rho", rho, n)?);
        let (lambda, n_items) = (self.output(LAMBDA, "lambda", lambda, n)?, count(n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe { self.start(LAMBDA, n, arguments![*self.constants, near, place, n_items, push, rho, lambda]) }
    }

    /// Density alone at the positions `place`.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn density(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        n: usize,
        rho: &mut Field<Real>,
    ) -> Launched {
        let (near, place) = (self.near(DENSITY, &near, n)?, self.input(DENSITY, "place", place, n)?);
        let rho = self.output(DENSITY, "rho", rho, n)?;
        // SAFETY: as of `lambda`.
        unsafe { self.start(DENSITY, n, arguments![*self.constants, near, place, count(n)?, rho]) }
    }

    /// What all constraints together ask for: `[Δx count]` of the records `push`. The count is that of the constraints
    /// if corrections are averaged.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn delta_x(
        &self,
        near: Near<'_>,
        push: &Field<Packed>,
        n: usize,
        delta: &mut Field<Packed>,
    ) -> Launched {
        let (near, push) = (self.near(DELTA_X, &near, n)?, self.input(DELTA_X, "push", push, n)?);
        let delta = self.output(DELTA_X, "delta", delta, n)?;
        // SAFETY: as of `lambda`.
        unsafe { self.start(DELTA_X, n, arguments![*self.constants, near, push, count(n)?, delta]) }
    }

    /// `x* ← x* + f Δx`, inside of the containers, where that is finite; `lost` becomes 1 elsewhere.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn apply(
        &self,
        containers: &Containers<D>,
        delta: &Field<Packed>,
        n: usize,
        place: &mut Field<Packed>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let (delta, place) = (self.input(APPLY, "delta", delta, n)?, self.output(APPLY, "place", place, n)?);
        let (lost, containers) = (self.output(APPLY, "lost", lost, n)?, containers.list(self.executor)?);
        // SAFETY: all fields have n items, and the list as many as it says.
        unsafe {
            self.start(APPLY, n, arguments![*self.constants, containers, delta, count(n)?, place, lost])
        }
    }
}
