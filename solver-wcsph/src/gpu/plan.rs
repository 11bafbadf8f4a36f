//! How much memory of a card a run will need, from the scene alone: the fields of [`super::card::Card`], one by one.

use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::{
    fields::Packed,
    plan, reduce,
    resident::{fluid_bytes, sample_bytes},
    rigid::rigid_bytes,
    summary,
};
use sph_core::{
    Real,
    error::Error,
    plan::{Counts, MemoryPlan},
    scene::Scene,
};

const REAL: usize = size_of::<Real>();
const PACKED: usize = size_of::<Packed>();

/// The memory of a GPU that a run of the scene needs with weakly compressible SPH and the default walk over neighbors:
/// the rows of `Walk::Kept`, and more cells of half a support, come on top.
///
/// # Errors
/// When the solver's parameters are refused, or there would be too many cells for so few particles.
pub fn memory_plan(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    match scene.dim {
        2 => in_dimension::<2>(scene, &params, counts),
        3 => in_dimension::<3>(scene, &params, counts),
        other => Err(Error::range("dim", other, "[2, 3]")),
    }
}

fn in_dimension<const D: usize>(scene: &Scene, params: &Params, counts: Counts) -> Result<MemoryPlan, Error> {
    let (n, n_walls) = (counts.fluid.round() as usize, counts.walls.round() as usize);
    let radius = params.support_ratio * scene.spacing as Real;
    let n_cells = plan::n_cells::<D>(scene, radius, n + n_walls)?;
    let needs = Needs::of(params);
    // Acceleration, drift correction; pressure, two squares, the mark of what is lost; two records or three.
    let vectors = D * REAL * (1 + usize::from(needs.drift_correction));
    let numbers = 3 * REAL + size_of::<u32>();
    let records = PACKED * (2 + usize::from(needs.wide || needs.surface));
    // Four records, what dummy walls take from the fluid, and what bodies get from it.
    let extrapolated = (1 + D) * REAL + size_of::<u32>();
    let of_samples = 4 * PACKED + extrapolated;
    let n_bodies = scene.body.len();
    let sets = rigid_bytes::<D>(scene.wall.len() + n_bodies, n_bodies, n_walls);
    let mut plan = MemoryPlan::default();
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the card", fluid_bytes::<D>(n, n_cells));
    add("walls and their cells, on the card", sample_bytes::<D>(n_walls, n_cells));
    add("fields of wcsph, on the card", (vectors + numbers + records) * n);
    add("wall records of wcsph, on the card", of_samples * n_walls + sets);
    add("reductions, on the card", reduce::bytes::<D>() + summary::BYTES + size_of::<f64>());
    Ok(plan)
}
