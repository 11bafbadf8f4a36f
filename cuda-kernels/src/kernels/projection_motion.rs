//! Streaming loops of the staggered projection: launchers of `kernels/projection_motion.cu`.

use super::{
    launch::{Launched, Launches},
    projection::Launcher,
};
use crate::{
    containers::Containers,
    executor::{Field, In, Kernel, arguments, count},
    fields::Packed,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_motion.cu", name: $name };)+
    };
}
kernels! {
    KICK = "projection_kick", PACK_VELOCITIES = "projection_pack_velocities", DRIFT = "projection_drift",
}

/// Twin of `Shift` in kernels/projection_motion.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct ShiftFields {
    crowd: In<Packed>,
    air: In<Real>,
    v2: In<f64>,
}

/// What shifting reads.
#[derive(Clone, Copy, Debug)]
pub struct Shift<'a> {
    /// `[Σ w n | α]`. Shape `[n]`.
    pub crowd: &'a Field<Packed>,
    /// Not 0 at the surface. Shape `[n]`.
    pub air: &'a Field<Real>,
    /// The largest squared speed. Shape `[1]`, `[m²/s²]`.
    pub v2: &'a Field<f64>,
}

impl<const D: usize> Launcher<'_, D> {
    /// `v ← v + dt a(x)` where that is finite; `lost` becomes 1 elsewhere.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn kick(
        &self,
        x: &[Field<Real>; D],
        n: usize,
        dt: Real,
        v: &mut [Field<Real>; D],
        lost: &mut Field<u32>,
    ) -> Launched {
        let (x, v) = (self.points(KICK, "x", x, n)?, self.writable(KICK, "v", v, n)?);
        let lost = self.output(KICK, "lost", lost, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(KICK, n, arguments![*self.constants, x, count(n)?, dt, v, lost]) }
    }

    /// Records `[v ρ]`; `lost` becomes 1 where a number of them is not finite.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn pack_velocities(
        &self,
        v: &[Field<Real>; D],
        rho: &Field<Real>,
        n: usize,
        motion: &mut Field<Packed>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let kernel = PACK_VELOCITIES;
        let (v, rho) = (self.points(kernel, "v", v, n)?, self.input(kernel, "rho", rho, n)?);
        let (motion, lost) =
            (self.output(kernel, "motion", motion, n)?, self.output(kernel, "lost", lost, n)?);
        // SAFETY: all fields have n items.
        unsafe { self.start(kernel, n, arguments![v, rho, count(n)?, motion, lost]) }
    }

    /// `v ← v damping`, `x ← x + dt v` with what shifting adds, inside of the containers and wrapped into the
    /// periodic box, where that is finite. `v2` [m²/s²] gets squared speeds; `lost` becomes 1 where a number is not
    /// finite, and outside of the domain.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn drift(
        &self,
        containers: &Containers<D>,
        shift: Shift<'_>,
        n: usize,
        dt: Real,
        damping: Real,
        x: &mut [Field<Real>; D],
        v: &mut [Field<Real>; D],
        v2: &mut Field<Real>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let shift = ShiftFields {
            crowd: self.input(DRIFT, "crowd", shift.crowd, n)?,
            air: self.input(DRIFT, "air", shift.air, n)?,
            v2: self.input(DRIFT, "largest v2", shift.v2, 1)?,
        };
        let (x, v) = (self.writable(DRIFT, "x", x, n)?, self.writable(DRIFT, "v", v, n)?);
        let (v2, lost) = (self.output(DRIFT, "v2", v2, n)?, self.output(DRIFT, "lost", lost, n)?);
        let (containers, n_items) = (containers.list(self.executor)?, count(n)?);
        // SAFETY: all fields have n items, and the list as many as it says.
        unsafe {
            self.start(
                DRIFT,
                n,
                arguments![*self.constants, containers, shift, n_items, dt, damping, x, v, v2, lost],
            )
        }
    }
}
