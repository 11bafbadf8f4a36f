//! What dynamic bodies get from the fluid in the staggered projection: launchers of `kernels/projection_reaction.cu`.

use super::{
    launch::{Launched, Launches},
    projection::{Launcher, Walls},
};
use crate::{
    executor::{Field, In, Kernel, arguments, count},
    fields::Packed,
    neighbors::NeighborRows,
    walls::Sets,
};
use sph_core::Real;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "kernels/projection_reaction.cu", name: $name };)+
    };
}
kernels! {
    PRESS_BACK = "projection_press_back", PULL_BACK = "projection_pull_back", TAKE_BACK = "projection_take_back",
    DRAG_BACK = "projection_drag_back", RUB_BACK = "projection_rub_back",
}

/// Wall samples, some of them those of dynamic bodies.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Rows of walls in fluid, of `n` samples.
    pub rows: &'a NeighborRows,
    /// Records of the samples.
    pub walls: &'a Walls,
    /// Their rigid sets.
    pub sets: Sets<'a>,
    /// `[x y z 1/α]` of the fluid.
    pub place: &'a Field<Packed>,
    /// Number of samples.
    pub n: usize,
}

impl<const D: usize> Launcher<'_, D> {
    /// Adds to `force` `[N]` what samples of bodies get of the pressure; `factor` is m/ρ₀ d θ_s.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn press_back(
        &self,
        bodies: &Bodies<'_>,
        p: &Field<Real>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let p = self.input(PRESS_BACK, "p", p, bodies.place.len())?;
        self.react(PRESS_BACK, bodies, p, factor, force)
    }

    /// Adds what they get of that which they have left out along their surface, from the records `pull`; `factor` is
    /// m/ρ₀ d.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn pull_back(
        &self,
        bodies: &Bodies<'_>,
        pull: &Field<Packed>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        self.react_to(PULL_BACK, bodies, pull, factor, force)
    }

    /// Adds what they get of PeriDyno's walls; `motion` is `[v* ·]`, `factor` m/dt.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn take_back(
        &self,
        bodies: &Bodies<'_>,
        motion: &Field<Packed>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        self.react_to(TAKE_BACK, bodies, motion, factor, force)
    }

    /// Adds what they get of the implicit viscosity; `motion` is `[v ·]` after it, `factor` m/dt d dt μ/ρ₀.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn drag_back(
        &self,
        bodies: &Bodies<'_>,
        motion: &Field<Packed>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        self.react_to(DRAG_BACK, bodies, motion, factor, force)
    }

    /// Adds what they get of XSPH; `motion` is `[v ρ]` before it, `factor` m/dt c.
    ///
    /// # Errors
    /// As of [`Launcher::pack_walls`].
    pub fn rub_back(
        &self,
        bodies: &Bodies<'_>,
        motion: &Field<Packed>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        self.react_to(RUB_BACK, bodies, motion, factor, force)
    }

    fn react_to(
        &self,
        kernel: Kernel,
        bodies: &Bodies<'_>,
        records: &Field<Packed>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let records = self.input(kernel, "records", records, bodies.place.len())?;
        self.react(kernel, bodies, records, factor, force)
    }

    /// All of them read a field of the fluid beside its places.
    fn react<T: Copy>(
        &self,
        kernel: Kernel,
        bodies: &Bodies<'_>,
        of: In<T>,
        factor: Real,
        force: &mut [Field<Real>; D],
    ) -> Launched {
        let n = bodies.n;
        let (rows, walls) = (self.rows(kernel, bodies.rows, n)?, self.walls(kernel, bodies.walls, n)?);
        let (sets, place) = (bodies.sets.table(self.executor, kernel, n)?, self.executor.input(bodies.place));
        let (n_items, force) = (count(n)?, self.writable(kernel, "force", force, n)?);
        // SAFETY: rows name points that were listed, of which there are as many as records.
        unsafe {
            self.start(
                kernel,
                n,
                arguments![*self.constants, rows, walls, sets, place, @any of, n_items, factor, force],
            )
        }
    }
}
