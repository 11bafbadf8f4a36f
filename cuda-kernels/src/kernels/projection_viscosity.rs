//! Implicit viscosity and XSPH of the staggered projection: launchers of `kernels/projection_viscosity.cu`.

use super::{
    launch::{Launched, Launches},
    projection::{Launcher, Near},
};
use crate::{
    executor::{Field, Kernel, arguments, count},
    fields::Packed,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_viscosity.cu", name: $name };)+
    };
}
kernels! {
    DRAG = "projection_drag", DIAGONAL = "projection_viscous_diagonal", SIDE = "projection_viscous_side",
    XSPH = "projection_xsph",
}

impl<const D: usize> Launcher<'_, D> {
    /// What walls do to a viscous fluid: `[Σ_k a_ik w² τ β v_k | Σ_k a_ik w² τ β]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn drag(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        n: usize,
        drag: &mut Field<Packed>,
    ) -> Launched {
        let (near, place) = (self.near(DRAG, &near, n)?, self.input(DRAG, "place", place, n)?);
        let (n_items, drag) = (count(n)?, self.output(DRAG, "drag", drag, n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe { self.start(DRAG, n, arguments![*self.constants, near, place, n_items, drag]) }
    }

    /// The diagonal of the viscous equation; `scale` is d dt μ/ρ₀ `[m²]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn viscous_diagonal(
        &self,
        scale: Real,
        sums: &Field<Packed>,
        drag: &Field<Packed>,
        n: usize,
        diagonal: &mut Field<Real>,
    ) -> Launched {
        let (sums, drag) = (self.input(DIAGONAL, "sums", sums, n)?, self.input(DIAGONAL, "drag", drag, n)?);
        let diagonal = self.output(DIAGONAL, "diagonal", diagonal, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(DIAGONAL, n, arguments![scale, sums, drag, count(n)?, diagonal]) }
    }

    /// Its right side on an axis, from the velocities there.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn viscous_side(
        &self,
        scale: Real,
        drag: &Field<Packed>,
        axis: usize,
        v: &Field<Real>,
        n: usize,
        b: &mut Field<Real>,
    ) -> Launched {
        let (drag, v) = (self.input(SIDE, "drag", drag, n)?, self.input(SIDE, "v", v, n)?);
        let (axis, b) = (count(axis)?, self.output(SIDE, "b", b, n)?);
        // SAFETY: all fields have n items.
        unsafe { self.start(SIDE, n, arguments![scale, drag, axis, v, count(n)?, b]) }
    }

    /// Velocities of the records `motion` `[v ρ]` with those of neighbors and walls mixed in, into `v`, where they
    /// are finite; `lost` becomes 1 elsewhere.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn xsph(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        motion: &Field<Packed>,
        n: usize,
        v: &mut [Field<Real>; D],
        lost: &mut Field<u32>,
    ) -> Launched {
        let (near, place) = (self.near(XSPH, &near, n)?, self.input(XSPH, "place", place, n)?);
        let (motion, v) = (self.input(XSPH, "motion", motion, n)?, self.writable(XSPH, "v", v, n)?);
        let (n_items, lost) = (count(n)?, self.output(XSPH, "lost", lost, n)?);
        // SAFETY: as of `drag`.
        unsafe { self.start(XSPH, n, arguments![*self.constants, near, place, motion, n_items, v, lost]) }
    }
}
