//! What moves particles in weakly compressible SPH: launchers of `kernels/wcsph_motion.cu`.

use super::{
    launch::{Launched, Launches},
    wcsph::{Launcher, Records},
};
use crate::{
    executor::{Field, In, Kernel, Points, arguments, count},
    fields::Packed,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/wcsph_motion.cu", name: $name };)+
    };
}
kernels! {
    XSPH = "wcsph_xsph", SHIFTING = "wcsph_shifting", TRANSPORT = "wcsph_transport",
    TRANSPORT_STRESS = "wcsph_transport_stress", KICK = "wcsph_kick", DRIFT = "wcsph_drift",
}

impl<const D: usize> Launcher<'_, D> {
    /// Adds XSPH of strength `factor` `[-]` to the drift correction `w`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn xsph(&self, fluid: Records<'_, D>, n: usize, factor: Real, w: &mut [Field<Real>; D]) -> Launched {
        let (motion, w) = (self.input(XSPH, "motion", fluid.motion, n)?, self.writable(XSPH, "w", w, n)?);
        let fluid = self.own(XSPH, &fluid)?;
        // SAFETY: as of `summation`.
        unsafe { self.start(XSPH, n, arguments![*self.constants, fluid, motion, count(n)?, factor, w]) }
    }

    /// Adds shifting to the drift correction `w`; `factor` is `A_s h_s` `[m]`, and `v2_max[0]` the largest squared speed
    /// `[m²/s²]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn shifting(
        &self,
        fluid: Records<'_, D>,
        walls: Records<'_, D>,
        n: usize,
        factor: Real,
        v2_max: &Field<f64>,
        w: &mut [Field<Real>; D],
    ) -> Launched {
        let (w, v2_max) = (self.writable(SHIFTING, "w", w, n)?, self.input(SHIFTING, "v2_max", v2_max, 1)?);
        let (fluid, walls) = (self.own(SHIFTING, &fluid)?, self.near(SHIFTING, &walls)?);
        // SAFETY: as of `summation`.
        unsafe {
            self.start(SHIFTING, n, arguments![*self.constants, fluid, walls, count(n)?, factor, v2_max, w])
        }
    }

    /// Adds the transport velocity to the drift correction `w`; `factor` is `Δt p_b/(2m)` `[m/(kg s)]`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn transport(
        &self,
        fluid: Records<'_, D>,
        walls: Records<'_, D>,
        n: usize,
        factor: Real,
        w: &mut [Field<Real>; D],
    ) -> Launched {
        let (motion, w) =
            (self.input(TRANSPORT, "motion", fluid.motion, n)?, self.writable(TRANSPORT, "w", w, n)?);
        let (fluid, walls) = (self.own(TRANSPORT, &fluid)?, self.near(TRANSPORT, &walls)?);
        // SAFETY: as of `summation`.
        unsafe {
            self.start(TRANSPORT, n, arguments![*self.constants, fluid, motion, walls, count(n)?, factor, w])
        }
    }

    /// Adds the momentum that the drift corrections `extra` carry to the accelerations `a`.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn transport_stress(
        &self,
        fluid: Records<'_, D>,
        extra: &Field<Packed>,
        n: usize,
        a: &mut [Field<Real>; D],
    ) -> Launched {
        let motion = self.input(TRANSPORT_STRESS, "motion", fluid.motion, n)?;
        let (extra, a) =
            (self.input(TRANSPORT_STRESS, "extra", extra, n)?, self.writable(TRANSPORT_STRESS, "a", a, n)?);
        let fluid = self.own(TRANSPORT_STRESS, &fluid)?;
        // SAFETY: as of `summation`.
        unsafe {
            self.start(TRANSPORT_STRESS, n, arguments![*self.constants, fluid, motion, extra, count(n)?, a])
        }
    }

    /// `v ← (v + dt a) damping` where that is finite, and the squares of speed and acceleration.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn kick(
        &self,
        a: &[Field<Real>; D],
        n: usize,
        dt: Real,
        damping: Real,
        v: &mut [Field<Real>; D],
        v2: &mut Field<Real>,
        a2: &mut Field<Real>,
    ) -> Launched {
        let (a, v) = (self.points(KICK, "a", a, n)?, self.writable(KICK, "v", v, n)?);
        let (v2, a2) = (self.output(KICK, "v2", v2, n)?, self.output(KICK, "a2", a2, n)?);
        // SAFETY: all fields have n items.
        unsafe { self.start(KICK, n, arguments![a, count(n)?, dt, damping, v, v2, a2]) }
    }

    /// `x ← x + dt (v + w)` where that is finite, wrapped into the periodic box; `lost` is 1 where the new place is
    /// outside of the domain or not finite.
    ///
    /// # Errors
    /// As of [`Launcher::summation`].
    pub fn drift(
        &self,
        v: &[Field<Real>; D],
        w: Option<&[Field<Real>; D]>,
        n: usize,
        dt: Real,
        x: &mut [Field<Real>; D],
        lost: &mut Field<u32>,
    ) -> Launched {
        let (v, x) = (self.points(DRIFT, "v", v, n)?, self.writable(DRIFT, "x", x, n)?);
        let nowhere = Points([In::new(0); D]);
        let w = w.map_or(Ok(nowhere), |w| self.points(DRIFT, "w", w, n))?;
        let lost = self.output(DRIFT, "lost", lost, n)?;
        // SAFETY: all fields have n items, and the kernel asks whether `w` is nowhere.
        unsafe { self.start(DRIFT, n, arguments![*self.constants, v, w, count(n)?, dt, x, lost]) }
    }
}
