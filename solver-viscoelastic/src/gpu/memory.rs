//! The fields of a run on a GPU.

use super::contact::Contacts;
use crate::{
    memory::{Fields, Needs},
    springs::Springs,
};
use cuda_kernels::{
    common::{
        numerics::fields::Packed,
        run::{Common, Demand},
        search::neighbors::{NeighborRows, Pairs, RowSize, Source, list_pairs},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
    viscoelastic::{Launcher, spring_rows::SpringRows},
};
use sph_core::{Real, method::state::State};

/// Capacities of rows.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Neighbors, of each set of [`Pairs`].
    pub neighbors: [RowSize; 3],
    /// Springs.
    pub springs: RowSize,
}

/// Fields over fluid particles and wall samples. Those that the parameters do not need are empty.
#[derive(Debug)]
pub struct DeviceFields<const D: usize> {
    pub common: Common<D>,
    /// Rows of each set of [`Pairs`].
    pub rows: [NeighborRows; 3],
    /// Relaxed positions: `[x y z ·]`. Shape `[n]`.
    pub position: Field<Packed>,
    /// P and the position of its evaluation: `[x y z P]`. Shape `[n]`.
    pub pressure: Field<Packed>,
    /// P_near. Shape `[n]`, `[m/s²]`.
    pub p_near: Field<Real>,
    /// `[v ·]` of the viscosity. Shape `[n]`.
    pub velocity: Field<Packed>,
    /// Displacements of a Jacobi pass: `[Δ ·]`. Shape `[n]`.
    pub delta: Field<Packed>,
    pub springs: SpringRows,
    /// The other buffer of springs.
    pub next_springs: SpringRows,
    /// The permutation of a sort: new index of each old one. Shape `[n]`.
    inverse: Field<u32>,
    /// Squared displacements of the relaxation. Shape `[n]`, `[m²]`.
    pub displacement2: Field<Real>,
    /// Walls: `[x y z w]`. Shape `[n_walls]`.
    pub samples: Field<Packed>,
    pub contacts: Contacts<D>,
    /// The largest squared displacement. Shape `[1]`, `[m²]`.
    largest: Field<f64>,
}

impl<const D: usize> DeviceFields<D> {
    /// Fields for so many points.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(
        executor: &dyn Executor,
        needs: Needs,
        sizes: Sizes,
        demand: Demand<'_, D>,
    ) -> Result<Self, CudaError> {
        let Demand { grid, population, .. } = demand;
        let (n, n_walls) = (population.fluid, population.walls);
        let when = |needed: bool, n: usize| if needed { n } else { 0 };
        let records = |n: usize| executor.zeros::<Packed>(n);
        let [on_fluid, on_walls, of_walls] = sizes.neighbors;
        let n_springs = when(needs.springs, n);
        Ok(Self {
            common: Common::new(executor, grid, population)?,
            rows: [
                NeighborRows::new(executor, n, on_fluid)?,
                NeighborRows::new(executor, n, on_walls)?,
                NeighborRows::new(executor, when(needs.reactions, n_walls), of_walls)?,
            ],
            position: records(n)?,
            pressure: records(when(needs.pressure, n))?,
            p_near: executor.zeros(when(needs.pressure, n))?,
            velocity: records(when(needs.viscosity, n))?,
            delta: records(when(needs.delta, n))?,
            // Rows of the same capacity without springs, for the run may get them later.
            springs: SpringRows::new(executor, n_springs, sizes.springs)?,
            next_springs: SpringRows::new(executor, n_springs, sizes.springs)?,
            inverse: executor.zeros(n_springs)?,
            displacement2: executor.zeros(n)?,
            samples: records(n_walls)?,
            contacts: Contacts::new(executor, population)?,
            largest: executor.zeros(1)?,
        })
    }

    /// Writes the state, and the springs of its particles if there are any.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    pub fn write(
        &mut self,
        executor: &dyn Executor,
        state: &State<D>,
        springs: &mut Springs,
        h: Real,
    ) -> Result<(), CudaError> {
        self.common.write(executor, state)?;
        self.contacts.write(executor, state)?;
        if self.inverse.is_empty() {
            return Ok(());
        }
        springs.restore_rows(&state.fluid.id, h);
        let springs = &*springs;
        let rows = (0..state.fluid.len()).map(|i| springs.row(i));
        self.springs.write::<D>(executor, rows.map(|row| (&row.others[..row.n], &row.rests[..row.n])))?;
        let size = self.springs.size();
        if self.next_springs.size() == size { Ok(()) } else { self.next_springs.remake(executor, size) }
    }

    /// Present capacities.
    pub fn sizes(&self) -> Sizes {
        Sizes { neighbors: self.rows.each_ref().map(NeighborRows::size), springs: self.springs.size() }
    }

    /// Lists the neighbors of these sets of pairs, within `radius` `[m]`.
    pub fn list(&mut self, executor: &dyn Executor, pairs: &[Pairs], radius: Real) -> Result<(), CudaError> {
        let fluid = Source { cells: &self.common.fluid.cells, records: &self.position };
        let walls = Source { cells: &self.common.walls.cells, records: &self.samples };
        let n = [self.common.fluid.n, self.common.walls.n];
        list_pairs(executor, radius, pairs, &mut self.rows, [fluid, walls], n)
    }

    /// Permutes the springs by the last sort of the particles.
    pub fn follow(&mut self, launcher: &Launcher<'_, D>) -> Result<(), CudaError> {
        let (n, order) = (self.common.fluid.n, &self.common.fluid.cells.order);
        launcher.follow_sort(&self.springs, order, n, &mut self.inverse, &mut self.next_springs)?;
        std::mem::swap(&mut self.springs, &mut self.next_springs);
        Ok(())
    }

    /// Plastic flow, removal and creation of springs.
    pub fn adjust(&mut self, launcher: &Launcher<'_, D>) -> Result<(), CudaError> {
        let fluid = &self.rows[Pairs::Fluid as usize];
        let (n, lost) = (self.common.fluid.n, &mut self.common.lost);
        launcher.adjust_rows(fluid, &self.position, &self.springs, n, &mut self.next_springs, lost)?;
        std::mem::swap(&mut self.springs, &mut self.next_springs);
        Ok(())
    }

    /// The largest displacement of the relaxation, `[m]`.
    pub fn largest_displacement(&mut self, executor: &dyn Executor) -> Result<f64, CudaError> {
        let mut largest = [0.0];
        self.common.reduce.max(executor, &self.displacement2, self.common.fluid.n, &mut self.largest)?;
        executor.read(&self.largest, &mut largest)?;
        Ok(largest[0].max(0.0).sqrt())
    }

    /// Copies the springs to the host, if there are any.
    pub fn read_springs(&self, executor: &dyn Executor, springs: &mut Springs) -> Result<(), CudaError> {
        if self.springs.count.is_empty() {
            return Ok(());
        }
        let ids = executor.download(&self.common.fluid.id)?;
        let mut replacement = springs.replace(&ids);
        self.springs.read(executor, |i, other, rest| replacement.push(i, other, rest))
    }

    /// Copies to the host the fields of the diagnosis.
    pub fn read_chain(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        fields.position = executor.download(&self.position)?.into_iter().map(|record| record.0).collect();
        Ok(())
    }
}
