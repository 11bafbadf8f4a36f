//! What a run on a GPU will hold, from the scene alone: before a particle is made, here or there.

use crate::{
    common::{
        boundary::facets::Facets,
        run::{
            Demand, OnGpu,
            cell_box::{Ends, cells_around},
            resident::Population,
            sample::Sampler,
        },
        search::cells::CellGrid,
    },
    device::{counting::Counting, error::CudaError, executor::Executor},
};
use sph_core::{
    Real, compiled_here,
    error::Error,
    geometry::{
        sampling::{Face, Layers, Side},
        shape::{Region, vector},
    },
    method::sample::Marks,
    neighbors::{Backend, Periodic},
    scene::{Container, Counts, Parameters as _, Scene},
    watch::plan::MemoryPlan,
};
use std::{array::from_fn, sync::Arc};

/// The lower and the upper corner of a box, `[m]`.
type Corners<const D: usize> = ([f64; D], [f64; D]);

/// The memory of a GPU that a run of the scene needs with a method and the default walk over neighbors, while the pools of
/// rows suffice: it is made on an executor that only counts.
///
/// # Errors
/// When the solver's parameters are refused, or there would be too many points or cells.
pub fn memory<const D: usize, M: OnGpu<D>>(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    let mut params = M::Params::of_scene(scene)?;
    let (fluid, walls) = (counts.fluid.round() as usize, counts.walls.round() as usize);
    M::check_on_gpu(&params).map_err(|error| scene.locate(error))?;
    let bodies = scene.body.len();
    let sets = scene.wall.len() + bodies;
    let is_measured = |name: &str| scene.measure.iter().any(|measure| measure.is_force_on(name));
    let loads = scene.wall.iter().enumerate().filter(|(k, wall)| is_measured(&wall.called(*k))).count();
    let container_loads = (0..scene.container.len()).filter(|k| is_measured(&Container::called(*k))).count();
    let pivots = bodies + loads;
    let population = Population { fluid, walls, sets, surfaces: sets, bodies, pivots, container_loads };
    let spacing = scene.spacing as Real;
    let radius = *params.support_ratio() * spacing;
    let grid = compiled_here!(D, cells as fn(&Scene, Real, usize) -> Result<CellGrid<D>, Error>)(
        scene,
        radius,
        fluid + walls,
    )?;
    let (executor, sizes) = (Counting::default(), M::first_sizes(&params));
    let facets = compiled_here!(D, facets as fn(&Scene, &dyn Executor, bool) -> Result<Facets<D>, Error>)(
        scene,
        &executor,
        M::READS_SURFACES,
    )?;
    let demand = Demand { population: &population, grid, spacing, bounded: true };
    let made = M::allocate(&executor, &params, sizes, demand);
    let device = made.map_err(|error| scene.locate(refused(error)))?;
    let mut plan = MemoryPlan { start: executor.peak() as f64, ..MemoryPlan::default() };
    let mut rest = executor.held();
    let mut add = |name, bytes: usize| {
        rest -= bytes;
        plan.add(name, bytes as f64);
    };
    let (common, parts) = M::into_parts(device);
    add("particles and their cells, on the GPU", executor.weigh(common.fluid));
    add("walls and their cells, on the GPU", executor.weigh(common.walls));
    parts.into_iter().for_each(|(name, part)| add(name, executor.weigh(part)));
    if !facets.is_empty() {
        add("facets of surfaces, on the GPU", executor.weigh(facets));
    }
    plan.add("fields of the method, on the GPU", rest as f64);
    if !scene.measure.is_empty() {
        let bits = vec![0; Marks::<D>::MOST_CELLS];
        let marks = Arc::new(Marks { low: [0.0; D], inverse: 0.0, extent: [0; D], bits });
        let sampler = Sampler::new(&executor, fluid, &marks).map_err(|error| scene.locate(refused(error)))?;
        plan.add("samples of measures, on the GPU", executor.weigh(sampler) as f64);
    }
    Ok(plan)
}

/// Cells of edge `radius` `[m]` in the box around all that the scene draws, as
/// [`CellBoxFit::grid`](crate::common::run::cell_box::CellBoxFit::grid) has it.
///
/// # Errors
/// When the scene is refused, or there would be too many cells for `n` particles and samples.
fn cells<const D: usize>(scene: &Scene, radius: Real, n: usize) -> Result<CellGrid<D>, Error> {
    check_search(scene)?;
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
    let grid = cells_around(radius, &periodic, (reals(low), reals(high)), domain, n);
    grid.map_err(|error| scene.locate(refused(error)))
}

/// Refuses a search of neighbors that no kernel has: cells on a GPU are dense.
fn check_search(scene: &Scene) -> Result<(), Error> {
    let name = match scene.neighbors.backend {
        Backend::DenseGrid => return Ok(()),
        Backend::HashGrid => "\"hash_grid\"",
        Backend::BruteForce => "\"brute_force\"",
    };
    let error = Error::invalid("neighbors.backend", "does not run on a GPU").value(name);
    Err(scene.locate(error.hint("use neighbors.backend = \"dense_grid\", or the CPU backend")))
}

/// The facets of containers, and of walls and bodies where kernels read their surfaces.
fn facets<const D: usize>(
    scene: &Scene,
    executor: &dyn Executor,
    reads_walls: bool,
) -> Result<Facets<D>, Error> {
    let walls = scene.wall.iter().enumerate().map(|(k, wall)| (format!("wall[{k}].shape"), &wall.shape));
    let bodies = scene.body.iter().enumerate().map(|(k, body)| (format!("body[{k}].shape"), &body.shape));
    let containers = scene.container.iter().enumerate();
    let containers = containers.map(|(k, container)| (format!("container[{k}].shape"), &container.shape));
    let shapes = walls.chain(bodies).filter(|_| reads_walls).chain(containers);
    let regions = shapes.map(|(key, shape)| shape.resolve(&key)).collect::<Result<Vec<Region<D>>, _>>()?;
    Facets::new(executor, &regions).map_err(|error| scene.locate(refused(error)))
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
    let mut add = |region: Region<D>, mut layers: Option<Layers>| {
        if let (Some(layers), Region::TurnedBlock { .. }) = (&mut layers, &region) {
            // Its faces are not those of the box around it.
            layers.faces = None;
        }
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
