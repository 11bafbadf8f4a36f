//! What moves particles of the viscoelastic fluid: launchers of `kernels/viscoelastic_motion.cu`.

use super::{
    launch::{Launched, Launches},
    viscoelastic::Launcher,
};
use crate::{
    executor::{Field, Kernel, arguments, count},
    fields::Packed,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/viscoelastic_motion.cu", name: $name };)+
    };
}
kernels! { KICK = "visco_kick", PREDICT = "visco_predict", COMMIT = "visco_commit" }

/// What a step is judged by, of each particle. Shapes `[n]`.
#[derive(Debug)]
pub struct Judged<'a> {
    /// Squared speeds, `[m²/s²]`.
    pub v2: &'a mut Field<Real>,
    /// Squared changes of velocity, `[m²/s²]`.
    pub gain2: &'a mut Field<Real>,
    /// 1 for those that are not healthy.
    pub lost: &'a mut Field<u32>,
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

    /// `x* = x + dt v`, wrapped into the periodic box, where that is finite; `lost` becomes 1 elsewhere.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn predict(
        &self,
        v: &[Field<Real>; D],
        n: usize,
        dt: Real,
        x: &mut [Field<Real>; D],
        lost: &mut Field<u32>,
    ) -> Launched {
        let (v, x) = (self.points(PREDICT, "v", v, n)?, self.writable(PREDICT, "x", x, n)?);
        let lost = self.output(PREDICT, "lost", lost, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(PREDICT, n, arguments![*self.constants, v, count(n)?, dt, x, lost]) }
    }

    /// `v = (v* + (x_relaxed − x*) inv_dt) damping` and `x = x_relaxed`, wrapped into the periodic box. Where these
    /// are not finite `v*` and `x*` stay.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    #[expect(clippy::too_many_arguments, reason = "what a phase reads and writes, by name")]
    pub fn commit(
        &self,
        place: &Field<Packed>,
        n: usize,
        inv_dt: Real,
        damping: Real,
        x: &mut [Field<Real>; D],
        v: &mut [Field<Real>; D],
        judged: Judged<'_>,
    ) -> Launched {
        let (place, n_items) = (self.input(COMMIT, "place", place, n)?, count(n)?);
        let (x, v) = (self.writable(COMMIT, "x", x, n)?, self.writable(COMMIT, "v", v, n)?);
        let v2 = self.output(COMMIT, "v2", judged.v2, n)?;
        let gain2 = self.output(COMMIT, "gain2", judged.gain2, n)?;
        let lost = self.output(COMMIT, "lost", judged.lost, n)?;
        // SAFETY: all fields have n items.
        unsafe {
            self.start(
                COMMIT,
                n,
                arguments![*self.constants, place, n_items, inv_dt, damping, x, v, v2, gain2, lost],
            )
        }
    }
}
