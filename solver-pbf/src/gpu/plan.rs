//! Memory of a GPU that a run needs, from the scene alone: fields are allocated by an executor that only counts.

use super::memory::{Demand, DeviceFields, first_sizes};
use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::common::run::plan::Planned;
use sph_core::{
    Real,
    error::Error,
    scene::{Counts, Scene},
    watch::plan::MemoryPlan,
};

/// The memory of a GPU that a run of the scene needs with Position Based Fluids, while the pools of rows suffice.
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
    let needs = Needs::of(params, population.bodies > 0);
    let sizes = first_sizes::<D>(f64::from(params.support_ratio));
    let device =
        planned.made(DeviceFields::new(executor, population, Demand { grid: planned.grid, needs, sizes }))?;
    let mut plan = MemoryPlan { start: executor.peak() as f64, ..MemoryPlan::default() };
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the GPU", executor.weigh(device.common.fluid));
    add("walls and their cells, on the GPU", executor.weigh(device.common.walls));
    add("rows of neighbors, on the GPU", executor.weigh(device.rows));
    add("fields of pbf, on the GPU", executor.held());
    Ok(plan)
}
