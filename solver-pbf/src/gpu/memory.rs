//! What a run holds on a GPU.

use crate::memory::{Fields, Needs};
use cuda_kernels::{
    common::{
        numerics::{fields::Packed, reduce::DensityErrors},
        run::{
            Common,
            resident::{Axes, Population, read, read_axes, write_axes, zero_axes},
        },
        search::{
            cells::CellGrid,
            neighbors::{NeighborRows, Pairs, RowSize, Source, list_pairs},
        },
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{Real, geometry::lattice, method::state::State};

/// Memory of rows, of each set of [`Pairs`].
pub type Sizes = [RowSize; 3];

/// Room for the rows of particles on their lattice, and a third more. Walls fill half of a support.
pub fn first_sizes<const D: usize>(support_ratio: f64) -> Sizes {
    let room = |n: f64| RowSize::of(((1.3 * n).ceil() as u32).next_multiple_of(8));
    let n = lattice::n_neighbors::<D>(support_ratio) as f64;
    [room(n), room(0.5 * n), room(0.5 * n)]
}

/// Fields over fluid particles and wall samples. Those that the parameters do not need are empty.
#[derive(Debug)]
pub struct DeviceFields<const D: usize> {
    pub common: Common<D>,
    /// Rows of each set of [`Pairs`].
    pub rows: [NeighborRows; 3],
    /// Positions that are being corrected: `[x y z ·]`. Shape `[n]`.
    pub place: Field<Packed>,
    /// The same with their multipliers: `[x y z λ̂]`. Shape `[n]`.
    pub push: Field<Packed>,
    /// Masses over that at rest. Shape `[n]`, `[-]`.
    pub mu: Field<Real>,
    /// Multipliers λ̂ of the last iteration. Shape `[n]`, `[m²]`.
    pub lambda: Field<Real>,
    /// Corrections, and how many constraints made them: `[Δx count]`. Shape `[n]`.
    pub delta: Field<Packed>,
    /// `[x y z m]` of the loops over velocities, then `[x y z ρ]` of the surface. Shape `[n]`.
    pub at: Field<Packed>,
    /// `[v ρ]`. Shape `[n]`.
    pub motion: Field<Packed>,
    pub vortices: Vortices,
    /// Sum of squared vorticities. Shape `[1]`, `[1/s²]`.
    pub vorticity2: Field<f64>,
    /// Unit normals `[n̂ ·]` of the surface, then color normals `[n ρ]`. Shape `[n]`.
    pub normal: Field<Packed>,
    /// Accelerations of the surface. Shape `[D][n]`, `[m/s²]`.
    pub a: Axes<D>,
    /// Way of the last step. Shape `[D][n]`, `[m]`.
    pub way: Axes<D>,
    /// Change of velocity in the last step, but for what was done to velocities alone. Shape `[D][n]`, `[m/s]`.
    pub gain: Axes<D>,
    /// Walls: `[x y z psi]`. Shape `[n_walls]`.
    pub samples: Field<Packed>,
    /// Walls that fluid sticks to: `[v no-slip]`. Shape `[n_walls]`.
    pub wall_motion: Field<Packed>,
    /// Density errors of the last λ. Shape `[1]`.
    pub errors: Field<DensityErrors>,
}

/// Vorticities. Shapes `[n]`.
#[derive(Debug)]
pub struct Vortices {
    /// `[x y z V]`.
    pub whirl: Field<Packed>,
    /// `[ω |ω|]`, `[1/s]`.
    pub spin: Field<Packed>,
    /// |ω|², `[1/s²]`.
    pub squares: Field<Real>,
}

/// What a run of a state needs beside the fields of all runs.
#[derive(Clone, Copy, Debug)]
pub struct Demand<const D: usize> {
    /// Cells of fluid and walls.
    pub grid: CellGrid<D>,
    /// Fields that the parameters need.
    pub needs: Needs,
    /// Sizes of rows to begin with.
    pub sizes: Sizes,
}

impl<const D: usize> DeviceFields<D> {
    /// Room for so many points.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(
        executor: &dyn Executor,
        population: &Population,
        demand: Demand<D>,
    ) -> Result<Self, CudaError> {
        let (n, n_walls, needs) = (population.fluid, population.walls, demand.needs);
        let when = |needed: bool, n: usize| if needed { n } else { 0 };
        let records = |n: usize| executor.zeros::<Packed>(n);
        let [on_fluid, on_walls, of_walls] = demand.sizes;
        let n_surface = when(needs.surface_constraint || needs.surface_forces, n);
        Ok(Self {
            common: Common::new(executor, demand.grid, population)?,
            rows: [
                NeighborRows::new(executor, n, on_fluid)?,
                NeighborRows::new(executor, n, on_walls)?,
                NeighborRows::new(executor, when(needs.reactions, n_walls), of_walls)?,
            ],
            place: records(n)?,
            push: records(n)?,
            mu: executor.zeros(when(needs.masses, n))?,
            lambda: executor.zeros(n)?,
            delta: records(n)?,
            at: records(when(needs.velocities || needs.surface_forces, n))?,
            motion: records(when(needs.velocities, n))?,
            vortices: vortices(executor, when(needs.vorticity, n))?,
            vorticity2: executor.zeros(1)?,
            normal: records(n_surface)?,
            a: zero_axes(executor, when(needs.surface_forces, n))?,
            way: zero_axes(executor, when(needs.past, n))?,
            gain: zero_axes(executor, when(needs.past, n))?,
            samples: records(n_walls)?,
            wall_motion: records(when(needs.sticky_walls, n_walls))?,
            errors: executor.zeros(1)?,
        })
    }

    /// Takes the state, and the past of the method, which has the length of the fluid if it is needed.
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
        write_axes(executor, &fields.way, &mut self.way)?;
        write_axes(executor, &fields.gain, &mut self.gain)
    }

    /// Memory of rows now.
    pub fn sizes(&self) -> Sizes {
        self.rows.each_ref().map(NeighborRows::size)
    }

    /// Lists the neighbors of these sets of pairs, within `radius` `[m]`.
    pub fn list(&mut self, executor: &dyn Executor, pairs: &[Pairs], radius: Real) -> Result<(), CudaError> {
        let fluid = Source { cells: &self.common.fluid.cells, records: &self.place };
        let walls = Source { cells: &self.common.walls.cells, records: &self.samples };
        let n = [self.common.fluid.n, self.common.walls.n];
        list_pairs(executor, radius, pairs, &mut self.rows, [fluid, walls], n)
    }

    /// Copies to the host what a run shows or remembers.
    pub fn read(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        read_axes(executor, &self.way, &mut fields.way)?;
        read_axes(executor, &self.gain, &mut fields.gain)?;
        read(executor, &self.lambda, &mut fields.lambda)
    }

    /// Copies to the host what tells where a failure began.
    pub fn read_chain(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        let numbers = |records: Vec<Packed>| records.into_iter().map(|record| record.0).collect();
        fields.equal.place = numbers(executor.download(&self.place)?);
        fields.delta = numbers(executor.download(&self.delta)?);
        read_axes(executor, &self.a, &mut fields.a)
    }
}

fn vortices(executor: &dyn Executor, n: usize) -> Result<Vortices, CudaError> {
    Ok(Vortices { whirl: executor.zeros(n)?, spin: executor.zeros(n)?, squares: executor.zeros(n)? })
}
