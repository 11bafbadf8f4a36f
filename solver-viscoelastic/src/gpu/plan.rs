//! The memory of a run on a GPU, from the scene alone: that of fields on an executor that only counts.

use super::{
    memory::{DeviceFields, Sizes},
    solver::check_mode,
};
use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::common::run::plan::Planned;
use sph_core::{
    Real,
    error::Error,
    scene::{Counts, Scene},
    watch::plan::MemoryPlan,
};

/// The memory of a GPU that a run of the scene needs with the viscoelastic fluid, while the pools of rows suffice.
///
/// # Errors
/// When the solver's parameters are refused, or there would be too many points or cells.
pub fn memory_plan(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    check_mode(&params).map_err(|error| scene.locate(error))?;
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
    let sizes = Sizes::of_lattice::<D>(f64::from(params.support_ratio));
    let device = planned.made(DeviceFields::new(executor, population, of_method, sizes))?;
    let mut plan = MemoryPlan { start: executor.peak() as f64, ..MemoryPlan::default() };
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the GPU", executor.weigh(device.common.fluid));
    add("walls and their cells, on the GPU", executor.weigh(device.common.walls));
    add("rows of neighbors, on the GPU", executor.weigh(device.rows));
    add("springs, on the GPU", executor.weigh([device.springs, device.next_springs]));
    add("fields of viscoelastic, on the GPU", executor.held());
    Ok(plan)
}
