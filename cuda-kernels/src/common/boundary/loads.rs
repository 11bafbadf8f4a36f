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

/// Where these sums are made.
#[derive(Debug)]
pub struct ContainerLoads<const D: usize> {
    partial: Field<Wrench<D>>,
    result: Field<Wrench<D>>,
}

impl<const D: usize> ContainerLoads<D> {
    /// Buffers, none if the force on no container is measured.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, is_measured: bool) -> Result<Self, CudaError> {
        let n = usize::from(is_measured);
        Ok(Self { partial: executor.zeros(n * PARTIALS)?, result: executor.zeros(n)? })
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
            sum(load.container as u32, &mut self.partial, &mut self.result)?;
            let mut given = [Wrench::default()];
            executor.read(&self.result, &mut given)?;
            load.react(&given[0].into(), f64::from(state.rest.m) / dt);
        }
        Ok(())
    }
}
