//! How much memory of a card a run will need, from the scene alone: the fields of [`super::card::Card`], one by one.

use super::{card::Sizes, contact, solver::check_order};
use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::{
    fields::Packed,
    kernels::viscoelastic_springs::spring_bytes,
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

/// The memory of a card that a run of the scene needs with the viscoelastic fluid, while the pools of rows
/// suffice.
///
/// # Errors
/// When the solver's parameters are refused, also for so many particles, or there would be too many cells for so few particles.
pub fn memory_plan(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    check_order(&params, counts.fluid.round() as usize).map_err(|error| scene.locate(error))?;
    match scene.dim {
        2 => in_dimension::<2>(scene, &params, counts),
        3 => in_dimension::<3>(scene, &params, counts),
        other => Err(Error::range("dim", other, "[2, 3]")),
    }
}

fn in_dimension<const D: usize>(scene: &Scene, params: &Params, counts: Counts) -> Result<MemoryPlan, Error> {
    let (n, n_walls) = (counts.fluid.round() as usize, counts.walls.round() as usize);
    let n_cells = plan::n_cells::<D>(scene, params.support_ratio * scene.spacing as Real, n + n_walls)?;
    let (n_fixed, n_bodies) = (scene.wall.len(), scene.body.len());
    let needs = Needs::of(params, n_bodies > 0);
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    let sizes = Sizes::of_lattice::<D>(f64::from(params.support_ratio));
    let [on_fluid, on_walls, of_walls] = sizes.neighbors;
    let of_rows =
        row_bytes(n, on_fluid) + row_bytes(n, on_walls) + when(needs.reactions, row_bytes(n_walls, of_walls));
    let sets = rigid_bytes::<D>(n_fixed + n_bodies, n_bodies, n_walls);
    let springs = 2 * spring_bytes(n, sizes.springs) + size_of::<u32>() * n;
    let mut plan = MemoryPlan::default();
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the card", fluid_bytes::<D>(n, n_cells));
    add("walls and their cells, on the card", sample_bytes::<D>(n_walls, n_cells));
    add("rows of neighbors, on the card", of_rows);
    add("fields of viscoelastic, on the card", per_particle(needs) * n);
    add("springs, on the card", when(needs.springs, springs));
    add("wall records of viscoelastic, on the card", PACKED * n_walls + sets);
    add("contacts, on the card", contact::bytes::<D>(n_fixed, n_bodies));
    add("reductions, on the card", reduce::bytes::<D>() + summary::BYTES);
    Ok(plan)
}

/// Bytes of the fields of a particle.
fn per_particle(needs: Needs) -> usize {
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    // Place; three squares; the mark of what is lost.
    let always = PACKED + 3 * REAL + size_of::<u32>();
    always + when(needs.push, PACKED + REAL) + when(needs.viscosity, PACKED) + when(needs.delta, PACKED)
}
