//! Cohesion, surface tension and adhesion in Position Based Fluids: launchers of `kernels/pbf_tension.cu`.
//!
//! For particles of one mass. Records of the fluid are `x4` `[x y z ρ]`, as [`Launcher::pack_densities`] makes them.

use super::{
    launch::{Launched, Launches},
    pbf::{Bodies, Launcher, Near},
};
use crate::{
    executor::{Field, Kernel, arguments, count},
    fields::Packed,
    neighbors::NeighborRows,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/pbf_tension.cu", name: $name };)+
    };
}
kernels! { COLOR_NORMALS = "pbf_color_normals", TENSION = "pbf_tension", PULL_BACK = "pbf_pull_back" }

impl<const D: usize> Launcher<'_, D> {
    /// Color normals and densities `[n ρ]` of the records `x4`, for [`Launcher::tension`].
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn color_normals(
        &self,
        rows: &NeighborRows,
        x4: &Field<Packed>,
        n: usize,
        normal: &mut Field<Packed>,
    ) -> Launched {
        let (rows, x4) = (self.rows(COLOR_NORMALS, rows, n)?, self.input(COLOR_NORMALS, "x4", x4, n)?);
        let (n_items, normal) = (count(n)?, self.output(COLOR_NORMALS, "normal", normal, n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe { self.start(COLOR_NORMALS, n, arguments![*self.constants, @fluid rows, x4, n_items, normal]) }
    }

    /// Accelerations `a` `[m/s²]` by cohesion, curvature and adhesion to walls.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn tension(
        &self,
        near: Near<'_>,
        x4: &Field<Packed>,
        normal: &Field<Packed>,
        n: usize,
        a: &mut [Field<Real>; D],
    ) -> Launched {
        let (fluid, walls) = (self.rows(TENSION, near.fluid, n)?, self.rows(TENSION, near.walls, n)?);
        let (x4, normal) = (self.input(TENSION, "x4", x4, n)?, self.input(TENSION, "normal", normal, n)?);
        let samples = self.executor.input(near.samples);
        let (n_items, a) = (count(n)?, self.writable(TENSION, "a", a, n)?);
        // SAFETY: as of `color_normals`.
        unsafe {
            self.start(TENSION, n, arguments![*self.constants, fluid, walls, x4, normal, samples, n_items, a])
        }
    }

    /// Adds to `force` `[N]` what samples of bodies feel of the adhesion.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn pull_back(
        &self,
        bodies: Bodies<'_>,
        x4: &Field<Packed>,
        n_walls: usize,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let (rows, x4) = (self.rows(PULL_BACK, bodies.rows, n_walls)?, self.executor.input(x4));
        let samples = self.input(PULL_BACK, "samples", bodies.samples, n_walls)?;
        let sets = bodies.sets.table(self.executor, PULL_BACK, n_walls)?;
        let (n_items, force) = (count(n_walls)?, self.writable(PULL_BACK, "force", force, n_walls)?);
        // SAFETY: as of `color_normals`.
        unsafe {
            self.start(
                PULL_BACK,
                n_walls,
                arguments![*self.constants, rows, x4, samples, sets, n_items, force],
            )
        }
    }
}
