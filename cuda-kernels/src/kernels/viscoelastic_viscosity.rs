//! Viscosity impulses: launchers of `kernels/viscoelastic_viscosity.cu`.

use super::{
    launch::{Launched, Launches},
    viscoelastic::Launcher,
};
use crate::{
    colors::Color,
    executor::{Field, Kernel, arguments, count},
    fields::Packed,
    neighbors::NeighborRows,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/viscoelastic_viscosity.cu", name: $name };)+
    };
}
kernels! {
    PACK_MOTION = "visco_pack_motion", IMPULSES = "visco_impulses", SWEEP_IMPULSES = "visco_sweep_impulses",
    UNPACK_MOTION = "visco_unpack_motion",
}

/// Threads a block of kernels with a cell for each: `CELL_THREADS` in colors.cuh.
pub(super) const CELL_THREADS: u32 = 32;

impl<const D: usize> Launcher<'_, D> {
    /// Records `[v ·]` of the velocities.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn pack_motion(&self, v: &[Field<Real>; D], n: usize, motion: &mut Field<Packed>) -> Launched {
        let v = self.points(PACK_MOTION, "v", v, n)?;
        let motion = self.output(PACK_MOTION, "motion", motion, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(PACK_MOTION, n, arguments![v, count(n)?, motion]) }
    }

    /// All impulses from the velocities of `motion`: `v_i = motion_i + ½ Σ_j I x_ij/r`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn impulses(
        &self,
        rows: &NeighborRows,
        place: &Field<Packed>,
        motion: &Field<Packed>,
        n: usize,
        v: &mut [Field<Real>; D],
    ) -> Launched {
        let (rows, place) = (self.rows(IMPULSES, rows, n)?, self.input(IMPULSES, "place", place, n)?);
        let motion = self.input(IMPULSES, "motion", motion, n)?;
        let v = self.writable(IMPULSES, "v", v, n)?;
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe { self.start(IMPULSES, n, arguments![*self.constants, rows, place, motion, count(n)?, v]) }
    }

    /// One pair of the cells of a color after the other, each seeing the velocities that the last one has left.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn sweep_impulses(
        &self,
        color: &Color<D>,
        rows: &NeighborRows,
        place: &Field<Packed>,
        n: usize,
        motion: &mut Field<Packed>,
    ) -> Launched {
        let kernel = SWEEP_IMPULSES;
        let (rows, place) = (self.rows(kernel, rows, n)?, self.input(kernel, "place", place, n)?);
        let motion = self.output(kernel, "motion", motion, n)?;
        let launch = Self::of_cells(kernel, color, 1, CELL_THREADS)?;
        // SAFETY: cells hold particles below n, and rows name points that were listed.
        unsafe { self.executor.launch(launch, arguments![*self.constants, *color, rows, place, motion]) }
    }

    /// The velocities of the records `motion`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn unpack_motion(&self, motion: &Field<Packed>, n: usize, v: &mut [Field<Real>; D]) -> Launched {
        let motion = self.input(UNPACK_MOTION, "motion", motion, n)?;
        let v = self.writable(UNPACK_MOTION, "v", v, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(UNPACK_MOTION, n, arguments![motion, count(n)?, v]) }
    }
}
