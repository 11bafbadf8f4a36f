//! What dynamic bodies get from the fluid: launchers of `kernels/pbf_reaction.cu`.

use super::{
    launch::{Launched, Launches},
    pbf::{Bodies, Launcher, Moving},
};
use crate::{
    executor::{Field, Kernel, arguments, count},
    fields::Packed,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/pbf_reaction.cu", name: $name };)+
    };
}
kernels! { RELAX_LAMBDA = "pbf_relax_lambda", PUSH_BACK = "pbf_push_back", RUB_BACK = "pbf_rub_back" }

impl<const D: usize> Launcher<'_, D> {
    /// Makes λ̂ of the records `push` what was done of it.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn relax_lambda(&self, delta: &Field<Packed>, n: usize, push: &mut Field<Packed>) -> Launched {
        let delta = self.input(RELAX_LAMBDA, "delta", delta, n)?;
        let push = self.output(RELAX_LAMBDA, "push", push, n)?;
        // SAFETY: all fields have n items.
        unsafe { self.start(RELAX_LAMBDA, n, arguments![*self.constants, delta, count(n)?, push]) }
    }

    /// Adds to `force` `[N]` what samples of bodies feel of a correction, of which `push` holds the positions before it
    /// and the relaxed λ̂. `factor` is `m s/(ρ₀ Δt)` over the time in which a correction is made, `[kg m³/(kg s²)]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn push_back(
        &self,
        bodies: Bodies<'_>,
        push: &Field<Packed>,
        n_walls: usize,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let (rows, push) = (self.rows(PUSH_BACK, bodies.rows, n_walls)?, self.executor.input(push));
        let samples = self.input(PUSH_BACK, "samples", bodies.samples, n_walls)?;
        let sets = bodies.sets.table(self.executor, PUSH_BACK, n_walls)?;
        let (n_items, force) = (count(n_walls)?, self.writable(PUSH_BACK, "force", force, n_walls)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe {
            self.start(
                PUSH_BACK,
                n_walls,
                arguments![*self.constants, rows, push, samples, sets, n_items, factor, force],
            )
        }
    }

    /// Adds to `force` `[N]` what samples of bodies feel of the velocity that XSPH took from the records `fluid`.
    /// `wall_motion` is `[v no-slip]`, `inv_dt` 1 over the substep, `[1/s]`.
    ///
    /// # Errors
    /// As of [`Launcher::pack`].
    pub fn rub_back(
        &self,
        bodies: Bodies<'_>,
        wall_motion: &Field<Packed>,
        fluid: Moving<'_>,
        n_walls: usize,
        inv_dt: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let (rows, (at, motion)) =
            (self.rows(RUB_BACK, bodies.rows, n_walls)?, self.moving(RUB_BACK, fluid, 0)?);
        let samples = self.input(RUB_BACK, "samples", bodies.samples, n_walls)?;
        let wall_motion = self.input(RUB_BACK, "motion of walls", wall_motion, n_walls)?;
        let sets = bodies.sets.table(self.executor, RUB_BACK, n_walls)?;
        let (n_items, force) = (count(n_walls)?, self.writable(RUB_BACK, "force", force, n_walls)?);
        // SAFETY: as of `push_back`.
        unsafe {
            self.start(
                RUB_BACK,
                n_walls,
                arguments![
                    *self.constants,
                    rows,
                    at,
                    motion,
                    samples,
                    wall_motion,
                    sets,
                    n_items,
                    inv_dt,
                    force
                ],
            )
        }
    }
}
