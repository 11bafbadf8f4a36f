//! The phases of the staggered projection: launchers of `kernels/projection.cu`; `projection_cg.rs`,
//! `projection_levels.rs`, `projection_multilevel.rs`, `projection_motion.rs`, `projection_velocity.rs`,
//! `projection_viscosity.rs` and `projection_reaction.rs` have those of the other texts.
//!
//! Names and order are those of the loops in `solver-projection/src/cpu`. Records of particles are quads in arrays of
//! their own: `place` `[x y z 1/α]`, `motion` `[v*, 1 beside a wall]` and later `[v ρ]`, `crowd` `[Σ w n | Σ w]`,
//! `sums` `[Σ_j a w² | the same with ghosts | D v* | Σ_j of what ghosts leave out in entries]`, what ghosts leave out
//! in [`Along`], and of walls those of [`Walls`]. All particles are in the order of their cells, and entries of the
//! matrix stand where rows have their neighbors.
//!
//! **Health.** A launcher that may find a particle unhealthy sets its flag in `lost` to 1 and leaves all others.

use super::launch::{Launched, Launches};
use crate::{
    containers::Enclosure,
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Out, Plain, arguments, count},
    fields::Packed,
    neighbors::{NeighborRows, StoredRows},
    physics::projection::Constants,
    walls::Sets,
};
use sph_core::{
    Real,
    fluid::barrier::{Barrier, Pose},
    geometry::sampling::Side,
    numerics::lane::each,
};

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection.cu", name: $name };)+
    };
}
kernels! {
    PACK_WALLS = "projection_pack_walls", CROWD = "projection_crowd", BESIDE = "projection_beside",
    ASSEMBLE = "projection_assemble", MAKE_UP = "projection_make_up", CLASSIFY = "projection_classify",
}

/// Twin of `Walls` in kernels/projection.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct WallRecords {
    samples: In<Packed>,
    motion: In<Packed>,
    normal: In<Packed>,
}

/// Twin of `Near` in kernels/projection.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct NearRows {
    fluid: StoredRows,
    walls: StoredRows,
    ghosts: WallRecords,
}

/// Twin of `AlongRecords` in kernels/projection.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct AlongRecords {
    along: Out<Packed>,
    beside: Out<Packed>,
}

/// Twin of `Equation` in kernels/projection.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct EquationFields {
    air: Out<Real>,
    diagonal: Out<Real>,
    b: Out<Real>,
}

/// The surface of a wall, and where it is. Twin of `Facing` in kernels/projection.cu.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Facing<const D: usize> {
    region: Enclosure<D>,
    columns: [[f64; D]; D],
    shift: [f64; D],
    outside: i32,
    posed: i32,
}

impl<const D: usize> Facing<D> {
    /// Of a wall that is at `pose`, or where it was drawn.
    pub fn new(barrier: &Barrier<D>, pose: Option<&Pose<D>>) -> Self {
        let region = Enclosure::of_region(&barrier.region);
        let outside = (barrier.side == Side::Outside).into();
        pose.map_or(Self { region, outside, ..Self::default() }, |pose| Self {
            region,
            outside,
            columns: *pose.columns(),
            shift: *pose.shift(),
            posed: 1,
        })
    }
}

impl<const D: usize> Default for Facing<D> {
    fn default() -> Self {
        let columns = each(|k| each(|a| if a == k { 1.0 } else { 0.0 }));
        Self { region: Enclosure::default(), columns, shift: [0.0; D], outside: 0, posed: 0 }
    }
}

// SAFETY: of `repr(C)`, of numbers alone, of which all may be zero.
unsafe impl<const D: usize> Plain for Facing<D> {}

/// Wall samples, as [`Launcher::pack_walls`] reads them.
#[derive(Clone, Copy, Debug)]
pub struct WallFields<'a, const D: usize> {
    /// Positions. Shape `[D][n]`, `[m]`.
    pub x: &'a [Field<Real>; D],
    /// Positions in the drawing, of a body in its own frame. Shape `[D][n]`, `[m]`.
    pub x_0: &'a [Field<Real>; D],
    /// Velocities. Shape `[D][n]`, `[m/s]`.
    pub v: &'a [Field<Real>; D],
    /// Their rigid sets.
    pub sets: Sets<'a>,
    /// The place of each rigid set's surface among `facings`, or [`NONE`](crate::reduce::NONE). Shape `[n_sets]`.
    pub surface: &'a Field<u32>,
    /// Surfaces of walls. Shape `[n_surfaces]`.
    pub facings: &'a Field<Facing<D>>,
}

/// Records of wall samples. Shapes `[n_walls]`.
#[derive(Debug)]
pub struct Walls {
    /// `[x y z depth]`, `[m]`.
    pub samples: Field<Packed>,
    /// `[v τ]`.
    pub motion: Field<Packed>,
    /// `[n ·]`, normals into the fluid.
    pub normal: Field<Packed>,
}

/// What ghosts leave out along their walls; both empty where the fluid does not make up for it. Shapes `[n]`.
#[derive(Debug)]
pub struct Along {
    /// `[E_xx E_xy E_xz E_yy]`.
    pub along: Field<Packed>,
    /// `[E_yz E_zz E/G ·]`.
    pub beside: Field<Packed>,
}

/// Neighbors of the fluid.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// Rows of fluid in fluid, of `n` particles.
    pub fluid: &'a NeighborRows,
    /// Rows of fluid in walls, of `n` particles.
    pub walls: &'a NeighborRows,
    /// Records of all samples that rows name.
    pub ghosts: &'a Walls,
}

/// What the equation is made of. Shapes `[n]`.
#[derive(Debug)]
pub struct Equation<'a> {
    /// Weight `s_i` of the air, `[1/m²]`.
    pub air: &'a mut Field<Real>,
    /// Diagonal of the matrix, `[1/m²]`.
    pub diagonal: &'a mut Field<Real>,
    /// Right side, `[Pa/m²]`.
    pub b: &'a mut Field<Real>,
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
    pub(super) fn near(&self, kernel: Kernel, near: &Near<'_>, n: usize) -> Result<NearRows, CudaError> {
        Ok(NearRows {
            fluid: self.rows(kernel, near.fluid, n)?,
            walls: self.rows(kernel, near.walls, n)?,
            ghosts: self.walls(kernel, near.ghosts, 0)?,
        })
    }

    /// Records of at least `n` samples.
    pub(super) fn walls(&self, kernel: Kernel, of: &Walls, n: usize) -> Result<WallRecords, CudaError> {
        Ok(WallRecords {
            samples: self.input(kernel, "samples", &of.samples, n)?,
            motion: self.input(kernel, "motion of walls", &of.motion, n)?,
            normal: self.input(kernel, "normals", &of.normal, n)?,
        })
    }

    /// What ghosts leave out, touched only if the fluid makes up for it.
    pub(super) fn along(&self, kernel: Kernel, of: &mut Along, n: usize) -> Result<AlongRecords, CudaError> {
        let n = if self.constants.along == 0 { 0 } else { n };
        Ok(AlongRecords {
            along: self.output(kernel, "along", &mut of.along, n)?,
            beside: self.output(kernel, "beside", &mut of.beside, n)?,
        })
    }

    /// Records of `n` samples: `[x y z depth]`, `[v τ]` and `[n ·]`.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails; so for all launchers here.
    pub fn pack_walls(&self, of: WallFields<'_, D>, n: usize, out: &mut Walls) -> Launched {
        let (x, v) = (self.points(PACK_WALLS, "x", of.x, n)?, self.points(PACK_WALLS, "v", of.v, n)?);
        let x_0 = self.points(PACK_WALLS, "x_0", of.x_0, n)?;
        let sets = of.sets.table(self.executor, PACK_WALLS, n)?;
        let n_sets = of.sets.flags.len();
        let surface = self.input(PACK_WALLS, "surface", of.surface, n_sets)?;
        let (facings, n_items) = (self.executor.input(of.facings), count(n)?);
        let samples = self.output(PACK_WALLS, "samples", &mut out.samples, n)?;
        let motion = self.output(PACK_WALLS, "motion", &mut out.motion, n)?;
        let normal = self.output(PACK_WALLS, "normal", &mut out.normal, n)?;
        // SAFETY: all fields have n items, and tables one of each set and surface.
        unsafe {
            self.start(
                PACK_WALLS,
                n,
                arguments![
                    *self.constants,
                    x,
                    x_0,
                    v,
                    sets,
                    surface,
                    facings,
                    n_items,
                    samples,
                    motion,
                    normal
                ],
            )
        }
    }

    /// How many neighbors there are and where they are missing, and densities `[kg/m³]`; `lost` becomes 1 where these
    /// are not finite.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn crowd(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        n: usize,
        crowd: &mut Field<Packed>,
        rho: &mut Field<Real>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let (near, place) = (self.near(CROWD, &near, n)?, self.input(CROWD, "place", place, n)?);
        let (crowd, rho) = (self.output(CROWD, "crowd", crowd, n)?, self.output(CROWD, "rho", rho, n)?);
        let (lost, n_items) = (self.output(CROWD, "lost", lost, n)?, count(n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe { self.start(CROWD, n, arguments![*self.constants, near, place, n_items, crowd, rho, lost]) }
    }

    /// 1/α into the records `place`, velocities and who stands beside a wall into `motion`, and what ghosts leave
    /// out; `lost` becomes 1 where a number is not finite.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn beside(
        &self,
        near: Near<'_>,
        crowd: &Field<Packed>,
        v: &[Field<Real>; D],
        n: usize,
        place: &mut Field<Packed>,
        motion: &mut Field<Packed>,
        along: &mut Along,
        lost: &mut Field<u32>,
    ) -> Launched {
        let (near, crowd) = (self.near(BESIDE, &near, n)?, self.input(BESIDE, "crowd", crowd, n)?);
        let (v, place) = (self.points(BESIDE, "v", v, n)?, self.output(BESIDE, "place", place, n)?);
        let (motion, along) = (self.output(BESIDE, "motion", motion, n)?, self.along(BESIDE, along, n)?);
        let (lost, n_items) = (self.output(BESIDE, "lost", lost, n)?, count(n)?);
        // SAFETY: as of `crowd`.
        unsafe {
            self.start(
                BESIDE,
                n,
                arguments![*self.constants, near, crowd, v, n_items, place, motion, @out along, lost],
            )
        }
    }

    /// Entries of the matrix, which have the layout of the rows of the fluid, the sums of each row with the
    /// divergence, and the part `share` of a particle's pressure that its pair forces have `[-]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn assemble(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        motion: &Field<Packed>,
        along: &mut Along,
        n: usize,
        entries: &mut Field<Real>,
        sums: &mut Field<Packed>,
        share: &mut Field<Real>,
    ) -> Launched {
        let (n_entries, has_walls) = (near.fluid.entries(), !near.ghosts.samples.is_empty());
        let near = self.near(ASSEMBLE, &near, n)?;
        let place = self.input(ASSEMBLE, "place", place, n)?;
        let motion = self.input(ASSEMBLE, "motion", motion, n)?;
        let entries = self.output(ASSEMBLE, "entries", entries, n_entries)?;
        let sums = self.output(ASSEMBLE, "sums", sums, n)?;
        let (share, n_items) = (self.output(ASSEMBLE, "share", share, n)?, count(n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records, and entries are as many.
        unsafe {
            self.start(
                ASSEMBLE,
                n,
                arguments![*self.constants, near, place, motion, n_items, entries, sums, share],
            )?;
        }
        if self.constants.along == 0 || !has_walls {
            return Ok(());
        }
        let along = self.along(MAKE_UP, along, n)?;
        // SAFETY: as above.
        unsafe {
            self.start(
                MAKE_UP,
                n,
                arguments![*self.constants, near, place, motion, @all along, n_items, entries, sums],
            )
        }
    }

    /// The free surface, with the diagonal and the right side of the equation; `rates` are ρ₀/dt of the divergence
    /// `[kg/(m³ s)]` and that of the density error `[kg/(m³ s²)]`. `lost` becomes 1 where these are not finite.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn classify(
        &self,
        sums: &Field<Packed>,
        crowd: &Field<Packed>,
        rho: &Field<Real>,
        rates: [Real; 2],
        n: usize,
        out: Equation<'_>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let (sums, crowd) =
            (self.input(CLASSIFY, "sums", sums, n)?, self.input(CLASSIFY, "crowd", crowd, n)?);
        let (rho, [rate, excess_rate]) = (self.input(CLASSIFY, "rho", rho, n)?, rates);
        let out = EquationFields {
            air: self.output(CLASSIFY, "air", out.air, n)?,
            diagonal: self.output(CLASSIFY, "diagonal", out.diagonal, n)?,
            b: self.output(CLASSIFY, "b", out.b, n)?,
        };
        let (lost, n_items) = (self.output(CLASSIFY, "lost", lost, n)?, count(n)?);
        // SAFETY: all fields have n items.
        unsafe {
            self.start(
                CLASSIFY,
                n,
                arguments![*self.constants, sums, crowd, rho, rate, excess_rate, n_items, out, lost],
            )
        }
    }
}
