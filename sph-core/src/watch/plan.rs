//! How much memory a run will need, from the scene alone: before a particle is made.

mod rows;

use crate::{
    Real,
    error::Error,
    geometry::{motion::Motion, shape::Shape},
    neighbors::{CHUNK, PAD},
    scene::{Counts, OnFailure, Scene},
};
use rows::Rows;

/// One part of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it is for.
    pub name: &'static str,
    /// Its size, `[B]`.
    pub bytes: f64,
}

/// What a method asks of the parts that all methods share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Points of the scene.
    pub counts: Counts,
    /// Radius of the neighbor search over spacing, `[-]`.
    pub search_ratio: f64,
    /// True when wall samples have rows of fluid particles.
    pub wall_rows: bool,
    /// Threads of the run.
    pub threads: usize,
}

/// The memory of a run by its parts: what is held at its peak, over what the program holds by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryPlan {
    /// The parts.
    pub parts: Vec<Part>,
    /// What is held before the parts of the run exist, as by walls while they are weighed, `[B]`.
    pub start: f64,
}

/// Rows have some spare capacity (measured, 1.15 to 1.18: the largest).
const ROOM: f64 = 1.18;
/// Disorder makes long rows longer. Those that have grown leave holes in the memory that no other fills: a part of
/// all rows, and some chunks of rows a thread (measured for 3 · 10⁴ to 5 · 10⁵ particles in 3D).
const HOLES: f64 = 0.29;
const CHUNKS: f64 = 3.0;
/// Rows longer than this grow, `[-]`.
const LONG: f64 = 4.0 * PAD as f64;
/// Stacks and tables that a run of any size has, `[B]` (measured).
const FIXED: f64 = 8e4;

/// Snapshots of a run that goes back after a failure.
pub const SNAPSHOTS: usize = 2;

const REAL: f64 = size_of::<Real>() as f64;

/// The holes that rows of this length leave in memory when they grow, of `bytes` in all rows, `[B]`.
pub fn holes(length: f64, bytes: f64) -> f64 {
    if length > LONG { HOLES * bytes } else { 0.0 }
}

impl MemoryPlan {
    /// The parts that do not depend on the method: particles, walls, neighbor rows, and what sorts them.
    ///
    /// # Errors
    /// When the scene has other than 2 or 3 dimensions.
    pub fn of_core(scene: &Scene, demand: &Demand) -> Result<Self, Error> {
        match scene.dim {
            2 => Ok(Self::in_dimension::<2>(scene, demand)),
            3 => Ok(Self::in_dimension::<3>(scene, demand)),
            other => Err(Error::range("dim", other, "[2, 3]")),
        }
    }

    fn in_dimension<const D: usize>(scene: &Scene, demand: &Demand) -> Self {
        let (d, Counts { fluid: n, walls: w }) = (D as f64, demand.counts);
        let rows = Rows::of::<D>(scene, demand.search_ratio);
        // Id, positions, velocities, density; for walls also accelerations, initial positions, volume and body.
        let (particle, sample) = (8.0 + (2.0 * d + 1.0) * REAL, 10.0 + (4.0 * d + 1.0) * REAL);
        let row = |count: f64, row: f64| count * (4.0 * ROOM * row + 5.0);
        let wetted = demand.counts.walls.min(rows.n_wetted);
        let wall_rows = if demand.wall_rows { row(wetted, rows.wetted) + 5.0 * (w - wetted) } else { 0.0 };
        let fluid_rows = row(n, rows.fluid);
        let chunks = CHUNKS * demand.threads as f64 * row(CHUNK as f64, rows.fluid);
        let holes = match holes(rows.fluid, fluid_rows) {
            0.0 => 0.0,
            holes => holes + chunks.min(0.2 * fluid_rows),
        };
        // Order, numbers and cells of the points; a field and the ids twice, and the bodies of walls that move.
        let most = n.max(w);
        let moving = if walls_move(scene) { (10.0 + REAL) * w } else { 0.0 };
        let sorting =
            8.0 * most + 4.0 * (n + 2.0 * w) + (8.0 + REAL) * n + moving + cells::<D>(scene, demand);
        let candidates = demand.threads as f64 * (d * REAL + 4.0) * 2.0 * CHUNK as f64;
        let mut plan = Self::default();
        plan.add("particles", particle * n);
        plan.add("walls", sample * w);
        plan.add("neighbor rows", fluid_rows + holes + row(n, rows.walls) + wall_rows);
        plan.add("sorting", sorting + candidates);
        if scene.neighbors.skin > 0.0 {
            plan.add("positions of the lists", d * REAL * (n + w));
        }
        if scene.run.on_failure == OnFailure::ReduceDt {
            // Each with the vector that most methods keep from step to step.
            plan.add("snapshots", SNAPSHOTS as f64 * ((particle + d * REAL) * n + sample * w));
        }
        if !scene.measure.is_empty() {
            plan.add("measures", scene.measure.iter().map(|measure| measure.bytes(scene)).sum());
        }
        plan.add("threads and tables", FIXED);
        // Each sample has its position in double precision, then in the order of cells, its cell and its sums.
        plan.start = FIXED + particle * n + (sample + 26.0 + (REAL + 4.0) * d + 8.0 * d + 16.0) * w;
        plan
    }

    /// Adds a part, `[B]`.
    pub fn add(&mut self, name: &'static str, bytes: f64) {
        self.parts.push(Part { name, bytes });
    }

    /// The peak: all parts together, or the start where that needs more, `[B]`.
    pub fn total(&self) -> f64 {
        self.parts.iter().map(|part| part.bytes).sum::<f64>().max(self.start)
    }

    /// Refuses a scene that needs more than what is free, `[B]`.
    ///
    /// # Errors
    /// Names both numbers, and the spacing that would fit.
    pub fn check(&self, scene: &Scene, free: f64) -> Result<(), Error> {
        self.check_in("memory", scene, free)
    }

    /// Refuses a scene that needs more than what is free of a memory with this name, `[B]`.
    ///
    /// # Errors
    /// As of [`MemoryPlan::check`].
    pub fn check_in(&self, memory: &str, scene: &Scene, free: f64) -> Result<(), Error> {
        let total = self.total();
        if total <= free {
            return Ok(());
        }
        let mib = |bytes: f64| bytes / f64::from(1 << 20);
        let message =
            format!("needs about {:.0} MiB of {memory}, of which {:.0} MiB are free", mib(total), mib(free));
        // As if there were walls alone, which shrink least.
        let free_fraction = ((free - FIXED) / (total - FIXED)).max(1e-9);
        let fits = 1.02 * scene.spacing * free_fraction.powf(-1.0 / (f64::from(scene.dim) - 1.0));
        let error = Error::invalid("spacing", message).value(scene.spacing);
        Err(scene.locate(error.hint(format!("a spacing of {fits:.3e} m would fit"))))
    }
}

/// True when walls or bodies may move.
fn walls_move(scene: &Scene) -> bool {
    let moves = scene.wall.iter().any(|wall| wall.motion != Motion::Static);
    moves || !scene.body.is_empty() || scene.command.iter().any(|command| command.move_wall.is_some())
}

/// Bytes of the grids of cells: the number of points before each cell, for all and by thread, and of the fluid
/// the cells that hold points.
fn cells<const D: usize>(scene: &Scene, demand: &Demand) -> f64 {
    let edge = demand.search_ratio * scene.spacing;
    let count = |shapes: &mut dyn Iterator<Item = &Shape>| {
        let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
        let regions = shapes.filter_map(|shape| shape.resolve::<D>("").ok());
        for (min, max) in regions.filter_map(|region| region.bounds()) {
            for a in 0..D {
                (low[a], high[a]) = (low[a].min(min[a]), high[a].max(max[a]));
            }
        }
        (0..D).map(|a| ((high[a] - low[a]) / edge + 2.0).max(0.0)).product::<f64>()
    };
    let fluid = count(&mut scene.fluid.iter().map(|body| &body.shape));
    let walls = scene.wall.iter().map(|wall| &wall.shape);
    let walls = count(&mut walls.chain(scene.body.iter().map(|body| &body.shape)));
    let numbers = 4.0 * (1.0 + demand.threads as f64);
    (numbers + 4.0 + 4.0 * D as f64) * fluid + (numbers + 1.0) * walls
}
