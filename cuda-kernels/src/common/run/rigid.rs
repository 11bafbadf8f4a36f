//! Rigid sets of wall samples on a GPU: where they are, and what the fluid does to those of dynamic bodies.

use crate::{
    common::{
        boundary::walls::{Affine, Wrench, Wrenches, affine_maps, flags, move_samples},
        run::resident::{Axes, Population, Samples, zero_axes},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{fluid::boundary::Boundary, method::state::State, rigid::Rigid};

/// The rigid sets of a run.
#[derive(Debug)]
pub struct RigidSets<const D: usize> {
    /// What they are. Shape `[n_sets]`.
    pub flags: Field<u32>,
    /// Where they are. Shape `[n_sets]`.
    maps: Field<Affine<D>>,
    /// Centers of mass of the dynamic bodies. Shape `[bodies · D]`, `[m]`.
    centers: Field<f64>,
    /// Sums of forces over each body.
    wrenches: Wrenches<D>,
    /// Forces on the samples; empty without dynamic bodies. Shape `[D][n_walls]`, `[N]`.
    pub force: Axes<D>,
}

impl<const D: usize> RigidSets<D> {
    /// Buffers for the sets of so many samples.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, population: &Population) -> Result<Self, CudaError> {
        let &Population { walls, sets, bodies, .. } = population;
        Ok(Self {
            flags: executor.zeros(sets)?,
            maps: executor.zeros(sets)?,
            centers: executor.zeros(bodies * D)?,
            wrenches: Wrenches::new(executor, sets, bodies)?,
            force: zero_axes(executor, if bodies > 0 { walls } else { 0 })?,
        })
    }

    /// Takes what the sets are.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn write(&mut self, executor: &dyn Executor, walls: &Boundary<D>) -> Result<(), CudaError> {
        executor.write(&flags(walls), &mut self.flags)?;
        self.wrenches.write(executor, walls)
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

    /// What the forces on their samples do to the bodies.
    ///
    /// # Errors
    /// When a copy or a launch fails.
    pub fn collect(
        &mut self,
        executor: &dyn Executor,
        samples: &Samples<D>,
        bodies: &mut [Rigid<D>],
    ) -> Result<(), CudaError> {
        let centers: Vec<f64> = bodies.iter().flat_map(|body| body.x).collect();
        executor.write(&centers, &mut self.centers)?;
        let sums = &mut self.wrenches;
        sums.collect(executor, &samples.body, &samples.x, &self.force, samples.n, &self.centers)?;
        let mut found = vec![Wrench::default(); bodies.len()];
        executor.read(&sums.total, &mut found)?;
        bodies.iter_mut().zip(found).for_each(|(body, found)| body.wrench = found.into());
        Ok(())
    }
}
