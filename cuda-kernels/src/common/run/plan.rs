//! What a run on a GPU will hold, from the scene alone: before a particle is made, here or there.

use crate::{
    common::{
        run::{
            resident::Population,
            room::{Ends, cells_around},
        },
        search::cells::CellGrid,
    },
    device::{counting::Counting, error::CudaError},
};
use sph_core::{
    Real,
    error::Error,
    geometry::{
        sampling::{Face, Layers, Side},
        shape::{Region, vector},
    },
    neighbors::{Backend, Periodic},
    scene::{Counts, Scene},
};
use std::array::from_fn;

/// The lower and the upper corner of a box, `[m]`.
type Corners<const D: usize> = ([f64; D], [f64; D]);

/// A run that is planned: its memory is made on an executor that only counts.
#[derive(Debug)]
pub struct Planned<'a, const D: usize> {
    scene: &'a Scene,
    /// Where it is made.
    pub executor: Counting,
    /// Its points.
    pub population: Population,
    /// Its cells.
    pub grid: CellGrid<D>,
}

impl<'a, const D: usize> Planned<'a, D> {
    /// So many points of the scene, in cells of edge `radius` `[m]`.
    ///
    /// # Errors
    /// When the scene is refused, or there would be too many cells for so few points.
    pub fn new(scene: &'a Scene, counts: Counts, radius: Real) -> Result<Self, Error> {
        let (fluid, walls) = (counts.fluid.round() as usize, counts.walls.round() as usize);
        let bodies = scene.body.len();
        let sets = scene.wall.len() + bodies;
        let population = Population { fluid, walls, sets, surfaces: sets, bodies };
        let grid = cells::<D>(scene, radius, fluid + walls)?;
        Ok(Self { scene, executor: Counting::default(), population, grid })
    }

    /// What a run would hold; says what is wrong with the scene where it cannot be made.
    ///
    /// # Errors
    /// When there are too many points.
    pub fn made<C>(&self, made: Result<C, CudaError>) -> Result<C, Error> {
        made.map_err(|error| self.scene.locate(refused(error)))
    }
}

/// Cells of edge `radius` `[m]` in the box around all that the scene draws, as [`Room::grid`](crate::common::run::room::Room::grid) has it.
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
