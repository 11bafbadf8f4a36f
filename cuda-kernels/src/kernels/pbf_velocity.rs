//! Velocities in Position Based Fluids: launchers of `kernels/pbf_velocity.cu`.

use super::{
    launch::{Launched, Launches},
    pbf::{Launcher, Moving, Past, PastFields, Vortices},
};
use crate::{
    error::CudaError,
    executor::{Field, In, Kernel, Out, Writable, arguments, count},
    fields::Packed,
    neighbors::NeighborRows,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/pbf_velocity.cu", name: $name };)+
    };
}
kernels! {
    VELOCITIES = "pbf_velocities", PACK_VELOCITIES = "pbf_pack_velocities",
    PACK_DENSITIES = "pbf_pack_densities", XSPH = "pbf_xsph", VORTICITY = "pbf_vorticity",
    CONFINE = "pbf_confine", ACCELERATE = "pbf_accelerate",
}

impl<const D: usize> Launcher<'_, D> {
    /// `v ← (v + (x − x*) per_way) damping`, from the corrected positions `place` and the predicted ones `x`, where that
    /// is finite; `lost` becomes 1 elsewhere, and where the density is not finite. Corrections are added to the `past`.
    /// `gain2` `[m²/s²]` becomes the largest squared change by corrections since it was cleared.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn velocities(
        &self,
        place: &Field<Packed>,
        x: &[Field<Real>; D],
        rho: &Field<Real>,
        n: usize,
        per_way: Real,
        damping: Real,
        v: &mut [Field<Real>; D],
        past: Option<Past<'_, D>>,
        gain2: &mut Field<Real>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let (place, x) = (self.input(VELOCITIES, "place", place, n)?, self.points(VELOCITIES, "x", x, n)?);
        let (rho, v) = (self.input(VELOCITIES, "rho", rho, n)?, self.writable(VELOCITIES, "v", v, n)?);
        let nowhere = Writable([Out::new(0); D]);
        let none = PastFields { way: nowhere, gain: nowhere };
        let past = past.map_or(Ok(none), |past| self.past(VELOCITIES, past, n))?;
        let gain2 = self.output(VELOCITIES, "gain2", gain2, n)?;
        let (lost, n_items) = (self.output(VELOCITIES, "lost", lost, n)?, count(n)?);
        // SAFETY: all fields have n items, and the kernel asks whether the past is nowhere.
        unsafe {
            self.start(
                VELOCITIES,
                n,
                arguments![place, x, rho, n_items, per_way, damping, v, past, gain2, lost],
            )
        }
    }

    /// Records `[x y z m]` and `[v ρ]`; `lost` becomes 1 where a number of them is not finite. `mu` is read of unequal
    /// masses.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn pack_velocities(
        &self,
        place: &Field<Packed>,
        mu: &Field<Real>,
        v: &[Field<Real>; D],
        rho: &Field<Real>,
        n: usize,
        at: &mut Field<Packed>,
        motion: &mut Field<Packed>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let kernel = PACK_VELOCITIES;
        let (place, mu) = (self.input(kernel, "place", place, n)?, self.mu(kernel, mu, n)?);
        let (v, rho) = (self.points(kernel, "v", v, n)?, self.input(kernel, "rho", rho, n)?);
        let (at, motion) = (self.output(kernel, "at", at, n)?, self.output(kernel, "motion", motion, n)?);
        let (lost, n_items) = (self.output(kernel, "lost", lost, n)?, count(n)?);
        // SAFETY: all fields have n items, or are not read.
        unsafe {
            self.start(kernel, n, arguments![*self.constants, place, mu, v, rho, n_items, at, motion, lost])
        }
    }

    /// Records `[x y z ρ]`, for the forces of the surface.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn pack_densities(
        &self,
        place: &Field<Packed>,
        rho: &Field<Real>,
        n: usize,
        to: &mut Field<Packed>,
    ) -> Launched {
        let place = self.input(PACK_DENSITIES, "place", place, n)?;
        let rho = self.input(PACK_DENSITIES, "rho", rho, n)?;
        let to = self.output(PACK_DENSITIES, "to", to, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(PACK_DENSITIES, n, arguments![place, rho, count(n)?, to]) }
    }

    /// Velocities of the records with those of neighbors and sticky walls mixed in, into `v`. Rows and records of walls
    /// are read if these have viscosity.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn xsph(
        &self,
        rows: [&NeighborRows; 2],
        fluid: Moving<'_>,
        walls: Moving<'_>,
        n: usize,
        v: &mut [Field<Real>; D],
    ) -> Launched {
        let [of_fluid, of_walls] = rows;
        let (of_fluid, of_walls) =
            (self.rows(XSPH, of_fluid, n)?, self.rows(XSPH, of_walls, self.n_sticky(n))?);
        let (at, motion) = self.moving(XSPH, fluid, n)?;
        let (samples, wall_motion) = self.moving(XSPH, walls, 0)?;
        let (n_items, v) = (count(n)?, self.writable(XSPH, "v", v, n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe {
            self.start(
                XSPH,
                n,
                arguments![*self.constants, @fluid of_fluid, @walls of_walls, at, motion, samples, wall_motion, n_items, v],
            )
        }
    }

    /// Vorticities of the records.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn vorticity(
        &self,
        rows: &NeighborRows,
        fluid: Moving<'_>,
        n: usize,
        out: &mut Vortices,
    ) -> Launched {
        let (rows, (at, motion)) = (self.rows(VORTICITY, rows, n)?, self.moving(VORTICITY, fluid, n)?);
        let whirl = self.output(VORTICITY, "whirl", &mut out.whirl, n)?;
        let spin = self.output(VORTICITY, "spin", &mut out.spin, n)?;
        let (squares, n_items) = (self.output(VORTICITY, "squares", &mut out.squares, n)?, count(n)?);
        // SAFETY: as of `xsph`.
        unsafe {
            self.start(
                VORTICITY,
                n,
                arguments![*self.constants, @fluid rows, at, motion, n_items, whirl, spin, squares],
            )
        }
    }

    /// Adds the confinement of `vortices` to `v`; `strength` is Δt ε_vc `[m]`. `squares[0]` is the sum of |ω|² over all
    /// particles, as [`Reduce::sum`] leaves it on the card.
    ///
    /// [`Reduce::sum`]: crate::reduce::Reduce::sum
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn confine(
        &self,
        rows: &NeighborRows,
        vortices: &Vortices,
        squares: &Field<f64>,
        strength: Real,
        n: usize,
        v: &mut [Field<Real>; D],
    ) -> Launched {
        let rows = self.rows(CONFINE, rows, n)?;
        let whirl = self.input(CONFINE, "whirl", &vortices.whirl, n)?;
        let spin = self.input(CONFINE, "spin", &vortices.spin, n)?;
        let squares = self.input(CONFINE, "squares", squares, 1)?;
        let (n_items, v) = (count(n)?, self.writable(CONFINE, "v", v, n)?);
        // SAFETY: as of `xsph`.
        unsafe {
            self.start(
                CONFINE,
                n,
                arguments![*self.constants, @fluid rows, whirl, spin, squares, strength, n_items, v],
            )
        }
    }

    /// `v ← v + dt a` where that is finite; `lost` becomes 1 elsewhere.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn accelerate(
        &self,
        a: &[Field<Real>; D],
        n: usize,
        dt: Real,
        v: &mut [Field<Real>; D],
        lost: &mut Field<u32>,
    ) -> Launched {
        let (a, v) = (self.points(ACCELERATE, "a", a, n)?, self.writable(ACCELERATE, "v", v, n)?);
        let lost = self.output(ACCELERATE, "lost", lost, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(ACCELERATE, n, arguments![a, count(n)?, dt, v, lost]) }
    }

    /// Records of at least `n` particles or samples.
    pub(super) fn moving(
        &self,
        kernel: Kernel,
        records: Moving<'_>,
        n: usize,
    ) -> Result<(In<Packed>, In<Packed>), CudaError> {
        Ok((self.input(kernel, "at", records.at, n)?, self.input(kernel, "motion", records.motion, n)?))
    }
}
