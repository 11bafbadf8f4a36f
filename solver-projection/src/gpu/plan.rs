//! How much memory of a GPU a run will need, from the scene alone: that of a [`GPU`] which is made where it only counts.

use super::memory::{DeviceFields, first_aggregates, first_sizes};
use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::common::run::plan::Planned;
use sph_core::{
    Real,
    error::Error,
    scene::{Counts, Scene},
    watch::plan::MemoryPlan,
};

/// The memory of a GPU that a run of the scene needs with the staggered projection, while the pools of rows suffice.
///
/// # Errors
/// When the solver's parameters are refused, or there would be too many points or cells.
pub fn memory_plan(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    match scene.dim {
        2 => in_dimension::<2>(scene, &params, counts),
        3 => in_dimension::<3>(scene, &params, counts),
        other => Err(Error::range("dim", other, "[2, 3]")),
    }
}

fn in_dimension<const D: usize>(scene: &Scene, params: &Params, counts: Counts) -> Result<MemoryPlan, Error> {
    let radius = params.support_ratio * scene.spacing as Real;
    let planned = Planned::<D>::new(scene, counts, radius)?;
    let (executor, population) = (&planned.executor, &planned.population);
    let of_method = (planned.grid, Needs::of(params, population.bodies > 0));
    let sizes = first_sizes::<D>(f64::from(params.support_ratio));
    let n_aggregates = first_aggregates::<D>(params, population.fluid);
    let device = planned.made(DeviceFields::new(executor, population, of_method, sizes, n_aggregates))?;
    let mut plan = MemoryPlan { start: executor.peak() as f64, ..MemoryPlan::default() };
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the GPU", executor.weigh(device.common.fluid));
    add("walls and their cells, on the GPU", executor.weigh(device.common.walls));
    add("rows of neighbors, on the GPU", executor.weigh(device.rows));
    add("entries of the matrix, on the GPU", executor.weigh(device.entries));
    add("multigrid levels, on the GPU", executor.weigh(device.levels));
    add("fields of projection, on the GPU", executor.held());
    Ok(plan)
}
