//! Rigid sets of wall samples on a GPU: where they are, and what the fluid does to those of dynamic bodies.

use crate::{
    common::{
        boundary::{
            loads::Wrench,
            walls::{Affine, Wrenches, affine_maps, flags, move_samples},
        },
        run::resident::{Axes, Population, Samples, zero_axes},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{compiled_here, method::state::State, rigid::Bodies};

/// The rigid sets of a run.
#[derive(Debug)]
pub struct RigidSets<const D: usize> {
    /// What they are. Shape `[n_sets]`.
    pub flags: Field<u32>,
    /// Where they are. Shape `[n_sets]`.
    maps: Field<Affine<D>>,
    /// The points of [`Bodies::pivots`]. Shape `[pivots · D]`, `[m]`.
    centers: Field<f64>,
    /// Sums of forces over each of them.
    wrenches: Wrenches<D>,
    /// Forces on the samples; empty where none are needed. Shape `[D][n_walls]`, `[N]`.
    pub force: Axes<D>,
    /// Whether loads on walls are summed in this step, as the device has it.
    loads_due: bool,
}

impl<const D: usize> RigidSets<D> {
    /// Buffers for the sets of so many samples.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, population: &Population) -> Result<Self, CudaError> {
        let &Population { walls, sets, pivots, .. } = population;
        Ok(Self {
            flags: executor.zeros(sets)?,
            maps: executor.zeros(sets)?,
            centers: executor.zeros(pivots * D)?,
            wrenches: Wrenches::new(executor, sets, pivots)?,
            force: zero_axes(executor, if pivots > 0 { walls } else { 0 })?,
            loads_due: false,
        })
    }

    /// Takes what the sets are.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn write(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<(), CudaError> {
        self.loads_due = state.walls.loads_due;
        executor.write(&flags(&state.walls), &mut self.flags)?;
        self.wrenches.write(executor, &state.walls, &state.bodies)
    }

    /// The same, where loads on walls were due in the step before and are not now, or the reverse.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn follow(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<(), CudaError> {
        if self.loads_due == state.walls.loads_due { Ok(()) } else { self.write(executor, state) }
    }

    /// Sets all forces to zero.
    ///
    /// # Errors
    /// When it fails, or a kernel before it did.
    pub fn clear(&mut self, executor: &dyn Executor) -> Result<(), CudaError> {
        self.force.iter_mut().try_for_each(|force| executor.clear(force))
    }

    /// Brings the samples of prescribed walls to where they are at time `t`, and those of bodies to where these are.
    ///
    /// # Errors
    /// When a copy or a launch fails.
    pub fn place(
        &mut self,
        executor: &dyn Executor,
        state: &State<D>,
        t: f64,
        samples: &mut Samples<D>,
    ) -> Result<(), CudaError> {
        executor.write(&affine_maps(&state.walls, &state.bodies, t), &mut self.maps)?;
        let Samples { n, body, x_0, x, v, a, .. } = samples;
        move_samples(executor, &self.maps, self.maps.len(), body, x_0, *n, x, v, a)
    }

    /// What the forces on their samples do to the bodies, and to walls whose loads are due.
    ///
    /// # Errors
    /// When a copy or a launch fails.
    pub fn collect(
        &mut self,
        executor: &dyn Executor,
        samples: &Samples<D>,
        bodies: &mut Bodies<D>,
    ) -> Result<(), CudaError> {
        compiled_here!(
            D,
            RigidSets::sum_forces
                as fn(&mut RigidSets<D>, &dyn Executor, &Samples<D>, &mut Bodies<D>) -> Result<(), CudaError>
        )(self, executor, samples, bodies)
    }

    fn sum_forces(
        &mut self,
        executor: &dyn Executor,
        samples: &Samples<D>,
        bodies: &mut Bodies<D>,
    ) -> Result<(), CudaError> {
        let centers: Vec<f64> = bodies.pivots().flatten().collect();
        executor.write(&centers, &mut self.centers)?;
        let sums = &mut self.wrenches;
        sums.collect(executor, &samples.body, &samples.x, &self.force, samples.n, &self.centers)?;
        let mut found = vec![Wrench::default(); centers.len() / D];
        executor.read(&sums.total, &mut found)?;
        // What was not due keeps its last value.
        let n = if self.loads_due { found.len() } else { bodies.list.len() };
        bodies.wrenches().zip(found).take(n).for_each(|(wrench, found)| *wrench = found.into());
        Ok(())
    }
}
