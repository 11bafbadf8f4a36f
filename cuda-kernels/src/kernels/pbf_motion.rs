//! What moves particles in Position Based Fluids: launchers of `kernels/pbf_motion.cu`.

use super::{
    launch::{Launched, Launches},
    pbf::{Launcher, Past, PastFields},
};
use crate::{
    containers::Containers,
    error::CudaError,
    executor::{Field, In, Kernel, arguments, count},
    fields::Packed,
    physics::pbf::Bdf2,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/pbf_motion.cu", name: $name };)+
    };
}
kernels! { PREDICT = "pbf_predict", PREDICT_FROM_PAST = "pbf_predict_from_past", COMMIT = "pbf_commit" }

impl<const D: usize> Launcher<'_, D> {
    /// `v ← v + dt a(x)`, `x ← x + dt v`, inside of the containers and wrapped into the periodic box, where that is
    /// finite; `lost` becomes 1 elsewhere, and outside of the domain.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn predict(
        &self,
        containers: &Containers<D>,
        n: usize,
        dt: Real,
        x: &mut [Field<Real>; D],
        v: &mut [Field<Real>; D],
        lost: &mut Field<u32>,
    ) -> Launched {
        let (x, v) = (self.writable(PREDICT, "x", x, n)?, self.writable(PREDICT, "v", v, n)?);
        let lost = self.output(PREDICT, "lost", lost, n)?;
        let containers = containers.list(self.executor)?;
        // SAFETY: all fields have n items, and the list as many as it says.
        unsafe { self.start(PREDICT, n, arguments![*self.constants, containers, count(n)?, dt, x, v, lost]) }
    }

    /// The same by backward differences of second order. `past` is that of the last step, or with `is_new` made up, and
    /// becomes that of the prediction.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn predict_from_past(
        &self,
        containers: &Containers<D>,
        bdf2: Bdf2,
        is_new: bool,
        n: usize,
        dt: Real,
        x: &mut [Field<Real>; D],
        v: &mut [Field<Real>; D],
        past: Past<'_, D>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let kernel = PREDICT_FROM_PAST;
        let (x, v) = (self.writable(kernel, "x", x, n)?, self.writable(kernel, "v", v, n)?);
        let (past, lost) = (self.past(kernel, past, n)?, self.output(kernel, "lost", lost, n)?);
        let (containers, is_new, n_items) = (containers.list(self.executor)?, u32::from(is_new), count(n)?);
        // SAFETY: as of `predict`.
        unsafe {
            self.start(
                kernel,
                n,
                arguments![*self.constants, containers, bdf2, is_new, n_items, dt, x, v, past, lost],
            )
        }
    }

    /// The positions of `place`, wrapped into the periodic box, become those of the particles. Where a velocity is not
    /// finite, that of the records `motion` comes back, if there are any. `lost` becomes 1 there, and outside of the
    /// domain. `v2` [m²/s²] gets squared speeds.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn commit(
        &self,
        place: &Field<Packed>,
        motion: Option<&Field<Packed>>,
        n: usize,
        x: &mut [Field<Real>; D],
        v: &mut [Field<Real>; D],
        v2: &mut Field<Real>,
        lost: &mut Field<u32>,
    ) -> Launched {
        let place = self.input(COMMIT, "place", place, n)?;
        let motion = motion.map_or(Ok(In::new(0)), |motion| self.input(COMMIT, "motion", motion, n))?;
        let (x, v) = (self.writable(COMMIT, "x", x, n)?, self.writable(COMMIT, "v", v, n)?);
        let (v2, lost) = (self.output(COMMIT, "v2", v2, n)?, self.output(COMMIT, "lost", lost, n)?);
        // SAFETY: all fields have n items, and the kernel asks whether `motion` is nowhere.
        unsafe {
            self.start(COMMIT, n, arguments![*self.constants, place, motion, count(n)?, x, v, v2, lost])
        }
    }

    pub(super) fn past(
        &self,
        kernel: Kernel,
        past: Past<'_, D>,
        n: usize,
    ) -> Result<PastFields<D>, CudaError> {
        Ok(PastFields {
            way: self.writable(kernel, "way", past.way, n)?,
            gain: self.writable(kernel, "gain", past.gain, n)?,
        })
    }
}
