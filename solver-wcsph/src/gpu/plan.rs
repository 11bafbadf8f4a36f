//! How much memory of a card a run will need, from the scene alone: the fields of [`super::card::Card`], one by one.

use crate::{memory::Needs, params::Params, setup};
use cuda_kernels::{
    cells::CellGrid,
    error::CudaError,
    fields::Packed,
    reduce,
    resident::{Ends, fluid_bytes, sample_bytes, with_room},
    summary,
};
use sph_core::{
    Real,
    error::Error,
    neighbors::Periodic,
    plan::{Counts, MemoryPlan},
    sampling::{Face, Layers, Side},
    scene::Scene,
    shape::{Region, vector},
};
use std::array::from_fn;

/// The lower and the upper corner of a box, `[m]`.
type Corners<const D: usize> = ([f64; D], [f64; D]);

const REAL: usize = size_of::<Real>();
const PACKED: usize = size_of::<Packed>();

/// The memory of a card that a run of the scene needs with weakly compressible SPH.
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
    let n_cells = cells::<D>(scene, params, n + n_walls)?;
    let needs = Needs::of(params);
    let when = |needed: bool, bytes: usize| if needed { bytes } else { 0 };
    // Acceleration, drift correction; pressure, two squares, the mark of what is lost; two records or three.
    let vectors = D * REAL * (1 + usize::from(needs.drift_correction));
    let numbers = 3 * REAL + size_of::<u32>();
    let records = PACKED * (2 + usize::from(needs.wide || needs.surface));
    // Four records, what dummy walls take from the fluid, and what bodies get from it.
    let extrapolated = (1 + D) * REAL + size_of::<u32>();
    let of_samples = 4 * PACKED + extrapolated + when(!scene.body.is_empty(), D * REAL);
    let sets = (scene.wall.len() + scene.body.len()) * size_of::<u32>();
    let mut plan = MemoryPlan::default();
    let mut add = |name, bytes: usize| plan.add(name, bytes as f64);
    add("particles and their cells, on the card", fluid_bytes::<D>(n, n_cells));
    add("walls and their cells, on the card", sample_bytes::<D>(n_walls, n_cells));
    add("fields of wcsph, on the card", (vectors + numbers + records) * n);
    add("wall records of wcsph, on the card", of_samples * n_walls + sets);
    add("reductions, on the card", reduce::bytes::<D>() + summary::BYTES + size_of::<f64>());
    Ok(plan)
}

/// Cells of the box around all that the scene draws.
fn cells<const D: usize>(scene: &Scene, params: &Params, n: usize) -> Result<usize, Error> {
    let radius = params.support_ratio * scene.spacing as Real;
    let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
    for (min, max) in boxes::<D>(scene)? {
        for a in 0..D {
            (low[a], high[a]) = (low[a].min(min[a]), high[a].max(max[a]));
        }
    }
    let domain: Ends<D> = match &scene.domain {
        Some(domain) => {
            (reals(vector("domain.min", &domain.min)?), reals(vector("domain.max", &domain.max)?))
        }
        // Wider than what the box of cells asks for.
        None => ([Real::NEG_INFINITY; D], [Real::INFINITY; D]),
    };
    let mut length = [0.0; D];
    for axis in scene.domain.iter().flat_map(|domain| &domain.periodic) {
        let a = axis.index();
        length[a] = domain.1[a] - domain.0[a];
    }
    let periodic = Periodic::new(domain.0.map(|x| if x.is_finite() { x } else { 0.0 }), length);
    let (low, high) = with_room((reals(low), reals(high)), domain);
    let grid = CellGrid::new(radius, &periodic, low, high, n);
    grid.map(|grid| grid.n_cells()).map_err(|error| scene.locate(refused(error)))
}

fn refused(error: CudaError) -> Error {
    Error::invalid("spacing", error.to_string())
}

fn reals<const D: usize>(x: [f64; D]) -> [Real; D] {
    x.map(|x| x as Real)
}

/// Boxes around the particles of each body and each wall at the start.
fn boxes<const D: usize>(scene: &Scene) -> Result<Vec<Corners<D>>, Error> {
    let (mut boxes, spacing) = (Vec::new(), scene.spacing);
    let mut add = |region: Region<D>, layers: Option<Layers>| {
        boxes.extend(region.bounds().map(|(min, max)| {
            let by = |a: usize, end: usize| {
                spacing * layers.as_ref().map_or(-0.5, |layers| reach(layers, FACES[a][end]))
            };
            (from_fn(|a| min[a] - by(a, 0)), from_fn(|a| max[a] + by(a, 1)))
        }));
    };
    for (k, body) in scene.fluid.iter().enumerate() {
        add(body.shape.resolve(&format!("fluid[{k}].shape"))?, None);
    }
    for (k, wall) in scene.wall.iter().enumerate() {
        add(wall.shape.resolve(&format!("wall[{k}].shape"))?, Some(wall.layout()));
    }
    for (k, body) in scene.body.iter().enumerate() {
        add(body.shape.resolve(&format!("body[{k}].shape"))?, Some(body.layout()));
    }
    Ok(boxes)
}

const FACES: [[Face; 2]; 3] = [[Face::XMin, Face::XMax], [Face::YMin, Face::YMax], [Face::ZMin, Face::ZMax]];

/// How far the samples of a wall reach beyond a face, in spacings.
fn reach(layers: &Layers, face: Face) -> f64 {
    // Faces of blocks have these names; a list of other names leaves none of these open.
    let named = |faces: &Vec<Face>| faces.iter().any(|f| FACES.iter().flatten().any(|block| f == block));
    let is_open = layers.faces.as_ref().is_some_and(|faces| named(faces) && !faces.contains(&face));
    match layers.side {
        Side::Inside if is_open => -0.5,
        Side::Inside => layers.offset + layers.count as f64 - 1.0,
        Side::Outside => -layers.offset,
    }
}
