//! What stays on a GPU from step to step: the fluid and the wall samples of a state, in the order of their cells.

use crate::{
    common::{
        numerics::fields::{permute_bodies, permute_fields, permute_ids},
        search::cells::{CellGrid, CellSort},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field, Plain},
    },
};
use sph_core::{
    Real, compiled_here,
    fluid::{boundary::Boundary, particles::Particles},
    method::state::State,
};
use std::mem::swap;

/// A vector field, one array an axis.
pub type Axes<const D: usize> = [Field<Real>; D];

/// How many points a run has, and what they belong to: what decides its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Population {
    /// Fluid particles.
    pub fluid: usize,
    /// Samples of walls and bodies.
    pub walls: usize,
    /// Rigid sets of samples.
    pub sets: usize,
    /// Surfaces of walls and bodies.
    pub surfaces: usize,
    /// Dynamic bodies.
    pub bodies: usize,
    /// These, and walls on which the force is measured.
    pub pivots: usize,
    /// Containers on which the force is measured.
    pub container_loads: usize,
}

impl Population {
    /// That of a state.
    pub fn of<const D: usize>(state: &State<D>) -> Self {
        let State { fluid, walls, bodies, .. } = state;
        let (sets, surfaces) = (walls.bodies.len(), walls.surfaces.len());
        let (n, pivots) = (bodies.list.len(), bodies.list.len() + bodies.loads.len());
        let container_loads = bodies.container_loads.len();
        Self { fluid: fluid.len(), walls: walls.len(), sets, surfaces, bodies: n, pivots, container_loads }
    }
}

/// Overwrites the arrays of each axis.
///
/// # Errors
/// When a field is shorter, or a copy fails.
pub fn write_axes<const D: usize>(
    executor: &dyn Executor,
    from: &[Vec<Real>; D],
    to: &mut Axes<D>,
) -> Result<(), CudaError> {
    from.iter().zip(to).try_for_each(|(from, to)| executor.write(from, to))
}

/// `n` zeros on each axis.
///
/// # Errors
/// When there is no memory left.
pub fn zero_axes<const D: usize>(executor: &dyn Executor, n: usize) -> Result<Axes<D>, CudaError> {
    in_order(|_| executor.zeros(n))
}

/// Copies the arrays of each axis to the host.
///
/// # Errors
/// When a copy fails.
pub fn read_axes<const D: usize>(
    executor: &dyn Executor,
    from: &Axes<D>,
    to: &mut [Vec<Real>; D],
) -> Result<(), CudaError> {
    from.iter().zip(to).try_for_each(|(from, to)| read(executor, from, to))
}

/// Copies an array to the host, whatever its length was there.
///
/// # Errors
/// When the copy fails.
pub fn read<T: Plain>(executor: &dyn Executor, from: &Field<T>, to: &mut Vec<T>) -> Result<(), CudaError> {
    to.resize(from.len(), T::default());
    executor.read(from, to)
}

/// An array of `D` results, or the first error.
fn in_order<const D: usize, T>(
    mut make: impl FnMut(usize) -> Result<T, CudaError>,
) -> Result<[T; D], CudaError> {
    let made = (0..D).map(&mut make).collect::<Result<Vec<T>, _>>()?;
    // There are D of them.
    made.try_into().map_err(|_| CudaError::TooMany { n: D, most: D })
}

/// Fields that take the place of permuted ones.
#[derive(Debug)]
pub(super) struct Spare<const D: usize> {
    pub(super) axes: Axes<D>,
    ids: Field<u64>,
}

impl<const D: usize> Spare<D> {
    fn new(executor: &dyn Executor, n: usize) -> Result<Self, CudaError> {
        Ok(Self { axes: zero_axes(executor, n)?, ids: executor.zeros(n)? })
    }

    fn vector(
        &mut self,
        executor: &dyn Executor,
        order: &Field<u32>,
        n: usize,
        x: &mut Axes<D>,
    ) -> Result<(), CudaError> {
        let mut moves: Vec<_> = x.iter().zip(&mut self.axes).collect();
        permute_fields::<D>(executor, order, n, &mut moves)?;
        swap(x, &mut self.axes);
        Ok(())
    }

    fn number(
        &mut self,
        executor: &dyn Executor,
        order: &Field<u32>,
        n: usize,
        x: &mut Field<Real>,
    ) -> Result<(), CudaError> {
        permute_fields::<D>(executor, order, n, &mut [(x, &mut self.axes[0])])?;
        swap(x, &mut self.axes[0]);
        Ok(())
    }

    fn ids(
        &mut self,
        executor: &dyn Executor,
        order: &Field<u32>,
        n: usize,
        ids: &mut Field<u64>,
    ) -> Result<(), CudaError> {
        permute_ids::<D>(executor, ids, &mut self.ids, order, n)?;
        swap(ids, &mut self.ids);
        Ok(())
    }
}

/// The fluid.
#[derive(Debug)]
pub struct Fluid<const D: usize> {
    /// Number of particles.
    pub n: usize,
    /// Stable names. Shape `[n]`.
    pub id: Field<u64>,
    /// Positions. Shape `[D][n]`, `[m]`.
    pub x: Axes<D>,
    /// Velocities. Shape `[D][n]`, `[m/s]`.
    pub v: Axes<D>,
    /// Densities. Shape `[n]`, `[kg/m³]`.
    pub rho: Field<Real>,
    /// Their cells.
    pub cells: CellSort<D>,
    pub(super) spare: Spare<D>,
}

impl<const D: usize> Fluid<D> {
    /// Buffers for `n` particles, to be sorted into the cells of `grid`.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, grid: CellGrid<D>, n: usize) -> Result<Self, CudaError> {
        Ok(Self {
            n,
            id: executor.zeros(n)?,
            x: zero_axes(executor, n)?,
            v: zero_axes(executor, n)?,
            rho: executor.zeros(n)?,
            cells: CellSort::new(executor, grid, n)?,
            spare: Spare::new(executor, n)?,
        })
    }

    /// Takes the particles, up to the capacity.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn write(&mut self, executor: &dyn Executor, fluid: &Particles<D>) -> Result<(), CudaError> {
        executor.write(&fluid.id, &mut self.id)?;
        write_axes(executor, &fluid.x, &mut self.x)?;
        write_axes(executor, &fluid.v, &mut self.v)?;
        executor.write(&fluid.rho, &mut self.rho)
    }

    /// Brings the particles into the order of their cells, and the vectors `carried` with them.
    ///
    /// # Errors
    /// When a launch fails.
    pub fn sort(&mut self, executor: &dyn Executor, carried: &mut [&mut Axes<D>]) -> Result<(), CudaError> {
        compiled_here!(
            D,
            Fluid::sort_by_cell
                as fn(&mut Fluid<D>, &dyn Executor, &mut [&mut Axes<D>]) -> Result<(), CudaError>
        )(self, executor, carried)
    }

    fn sort_by_cell(
        &mut self,
        executor: &dyn Executor,
        carried: &mut [&mut Axes<D>],
    ) -> Result<(), CudaError> {
        self.cells.sort(executor, &self.x, self.n)?;
        let (order, n, spare) = (&self.cells.order, self.n, &mut self.spare);
        spare.ids(executor, order, n, &mut self.id)?;
        spare.vector(executor, order, n, &mut self.x)?;
        spare.vector(executor, order, n, &mut self.v)?;
        spare.number(executor, order, n, &mut self.rho)?;
        carried.iter_mut().try_for_each(|x| spare.vector(executor, order, n, x))
    }

    /// Copies the particles to the host.
    ///
    /// # Errors
    /// When a copy, or a kernel before it, fails.
    pub fn read(&self, executor: &dyn Executor, fluid: &mut Particles<D>) -> Result<(), CudaError> {
        read(executor, &self.id, &mut fluid.id)?;
        read_axes(executor, &self.x, &mut fluid.x)?;
        read_axes(executor, &self.v, &mut fluid.v)?;
        read(executor, &self.rho, &mut fluid.rho)
    }
}

/// The wall samples.
#[derive(Debug)]
pub struct Samples<const D: usize> {
    /// Number of samples.
    pub n: usize,
    /// Stable names. Shape `[n]`.
    pub id: Field<u64>,
    /// Positions now. Shape `[D][n]`, `[m]`.
    pub x: Axes<D>,
    /// Velocities now. Shape `[D][n]`, `[m/s]`.
    pub v: Axes<D>,
    /// Accelerations now. Shape `[D][n]`, `[m/s²]`.
    pub a: Axes<D>,
    /// Positions in the drawing. Shape `[D][n]`, `[m]`.
    pub x_0: Axes<D>,
    /// Volumes V_b. Shape `[n]`, `[m³]`.
    pub volume: Field<Real>,
    /// Rigid set. Shape `[n]`.
    pub body: Field<u16>,
    /// Their cells.
    pub cells: CellSort<D>,
    pub(super) spare: Spare<D>,
    spare_body: Field<u16>,
}

impl<const D: usize> Samples<D> {
    /// Buffers for `n` samples, to be sorted into the cells of `grid`.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, grid: CellGrid<D>, n: usize) -> Result<Self, CudaError> {
        Ok(Self {
            n,
            id: executor.zeros(n)?,
            x: zero_axes(executor, n)?,
            v: zero_axes(executor, n)?,
            a: zero_axes(executor, n)?,
            x_0: zero_axes(executor, n)?,
            volume: executor.zeros(n)?,
            body: executor.zeros(n)?,
            cells: CellSort::new(executor, grid, n)?,
            spare: Spare::new(executor, n)?,
            spare_body: executor.zeros(n)?,
        })
    }

    /// Takes the samples, up to the capacity.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn write(&mut self, executor: &dyn Executor, walls: &Boundary<D>) -> Result<(), CudaError> {
        executor.write(&walls.id, &mut self.id)?;
        write_axes(executor, &walls.x, &mut self.x)?;
        write_axes(executor, &walls.v, &mut self.v)?;
        write_axes(executor, &walls.a, &mut self.a)?;
        write_axes(executor, &walls.x_0, &mut self.x_0)?;
        executor.write(&walls.volume, &mut self.volume)?;
        executor.write(&walls.body, &mut self.body)
    }

    /// Brings the samples into the order of their cells.
    ///
    /// # Errors
    /// When a launch fails.
    pub fn sort(&mut self, executor: &dyn Executor) -> Result<(), CudaError> {
        compiled_here!(
            D,
            Samples::sort_by_cell as fn(&mut Samples<D>, &dyn Executor) -> Result<(), CudaError>
        )(self, executor)
    }

    fn sort_by_cell(&mut self, executor: &dyn Executor) -> Result<(), CudaError> {
        self.cells.sort(executor, &self.x, self.n)?;
        let (order, n, spare) = (&self.cells.order, self.n, &mut self.spare);
        spare.ids(executor, order, n, &mut self.id)?;
        for x in [&mut self.x, &mut self.v, &mut self.a, &mut self.x_0] {
            spare.vector(executor, order, n, x)?;
        }
        spare.number(executor, order, n, &mut self.volume)?;
        permute_bodies::<D>(executor, &self.body, &mut self.spare_body, order, n)?;
        swap(&mut self.body, &mut self.spare_body);
        Ok(())
    }

    /// Copies the samples to the host.
    ///
    /// # Errors
    /// When a copy, or a kernel before it, fails.
    pub fn read(&self, executor: &dyn Executor, walls: &mut Boundary<D>) -> Result<(), CudaError> {
        read(executor, &self.id, &mut walls.id)?;
        read_axes(executor, &self.x, &mut walls.x)?;
        read_axes(executor, &self.v, &mut walls.v)?;
        read_axes(executor, &self.a, &mut walls.a)?;
        read_axes(executor, &self.x_0, &mut walls.x_0)?;
        read(executor, &self.volume, &mut walls.volume)?;
        read(executor, &self.body, &mut walls.body)
    }
}
