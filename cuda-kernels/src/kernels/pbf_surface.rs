//! The surface of the fluid as a constraint: launchers of `kernels/pbf_surface.cu`.

use super::{
    launch::{Launched, Launches},
    pbf::{Launcher, Near},
};
use crate::{
    executor::{Field, Kernel, arguments, count},
    fields::Packed,
    neighbors::NeighborRows,
};

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/pbf_surface.cu", name: $name };)+
    };
}
kernels! { SURFACE_NORMALS = "pbf_surface_normals", PULL_SURFACE = "pbf_pull_surface" }

impl<const D: usize> Launcher<'_, D> {
    /// Unit normals `[n̂ ·]` of the surface at the positions `place`, zero inside. For particles of one mass.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn surface_normals(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        n: usize,
        normal: &mut Field<Packed>,
    ) -> Launched {
        let fluid = self.rows(SURFACE_NORMALS, near.fluid, n)?;
        let walls = self.rows(SURFACE_NORMALS, near.walls, n)?;
        let place = self.input(SURFACE_NORMALS, "place", place, n)?;
        let samples = self.executor.input(near.samples);
        let (n_items, normal) = (count(n)?, self.output(SURFACE_NORMALS, "normal", normal, n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe {
            self.start(
                SURFACE_NORMALS,
                n,
                arguments![*self.constants, fluid, walls, place, samples, n_items, normal],
            )
        }
    }

    /// Adds the constraint of the surface to the corrections `delta`, at the positions `place`.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn pull_surface(
        &self,
        rows: &NeighborRows,
        place: &Field<Packed>,
        normal: &Field<Packed>,
        n: usize,
        delta: &mut Field<Packed>,
    ) -> Launched {
        let (rows, place) = (self.rows(PULL_SURFACE, rows, n)?, self.input(PULL_SURFACE, "place", place, n)?);
        let normal = self.input(PULL_SURFACE, "normal", normal, n)?;
        let (n_items, delta) = (count(n)?, self.output(PULL_SURFACE, "delta", delta, n)?);
        // SAFETY: as of `surface_normals`.
        unsafe {
            self.start(
                PULL_SURFACE,
                n,
                arguments![*self.constants, @fluid rows, place, normal, n_items, delta],
            )
        }
    }
}
