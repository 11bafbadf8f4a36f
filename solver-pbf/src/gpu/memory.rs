//! Fields of a run on a GPU.

use crate::{
    memory::{Fields, Needs},
    params::Params,
};
use cuda_kernels::{
    common::{
        numerics::{fields::Packed, reduce::DensityErrors},
        run::{
            Common, Demand,
            resident::{Axes, read, read_axes, write_axes, zero_axes},
        },
        search::neighbors::{NeighborRows, Pairs, RowSize, Source, list_pairs},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{Real, method::state::State};

/// Memory of rows, of each set of [`Pairs`].
pub type Sizes = [RowSize; 3];

/// Fields over fluid particles and wall samples. Those that the parameters do not need are empty.
#[derive(Debug)]
pub struct DeviceFields<const D: usize> {
    pub common: Common<D>,
    /// Rows of each set of [`Pairs`].
    pub rows: [NeighborRows; 3],
    /// Positions x* that are being corrected: `[x y z ·]`. Shape `[n]`.
    pub x_star: Field<Packed>,
    /// The same with their multipliers: `[x y z λ̂]`. Shape `[n]`.
    pub x_lambda: Field<Packed>,
    /// Multipliers λ̂ of the last iteration. Shape `[n]`, `[m²]`.
    pub lambda: Field<Real>,
    /// Corrections, and the number of constraints in them: `[Δx count]`. Shape `[n]`.
    pub delta: Field<Packed>,
    /// `[v ρ]` of vorticity confinement and XSPH. Shape `[n]`.
    pub v_rho: Field<Packed>,
    /// `[x y z ρ]` of the surface forces. Shape `[n]`.
    pub x_rho: Field<Packed>,
    pub confinement: Confinement,
    /// Sum of squared vorticities. Shape `[1]`, `[1/s²]`.
    pub vorticity2: Field<f64>,
    /// Color normals `[n ρ]` of the surface. Shape `[n]`.
    pub normal: Field<Packed>,
    /// Accelerations of the surface. Shape `[D][n]`, `[m/s²]`.
    pub a: Axes<D>,
    /// Displacement of the last step. Shape `[D][n]`, `[m]`.
    pub displacement: Axes<D>,
    /// Change of velocity in the last step, without that of phases that act on velocities alone. Shape `[D][n]`,
    /// `[m/s]`.
    pub velocity_change: Axes<D>,
    /// Walls: `[x y z psi]`. Shape `[n_walls]`.
    pub x_psi: Field<Packed>,
    /// Density errors of the last λ. Shape `[1]`.
    pub errors: Field<DensityErrors>,
}

/// Fields of the vorticity confinement. Shapes `[n]`.
#[derive(Debug)]
pub struct Confinement {
    /// `[x y z V]`.
    pub x_volume: Field<Packed>,
    /// `[ω |ω|]`, `[1/s]`.
    pub vorticity: Field<Packed>,
    /// |ω|², `[1/s²]`.
    pub squares: Field<Real>,
}

impl<const D: usize> DeviceFields<D> {
    /// Allocates the fields of a population.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(
        executor: &dyn Executor,
        params: &Params,
        sizes: Sizes,
        demand: Demand<'_, D>,
    ) -> Result<Self, CudaError> {
        let population = demand.population;
        let (n, n_walls, needs) =
            (population.fluid, population.walls, Needs::of(params, population.pivots > 0));
        let when = |needed: bool, n: usize| if needed { n } else { 0 };
        let records = |n: usize| executor.zeros::<Packed>(n);
        let [on_fluid, on_walls, of_walls] = sizes;
        let n_surface = when(needs.surface_forces, n);
        Ok(Self {
            common: Common::new(executor, demand.grid, population)?,
            rows: [
                NeighborRows::new(executor, n, on_fluid)?,
                NeighborRows::new(executor, n, on_walls)?,
                NeighborRows::new(executor, when(needs.reactions, n_walls), of_walls)?,
            ],
            x_star: records(n)?,
            x_lambda: records(n)?,
            lambda: executor.zeros(n)?,
            delta: records(n)?,
            v_rho: records(when(needs.velocities, n))?,
            x_rho: records(n_surface)?,
            confinement: confinement(executor, when(needs.vorticity, n))?,
            vorticity2: executor.zeros(1)?,
            normal: records(n_surface)?,
            a: zero_axes(executor, n_surface)?,
            displacement: zero_axes(executor, when(needs.past, n))?,
            velocity_change: zero_axes(executor, when(needs.past, n))?,
            x_psi: records(n_walls)?,
            errors: executor.zeros(1)?,
        })
    }

    /// Uploads the state, and the history of the method, which has the length of the fluid if it is needed.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    pub fn write(
        &mut self,
        executor: &dyn Executor,
        state: &State<D>,
        fields: &Fields<D>,
    ) -> Result<(), CudaError> {
        self.common.write(executor, state)?;
        write_axes(executor, &fields.displacement, &mut self.displacement)?;
        write_axes(executor, &fields.velocity_change, &mut self.velocity_change)
    }

    /// Memory of rows now.
    pub fn sizes(&self) -> Sizes {
        self.rows.each_ref().map(NeighborRows::size)
    }

    /// Lists the neighbors of these sets of pairs, within `radius` `[m]`.
    pub fn list(&mut self, executor: &dyn Executor, pairs: &[Pairs], radius: Real) -> Result<(), CudaError> {
        let fluid = Source { cells: &self.common.fluid.cells, records: &self.x_star };
        let walls = Source { cells: &self.common.walls.cells, records: &self.x_psi };
        let n = [self.common.fluid.n, self.common.walls.n];
        list_pairs(executor, radius, pairs, &mut self.rows, [fluid, walls], n)
    }

    /// Copies to the host the fields of checkpoints and output.
    pub fn read(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        read_axes(executor, &self.displacement, &mut fields.displacement)?;
        read_axes(executor, &self.velocity_change, &mut fields.velocity_change)?;
        read(executor, &self.lambda, &mut fields.lambda)
    }

    /// Copies to the host the fields of the diagnosis of a failure.
    pub fn read_chain(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        let numbers = |records: Vec<Packed>| records.into_iter().map(|record| record.0).collect();
        fields.x_star = numbers(executor.download(&self.x_star)?);
        fields.delta = numbers(executor.download(&self.delta)?);
        read_axes(executor, &self.a, &mut fields.a)
    }
}

fn confinement(executor: &dyn Executor, n: usize) -> Result<Confinement, CudaError> {
    Ok(Confinement {
        x_volume: executor.zeros(n)?,
        vorticity: executor.zeros(n)?,
        squares: executor.zeros(n)?,
    })
}
