//! How much memory of a card a run will need, from the scene alone: the fields of [`super::card::Card`], one by one.

use super::card::{first_cells, first_sizes};
use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::{
    fields::Packed,
    kernels::{projection::Facing, projection_cg::WORK_BYTES, projection_levels::level_bytes},
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

/// The memory of a card that a run of the scene needs with the staggered projection, while the pools of
/// rows suffice.
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
    let grid = plan::cells::<D>(scene, params.support_ratio * scene.spacing as Real, n + n_walls)?;
    let n_cells = grid.n_cells();
    let (n_bodies, n_surfaces) = (scene.body.len(), scene.wall.len() + scene.body.len());
    let needs = Needs::of(params, n_bodies > 0);
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    let [on_fluid, on_walls, of_walls] = first_sizes::<D>(f64::from(params.support_ratio));
    let of_rows =
        row_bytes(n, on_fluid) + row_bytes(n, on_walls) + when(needs.reactions, row_bytes(n_walls, of_walls));
    let entries = on_fluid.entries(n) * REAL;
    let of_walls = 3 * PACKED * n_walls
        + n_surfaces * (size_of::<Facing<D>>() + size_of::<u32>())
        + rigid_bytes::<D>(n_surfaces, n_bodies, n_walls);
    let mut plan = MemoryPlan::default();
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the card", fluid_bytes::<D>(n, n_cells));
    add("walls and their cells, on the card", sample_bytes::<D>(n_walls, n_cells));
    add("rows of neighbors, on the card", of_rows);
    add("entries of the matrix, on the card", entries);
    add("fields of projection, on the card", per_particle(needs, n_walls > 0) * n);
    add("wall records of projection, on the card", of_walls);
    if let Some(room) = first_cells::<D>(params, n) {
        add("coarser equations, on the card", level_bytes(&grid, n, room));
    }
    add("reductions, on the card", reduce::bytes::<D>() + summary::BYTES + WORK_BYTES);
    Ok(plan)
}

/// Bytes of the fields of a particle.
fn per_particle(needs: Needs, has_walls: bool) -> usize {
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    let along = needs.along && has_walls;
    // Place, motion, crowd, sums; share, air, pressure as it is and as it acts, six vectors, two squares; the mark of
    // what is lost.
    let always = 4 * PACKED + 12 * REAL + size_of::<u32>();
    always + when(along, 2 * PACKED) + when(along && needs.reactions, PACKED) + when(needs.viscosity, PACKED)
}
