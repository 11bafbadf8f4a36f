//! What the fluid does to containers on which the force is measured.
//!
//! Sums over the particles run in `f64`, in an order that depends on their number alone, before the kernel that moves
//! particles: it has the same bits and takes the same time whether a force is measured or not.

use crate::{
    common::numerics::reduce::PARTIALS,
    device::{
        error::CudaError,
        executor::{Executor, Field},
        launch::Launched,
    },
};
use sph_core::{method::state::State, rigid};

crate::device::launch::generated!("common_boundary_loads.rs");

impl<const D: usize> From<Wrench<D>> for rigid::Wrench<D> {
    fn from(Wrench { force, torque }: Wrench<D>) -> Self {
        Self { force, torque }
    }
}

/// Where a sum is made of what a container or a wall gives to particles.
#[derive(Debug)]
pub struct Given<const D: usize> {
    partial: Field<Wrench<D>>,
    result: Field<Wrench<D>>,
}

impl<const D: usize> Given<D> {
    /// Buffers, none if there is nothing to sum.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, is_needed: bool) -> Result<Self, CudaError> {
        let n = usize::from(is_needed);
        Ok(Self { partial: executor.zeros(n * PARTIALS)?, result: executor.zeros(n)? })
    }

    /// What `sum` finds: momentum and angular momentum over the mass of a particle.
    ///
    /// # Errors
    /// When a copy or a launch fails.
    pub fn sum(
        &mut self,
        executor: &dyn Executor,
        sum: impl FnOnce(&mut Field<Wrench<D>>, &mut Field<Wrench<D>>) -> Launched,
    ) -> Result<rigid::Wrench<D>, CudaError> {
        sum(&mut self.partial, &mut self.result)?;
        let mut given = [Wrench::default()];
        executor.read(&self.result, &mut given)?;
        Ok(given[0].into())
    }

    /// Adds to the forces on containers, where they are needed, what these are about to do in the step `dt` `[s]`: `sum` finds it
    /// for the container of a place. Twin of `State::add_container_loads`.
    ///
    /// # Errors
    /// When a copy or a launch fails.
    pub fn add(
        &mut self,
        executor: &dyn Executor,
        state: &mut State<D>,
        dt: f64,
        mut sum: impl FnMut(u32, &mut Field<Wrench<D>>, &mut Field<Wrench<D>>) -> Launched,
    ) -> Launched {
        if !state.needs_container_loads() {
            return Ok(());
        }
        for load in &mut state.bodies.container_loads {
            let container = load.container as u32;
            let given = self.sum(executor, |partial, result| sum(container, partial, result))?;
            load.wrench.react(&given, f64::from(state.rest.m) / dt);
        }
        Ok(())
    }
}
