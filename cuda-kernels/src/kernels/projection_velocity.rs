//! What pressure does to velocities in the staggered projection: launchers of `kernels/projection_velocity.cu`.

use super::{
    launch::{Launched, Launches},
    projection::{Along, Launcher, Near},
};
use crate::{
    error::CudaError,
    executor::{Field, Kernel, Out, Writable, arguments, count},
    fields::Packed,
    neighbors::NeighborRows,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_velocity.cu", name: $name };)+
    };
}
kernels! {
    ADJOINT = "projection_adjoint", CORRECTED = "projection_corrected", PERIDYNO = "projection_peridyno",
}

/// Twin of `Gains` in kernels/projection_velocity.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct GainFields<const D: usize> {
    v: Writable<D>,
    gain2: Out<Real>,
    lost: Out<u32>,
}

/// Velocities that change. Shapes `[n]`.
#[derive(Debug)]
pub struct Gains<'a, const D: usize> {
    /// Velocities, which stay where they would not be finite, `[m/s]`.
    pub v: &'a mut [Field<Real>; D],
    /// Becomes the largest squared change since it was cleared, `[m²/s²]`.
    pub gain2: &'a mut Field<Real>,
    /// Becomes 1 where a velocity would not be finite.
    pub lost: &'a mut Field<u32>,
}

impl<const D: usize> Launcher<'_, D> {
    fn gains(&self, kernel: Kernel, of: Gains<'_, D>, n: usize) -> Result<GainFields<D>, CudaError> {
        Ok(GainFields {
            v: self.writable(kernel, "v", of.v, n)?,
            gain2: self.output(kernel, "gain2", of.gain2, n)?,
            lost: self.output(kernel, "lost", of.lost, n)?,
        })
    }

    /// The adjoint of the divergence acts on velocities. `factor` is d dt/ρ₀ `[m³ s/kg]`, `part` that of the
    /// difference gradient. `pull` gets what bodies are pulled by, if it is given.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn adjoint(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        p: &Field<Real>,
        along: &mut Along,
        factor: Real,
        part: Real,
        n: usize,
        out: Gains<'_, D>,
        pull: Option<&mut Field<Packed>>,
    ) -> Launched {
        let (near, place) = (self.near(ADJOINT, &near, n)?, self.input(ADJOINT, "place", place, n)?);
        let (p, along) = (self.input(ADJOINT, "p", p, n)?, self.along(ADJOINT, along, n)?);
        let (out, n_items) = (self.gains(ADJOINT, out, n)?, count(n)?);
        let pull = pull.map_or(Ok(Out::new(0)), |pull| self.output(ADJOINT, "pull", pull, n))?;
        // SAFETY: rows name points that were listed, of which there are as many as records; the kernel asks whether
        // `pull` is nowhere.
        unsafe {
            self.start(
                ADJOINT,
                n,
                arguments![*self.constants, near, place, p, @all along, factor, part, n_items, out, pull],
            )
        }
    }

    /// The difference gradient that is exact for linear pressure acts on velocities.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn corrected(
        &self,
        rows: &NeighborRows,
        place: &Field<Packed>,
        p: &Field<Real>,
        factor: Real,
        n: usize,
        out: Gains<'_, D>,
    ) -> Launched {
        let (rows, place) = (self.rows(CORRECTED, rows, n)?, self.input(CORRECTED, "place", place, n)?);
        let (p, out) = (self.input(CORRECTED, "p", p, n)?, self.gains(CORRECTED, out, n)?);
        // SAFETY: as of `adjoint`.
        unsafe {
            self.start(
                CORRECTED,
                n,
                arguments![*self.constants, @fluid rows, place, p, factor, count(n)?, out],
            )
        }
    }

    /// PeriDyno's gradient acts on velocities, which `motion` has as they were.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn peridyno(
        &self,
        near: Near<'_>,
        place: &Field<Packed>,
        motion: &Field<Packed>,
        p: &Field<Real>,
        air: &Field<Real>,
        factor: Real,
        part: Real,
        n: usize,
        out: Gains<'_, D>,
    ) -> Launched {
        let (near, place) = (self.near(PERIDYNO, &near, n)?, self.input(PERIDYNO, "place", place, n)?);
        let (motion, p) = (self.input(PERIDYNO, "motion", motion, n)?, self.input(PERIDYNO, "p", p, n)?);
        let (air, out) = (self.input(PERIDYNO, "air", air, n)?, self.gains(PERIDYNO, out, n)?);
        let n_items = count(n)?;
        // SAFETY: as of `adjoint`.
        unsafe {
            self.start(
                PERIDYNO,
                n,
                arguments![*self.constants, near, place, motion, p, air, factor, part, n_items, out],
            )
        }
    }
}
