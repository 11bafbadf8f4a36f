//! What a run holds on a GPU.

use super::kept::Kept;
use crate::{memory::Needs, params::Params};
use cuda_kernels::{
    common::{
        numerics::fields::Packed,
        run::{
            Common, Demand,
            resident::{Axes, write_axes, zero_axes},
        },
    },
    device::{
        compile::variant::Walk,
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{Real, method::state::State};

/// What dummy walls take from the fluid.
#[derive(Debug)]
pub struct Extrapolated<const D: usize> {
    /// Pressure, `[Pa]`. Shape `[n_walls]`.
    pub p: Field<Real>,
    /// Mean velocity of the fluid in reach, `[m/s]`. Shape `[D][n_walls]`.
    pub v: Axes<D>,
    /// 0 where no fluid is in reach. Shape `[n_walls]`.
    pub found: Field<u32>,
}

/// Fields over fluid particles and wall samples. Those that the parameters do not need are empty.
#[derive(Debug)]
pub struct DeviceFields<const D: usize> {
    pub common: Common<D>,
    /// Rows of the fluid, if the variant keeps them.
    pub kept: Option<Kept>,
    /// Accelerations, kept for the next kick. Shape `[D][n]`, `[m/s²]`.
    pub a: Axes<D>,
    /// Drift velocity minus velocity. Shape `[D][n]`, `[m/s]`.
    pub w: Axes<D>,
    /// Pressures. Shape `[n]`, `[Pa]`.
    pub p: Field<Real>,
    /// `[x y z ρ]` in the density loops, `[x y z p/ρ²]` behind them. Shape `[n]`.
    pub place: Field<Packed>,
    /// `[v ρ]`. Shape `[n]`.
    pub motion: Field<Packed>,
    /// Density gradient, drift correction, or color normals of the surface terms. Shape `[n]`.
    pub extra: Field<Packed>,
    /// Walls: `[x y z psi]`. Shape `[n_walls]`.
    pub samples: Field<Packed>,
    /// Walls: `[x y z p/ρ²]`. Shape `[n_walls]`.
    pub wall_place: Field<Packed>,
    /// Walls: `[v ρ]`. Shape `[n_walls]`.
    pub wall_motion: Field<Packed>,
    /// Walls: `[psi, psi if no-slip · ·]`. Shape `[n_walls]`.
    pub wall_mass: Field<Packed>,
    /// What dummy walls take from the fluid. Shape `[n_walls]`.
    pub extrapolated: Extrapolated<D>,
    /// Largest squared speed before a kick, for shifting. Shape `[1]`, `[m²/s²]`.
    pub v2_max: Field<f64>,
}

impl<const D: usize> DeviceFields<D> {
    /// Room for so many points.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, params: &Params, demand: Demand<'_, D>) -> Result<Self, CudaError> {
        let (population, needs) = (demand.population, Needs::of(params));
        let (n, n_walls) = (population.fluid, population.walls);
        let radius = params.support_ratio * demand.spacing;
        let walk = executor.variant().walk;
        let when = |needed: bool, n: usize| if needed { n } else { 0 };
        let records = |n: usize| executor.zeros::<Packed>(n);
        Ok(Self {
            common: Common::new(executor, demand.grid, population)?,
            kept: (walk == Walk::Kept).then(|| Kept::new(executor, radius, needs, demand)).transpose()?,
            a: zero_axes(executor, n)?,
            w: zero_axes(executor, when(needs.drift_correction, n))?,
            p: executor.zeros(n)?,
            place: records(n)?,
            motion: records(n)?,
            extra: records(when(needs.wide || needs.surface, n))?,
            samples: records(n_walls)?,
            wall_place: records(n_walls)?,
            wall_motion: records(n_walls)?,
            wall_mass: records(n_walls)?,
            extrapolated: Extrapolated {
                p: executor.zeros(n_walls)?,
                v: zero_axes(executor, n_walls)?,
                found: executor.zeros(n_walls)?,
            },
            v2_max: executor.zeros(1)?,
        })
    }

    /// Takes the state, and the kept fields `a` and `w` of the method, which may not have been computed yet.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    pub fn write(
        &mut self,
        executor: &dyn Executor,
        state: &State<D>,
        [a, w]: [&[Vec<Real>; D]; 2],
    ) -> Result<(), CudaError> {
        self.common.write(executor, state)?;
        for (from, to) in [(a, &mut self.a), (w, &mut self.w)] {
            if from[0].len() == to[0].len() {
                write_axes(executor, from, to)?;
            }
        }
        Ok(())
    }

    /// True while rows that are kept want the particles where they stand.
    pub fn is_in_order(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| !kept.travel.is_over())
    }
}
