//! How much memory of a card a run will need, from the scene alone: the fields of [`super::card::Card`], one by one.

use super::card::first_sizes;
use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::{
    fields::Packed,
    neighbors::row_bytes,
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

/// The memory of a card that a run of the scene needs with Position Based Fluids, while the pools of rows
/// suffice.
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
    let needs = Needs::of(params, !scene.body.is_empty());
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    let [on_fluid, on_walls, of_walls] = first_sizes::<D>(f64::from(params.support_ratio));
    let n_bodies = scene.body.len();
    let sets = rigid_bytes::<D>(scene.wall.len() + n_bodies, n_bodies, n_walls);
    let of_samples = PACKED + when(needs.sticky_walls, PACKED);
    let of_rows =
        row_bytes(n, on_fluid) + row_bytes(n, on_walls) + when(needs.reactions, row_bytes(n_walls, of_walls));
    let mut plan = MemoryPlan::default();
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the card", fluid_bytes::<D>(n, n_cells));
    add("walls and their cells, on the card", sample_bytes::<D>(n_walls, n_cells));
    add("rows of neighbors, on the card", of_rows);
    add("fields of pbf, on the card", per_particle::<D>(needs) * n);
    add("wall records of pbf, on the card", of_samples * n_walls + sets);
    add("reductions, on the card", reduce::bytes::<D>() + summary::BYTES);
    Ok(plan)
}

/// Bytes of the fields of a particle.
fn per_particle<const D: usize>(needs: Needs) -> usize {
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    // Place, push, correction; multiplier, squared speed and gain; the mark of what is lost.
    let always = 3 * PACKED + 3 * REAL + size_of::<u32>();
    always
        + when(needs.masses, REAL)
        + when(needs.velocities || needs.surface_forces, PACKED)
        + when(needs.velocities, PACKED)
        + when(needs.vorticity, 2 * PACKED + REAL)
        + when(needs.surface_constraint || needs.surface_forces, PACKED)
        + when(needs.surface_forces, D * REAL)
        + when(needs.past, 2 * D * REAL)
}
