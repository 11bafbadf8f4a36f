//! The phases of weakly compressible SPH: launchers of `kernels/wcsph.cu`; `wcsph_motion.rs` has those that
//! move particles.
//!
//! Names and order are those of the loops in `solver-wcsph/src/cpu`. Records of particles are quads in arrays of their
//! own: `place` `[x y z s]`, with s the density in the density loops and p/ρ² in the others, `motion` `[v ρ]`, and
//! `extra` `[∇ρ ·]` or `[w ·]`. All particles are in the order of their cells.

use super::launch::{Launched, Launches};
use crate::{
    cells::CellSort,
    error::CudaError,
    executor::{Executor, Field, In, Kernel, arguments, count},
    fields::Packed,
    neighbors::{Near, NeighborRows, Source},
    physics::wcsph::Constants,
    variant::Walk,
    walls::Sets,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/wcsph.cu", name: $name };)+
    };
}
kernels! {
    SUMMATION = "wcsph_summation",
    GRADIENT = "wcsph_gradient",
    CONTINUITY = "wcsph_continuity",
    PACK = "wcsph_pack",
    PRESSURE = "wcsph_pressure",
    PACK_SAMPLES = "wcsph_pack_samples",
    PACK_WALLS = "wcsph_pack_walls",
    EXTRAPOLATE = "wcsph_extrapolate",
    ACCELERATION = "wcsph_acceleration",
    REACTION = "wcsph_reaction",
}

/// Twin of `Walls` in kernels/wcsph.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct WallRecords<const D: usize> {
    near: Near<D>,
    motion: In<Packed>,
    mass: In<Packed>,
}

/// Records of the fluid, or of the samples of walls.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a, const D: usize> {
    /// Their cells.
    pub cells: &'a CellSort<D>,
    /// `[x y z s]`, s being the density, p/ρ² or psi. Shape `[n]`.
    pub place: &'a Field<Packed>,
    /// `[v ρ]`; not read of walls in the density loops. Shape `[n]`.
    pub motion: &'a Field<Packed>,
    /// Rows of the fluid among itself, which [`Walk::Kept`] alone reads, and needs.
    pub rows: Option<&'a NeighborRows>,
}

/// Records of walls for the momentum loop.
#[derive(Clone, Copy, Debug)]
pub struct Walls<'a, const D: usize> {
    /// `[x y z p/ρ²]` and `[v ρ]`.
    pub records: Records<'a, D>,
    /// `[psi, psi where fluid sticks, · ·]`, `[kg]`. Shape `[n_walls]`.
    pub mass: &'a Field<Packed>,
}

/// What dummy walls take from the fluid.
#[derive(Debug)]
pub struct Extrapolated<const D: usize> {
    /// Pressure, `[Pa]`. Shape `[n_walls]`.
    pub p: Field<Real>,
    /// Mean velocity of the fluid in reach, `[m/s]`. Shape `[D][n_walls]`.
    pub v: [Field<Real>; D],
    /// 0 where no fluid is in reach. Shape `[n_walls]`.
    pub found: Field<u32>,
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
    pub(super) fn near(&self, kernel: Kernel, records: &Records<'_, D>) -> Result<Near<D>, CudaError> {
        let source = Source { cells: records.cells, records: records.place };
        let near = source.near(self.executor, kernel, self.constants.kernel.support.h)?;
        let n = records.cells.order.len();
        records.rows.map_or(Ok(near), |rows| Ok(near.with_rows(self.rows(kernel, rows, n)?)))
    }

    /// The fluid as its own loops find it.
    pub(super) fn own(&self, kernel: Kernel, fluid: &Records<'_, D>) -> Result<Near<D>, CudaError> {
        if self.executor.variant().walk == Walk::Kept {
            let listed = fluid.rows.map_or(0, |rows| rows.count.len());
            kernel.expect("rows", listed, fluid.cells.order.len())?;
        }
        self.near(kernel, fluid)
    }

    fn walls(&self, kernel: Kernel, walls: &Walls<'_, D>) -> Result<WallRecords<D>, CudaError> {
        let n = walls.records.cells.order.len();
        Ok(WallRecords {
            near: self.near(kernel, &walls.records)?,
            motion: self.input(kernel, "motion of walls", walls.records.motion, n)?,
            mass: self.input(kernel, "mass of walls", walls.mass, n)?,
        })
    }

    /// Summed density of `n` particles into `rho`. Walls are `[x y z psi]`.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails; so for all launchers here.
    pub fn summation(
        &self,
        fluid: Records<'_, D>,
        walls: Records<'_, D>,
        n: usize,
        rho: &mut Field<Real>,
    ) -> Launched {
        let rho = self.output(SUMMATION, "rho", rho, n)?;
        let (fluid, walls) = (self.own(SUMMATION, &fluid)?, self.near(SUMMATION, &walls)?);
        // SAFETY: a walk names points below the number of sorted ones, which `near` has checked.
        unsafe { self.start(SUMMATION, n, arguments![*self.constants, fluid, walls, count(n)?, rho]) }
    }

    /// Corrected gradient of density into `extra`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn gradient(&self, fluid: Records<'_, D>, n: usize, extra: &mut Field<Packed>) -> Launched {
        let extra = self.output(GRADIENT, "extra", extra, n)?;
        let fluid = self.own(GRADIENT, &fluid)?;
        // SAFETY: as of `summation`.
        unsafe { self.start(GRADIENT, n, arguments![*self.constants, fluid, count(n)?, extra]) }
    }

    /// Advances densities by `dt` `[s]` with the continuity equation. Walls are `[x y z psi]`, with velocities `wall_v`.
    /// `extra` holds gradients if the diffusion is corrected.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads, by name")]
    pub fn continuity(
        &self,
        fluid: Records<'_, D>,
        walls: Records<'_, D>,
        wall_v: &[Field<Real>; D],
        extra: &Field<Packed>,
        n: usize,
        dt: Real,
        rho: &mut Field<Real>,
    ) -> Launched {
        let motion = self.input(CONTINUITY, "motion", fluid.motion, n)?;
        let n_extra = if self.constants.corrected_diffusion == 0 { 0 } else { n };
        let extra = self.input(CONTINUITY, "extra", extra, n_extra)?;
        let wall_v = self.points(CONTINUITY, "wall_v", wall_v, walls.cells.order.len())?;
        let (fluid, walls) = (self.own(CONTINUITY, &fluid)?, self.near(CONTINUITY, &walls)?);
        let (n_items, rho) = (count(n)?, self.output(CONTINUITY, "rho", rho, n)?);
        // SAFETY: as of `summation`.
        unsafe {
            self.start(
                CONTINUITY,
                n,
                arguments![*self.constants, fluid, walls, motion, extra, wall_v, n_items, dt, rho],
            )
        }
    }

    /// Records of the density loops: `[x y z ρ]` and `[v ρ]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn pack(
        &self,
        x: &[Field<Real>; D],
        v: &[Field<Real>; D],
        rho: &Field<Real>,
        n: usize,
        place: &mut Field<Packed>,
        motion: &mut Field<Packed>,
    ) -> Launched {
        let (x, v) = (self.points(PACK, "x", x, n)?, self.points(PACK, "v", v, n)?);
        let (rho, place) = (self.input(PACK, "rho", rho, n)?, self.output(PACK, "place", place, n)?);
        let motion = self.output(PACK, "motion", motion, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(PACK, n, arguments![x, v, rho, count(n)?, place, motion]) }
    }

    /// Pressures into `p`, and records `[x y z p/ρ²]` and `[v ρ]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn pressure(
        &self,
        x: &[Field<Real>; D],
        v: &[Field<Real>; D],
        rho: &Field<Real>,
        n: usize,
        p: &mut Field<Real>,
        place: &mut Field<Packed>,
        motion: &mut Field<Packed>,
    ) -> Launched {
        let (x, v) = (self.points(PRESSURE, "x", x, n)?, self.points(PRESSURE, "v", v, n)?);
        let (rho, p) = (self.input(PRESSURE, "rho", rho, n)?, self.output(PRESSURE, "p", p, n)?);
        let place = self.output(PRESSURE, "place", place, n)?;
        let motion = self.output(PRESSURE, "motion", motion, n)?;
        // SAFETY: all fields have n items.
        unsafe {
            self.start(PRESSURE, n, arguments![*self.constants, x, v, rho, count(n)?, p, place, motion])
        }
    }

    /// Records of walls `[x y z psi]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn pack_samples(
        &self,
        x: &[Field<Real>; D],
        volume: &Field<Real>,
        n: usize,
        place: &mut Field<Packed>,
    ) -> Launched {
        let x = self.points(PACK_SAMPLES, "x", x, n)?;
        let volume = self.input(PACK_SAMPLES, "volume", volume, n)?;
        let place = self.output(PACK_SAMPLES, "place", place, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(PACK_SAMPLES, n, arguments![*self.constants, x, volume, count(n)?, place]) }
    }

    /// Records of walls for the momentum loop: `[x y z p/ρ²]`, `[v ρ]` and `[psi, psi where fluid sticks, · ·]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn pack_walls(
        &self,
        samples: &Field<Packed>,
        v: &[Field<Real>; D],
        sets: Sets<'_>,
        fluid: &Extrapolated<D>,
        n: usize,
        place: &mut Field<Packed>,
        motion: &mut Field<Packed>,
        mass: &mut Field<Packed>,
    ) -> Launched {
        let samples = self.input(PACK_WALLS, "samples", samples, n)?;
        let (v, mean) = (self.points(PACK_WALLS, "v", v, n)?, self.points(PACK_WALLS, "mean", &fluid.v, n)?);
        let sets = sets.table(self.executor, PACK_WALLS, n)?;
        let (p, found) =
            (self.input(PACK_WALLS, "p", &fluid.p, n)?, self.input(PACK_WALLS, "found", &fluid.found, n)?);
        let place = self.output(PACK_WALLS, "place", place, n)?;
        let (motion, mass) =
            (self.output(PACK_WALLS, "motion", motion, n)?, self.output(PACK_WALLS, "mass", mass, n)?);
        let n_items = count(n)?;
        // SAFETY: all fields have n items.
        unsafe {
            self.start(
                PACK_WALLS,
                n,
                arguments![*self.constants, samples, v, sets, p, mean, found, n_items, place, motion, mass],
            )
        }
    }

    /// Pressure and velocity of the fluid at `n` samples at `x`, with accelerations `a` `[m/s²]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn extrapolate(
        &self,
        fluid: Records<'_, D>,
        x: &[Field<Real>; D],
        a: &[Field<Real>; D],
        n: usize,
        out: &mut Extrapolated<D>,
    ) -> Launched {
        let motion = self.input(EXTRAPOLATE, "motion", fluid.motion, fluid.cells.order.len())?;
        let (x, a) = (self.points(EXTRAPOLATE, "x", x, n)?, self.points(EXTRAPOLATE, "a", a, n)?);
        let (p, found) = (
            self.output(EXTRAPOLATE, "p", &mut out.p, n)?,
            self.output(EXTRAPOLATE, "found", &mut out.found, n)?,
        );
        let mean = self.writable(EXTRAPOLATE, "mean", &mut out.v, n)?;
        let (fluid, n_items) = (self.near(EXTRAPOLATE, &fluid)?, count(n)?);
        // SAFETY: as of `summation`.
        unsafe {
            self.start(
                EXTRAPOLATE,
                n,
                arguments![*self.constants, fluid, motion, x, a, n_items, p, mean, found],
            )
        }
    }

    /// Accelerations by pressure, viscosity, walls and outer forces into `a`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn acceleration(
        &self,
        fluid: Records<'_, D>,
        walls: Walls<'_, D>,
        n: usize,
        a: &mut [Field<Real>; D],
    ) -> Launched {
        let motion = self.input(ACCELERATION, "motion", fluid.motion, n)?;
        let (walls, a) = (self.walls(ACCELERATION, &walls)?, self.writable(ACCELERATION, "a", a, n)?);
        let fluid = self.own(ACCELERATION, &fluid)?;
        // SAFETY: as of `summation`.
        unsafe {
            self.start(ACCELERATION, n, arguments![*self.constants, fluid, motion, walls, count(n)?, a])
        }
    }

    /// Forces on those of `n` samples whose set is [`RIGID`](crate::walls::RIGID) into `force`, 0 on the others.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn reaction(
        &self,
        fluid: Records<'_, D>,
        walls: Walls<'_, D>,
        sets: Sets<'_>,
        n: usize,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let motion = self.input(REACTION, "motion", fluid.motion, fluid.cells.order.len())?;
        let (walls, force) = (self.walls(REACTION, &walls)?, self.writable(REACTION, "force", force, n)?);
        let (fluid, sets) = (self.near(REACTION, &fluid)?, sets.table(self.executor, REACTION, n)?);
        // SAFETY: as of `summation`.
        unsafe {
            self.start(REACTION, n, arguments![*self.constants, fluid, motion, walls, sets, count(n)?, force])
        }
    }
}
