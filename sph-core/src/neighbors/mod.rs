//! Neighbor search: sorts the particles by cell and lists, for each, what lies within the support. Imports `numerics`
//! alone.

mod brute;
mod build;
mod cells;
mod frame;
mod hash;
mod lists;
mod partition;

pub use build::{PerThread, Search};
pub use cells::{Cell, Cells, Run, TooManyCells};
pub use frame::{CellFrame, Periodic};
pub use lists::{AHEAD, CHUNK, Chunk, FAR, NeighborLists, PAD};
pub use partition::{Block, CellBounds, Partition, Share, TooManyRanks, count_blocks};

use crate::{
    Real, compiled_here,
    numerics::{
        field::Scratch,
        lane::Isa,
        parallel::{self, Max},
        vector::norm2,
    },
};

/// How cells are found.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Counting sort over the box of all points. Fastest; memory grows with the box.
    #[default]
    DenseGrid,
    /// Hashed cells (Teschner et al. 2003): an unbounded domain.
    HashGrid,
    /// Every pair is tested. The oracle of the tests.
    BruteForce,
}

/// How neighbors are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings<const D: usize> {
    /// How cells are found.
    pub backend: Backend,
    /// Support radius of the kernel, `[m]`.
    pub radius: Real,
    /// Verlet skin: lists reach this much farther and live until a particle has moved half of it, `[m]`.
    pub skin: Real,
    /// Periodic axes.
    pub periodic: Periodic<D>,
    /// Instruction set of the lanes.
    pub isa: Isa,
    /// True when wall samples need rows of fluid particles in every step.
    pub wall_rows: bool,
    /// True where points of a cell stand by id, so that the order of all follows from the state alone, as ranks need it. Else
    /// they keep the order they had.
    pub by_id: bool,
}

/// What the search sorts: the particles of the fluid, and the wall samples. Positions have shape `[D][n]`, `[m]`.
pub trait Points<const D: usize> {
    /// Positions of the fluid.
    fn fluid(&self) -> &[Vec<Real>; D];

    /// Positions of the wall samples.
    fn walls(&self) -> &[Vec<Real>; D];

    /// Ids of the particles, which stay with them. Shape `[n]`.
    fn fluid_ids(&self) -> &[u64];

    /// Ids of the wall samples. Shape `[n_walls]`.
    fn wall_ids(&self) -> &[u64];

    /// True when wall samples may have moved since the last search.
    fn walls_move(&self) -> bool;

    /// True when wall samples need rows of fluid particles in this step.
    fn walls_are_loaded(&self) -> bool;

    /// Brings the fluid into `order`: the new particle `k` is the old `order[k]`.
    fn permute_fluid(&mut self, order: &[u32], scratch: &mut Scratch);

    /// Brings the wall samples into `order`.
    fn permute_walls(&mut self, order: &[u32], scratch: &mut Scratch);
}

/// Fields that follow their particles.
type Carried<'a, 'b> = &'a mut dyn Iterator<Item = &'b mut Vec<Real>>;

/// Whether rows were built.
type Updated = Result<bool, TooManyCells>;

/// The neighbor rows of fluid and walls, and the buffers to rebuild them without allocating.
#[derive(Debug)]
pub struct Neighbors<const D: usize> {
    settings: Settings<D>,
    /// What of space is this rank's: particles elsewhere stand in rows, and have none. All of it without ranks.
    pub share: Option<Share<D>>,
    cells: Cells<D>,
    wall_cells: Cells<D>,
    /// Rows of fluid particles over fluid particles.
    pub fluid: NeighborLists,
    /// Rows of fluid particles over wall samples, in the same chunks.
    pub walls: NeighborLists,
    /// Rows of wall samples over fluid particles, in steps that need them.
    pub wall_fluid: NeighborLists,
    order: Vec<u32>,
    wall_order: Vec<u32>,
    iota: Vec<u32>,
    scratch: Scratch,
    /// Of walls, which have another number: one buffer for both would grow all fields to the larger. None at rest.
    wall_scratch: Scratch,
    per_thread: PerThread<D>,
    /// Positions at the last build, with a skin: fluid, walls. Empty before the first one.
    built: [[Vec<Real>; D]; 2],
    /// True when wall samples need rows in this step.
    of_walls: bool,
    /// True while the rows are those of the last build: not after a restart.
    listed: bool,
    /// True while [`Neighbors::wall_fluid`] is of that build, too.
    walls_listed: bool,
    walls_sorted: bool,
}

impl<const D: usize> Neighbors<D> {
    /// An empty search; [`Neighbors::update`] fills it.
    pub fn new(settings: Settings<D>) -> Self {
        let reach = settings.radius + settings.skin;
        Self {
            cells: Cells::new(settings.backend, reach, settings.periodic),
            wall_cells: Cells::new(settings.backend, reach, settings.periodic),
            fluid: NeighborLists::default(),
            walls: NeighborLists::default(),
            wall_fluid: NeighborLists::default(),
            order: Vec::new(),
            wall_order: Vec::new(),
            iota: Vec::new(),
            scratch: Scratch::default(),
            wall_scratch: Scratch::default(),
            per_thread: Vec::new(),
            built: none(),
            of_walls: settings.wall_rows,
            listed: false,
            walls_listed: false,
            walls_sorted: false,
            share: None,
            settings,
        }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// The cells of the fluid at the last build.
    pub fn cells(&self) -> &Cells<D> {
        &self.cells
    }

    /// On several ranks, how many particles they have together.
    pub fn set_points_of_all(&mut self, points: usize) {
        self.cells.points_of_all = points;
    }

    /// The cells of the wall samples.
    pub fn wall_cells(&self) -> &Cells<D> {
        &self.wall_cells
    }

    /// How the last build has sorted the fluid: the new particle `k` is the old `order[k]`.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Sorts fluid and walls by cell and builds all rows. Fields of the solver that outlive the step are
    /// given in `carried` and follow their particles. Returns false when a skin made it unnecessary.
    ///
    /// # Errors
    /// When particles are too far apart for the dense grid.
    pub fn update<'a>(
        &mut self,
        points: &mut impl Points<D>,
        carried: impl IntoIterator<Item = &'a mut Vec<Real>>,
    ) -> Result<bool, TooManyCells> {
        type Update<const D: usize> = fn(&mut Neighbors<D>, &mut dyn Points<D>, Carried<'_, '_>) -> Updated;
        compiled_here!(D, Neighbors::search_again as Update<D>)(self, points, &mut carried.into_iter())
    }

    fn search_again(&mut self, points: &mut dyn Points<D>, carried: Carried<'_, '_>) -> Updated {
        self.of_walls = self.settings.wall_rows || points.walls_are_loaded();
        if self.still_valid([points.fluid(), points.walls()]) && self.is_listed(points)? {
            return Ok(false);
        }
        let by_id = self.settings.by_id;
        let sorts_walls = !self.walls_sorted || points.walls_move();
        // Nothing is permuted where one of both is refused.
        self.cells.sort(points.fluid(), by_id.then(|| points.fluid_ids()), &mut self.order)?;
        if sorts_walls {
            self.wall_cells.sort(points.walls(), by_id.then(|| points.wall_ids()), &mut self.wall_order)?;
        }
        points.permute_fluid(&self.order, &mut self.scratch);
        for field in carried {
            self.scratch.permute(&self.order, field);
        }
        if sorts_walls {
            self.wall_cells.mark_surroundings();
            points.permute_walls(&self.wall_order, &mut self.wall_scratch);
            if !points.walls_move() {
                self.wall_scratch = Scratch::default();
            }
            self.walls_sorted = true;
        }
        self.build([points.fluid(), points.walls()]);
        self.remember([points.fluid(), points.walls()]);
        Ok(true)
    }

    /// After a restart, and where only now walls need rows, builds the rows of the remembered positions: they then are what
    /// they would have been, and so is the order of every sum. Returns false when the particles are not in the order of those.
    fn is_listed(&mut self, points: &dyn Points<D>) -> Result<bool, TooManyCells> {
        if self.listed && (self.walls_listed || !self.of_walls) {
            return Ok(true);
        }
        let built = std::mem::replace(&mut self.built, none());
        let [fluid, walls] = &built;
        let sorted = self.sort_built(fluid, walls, points);
        if matches!(sorted, Ok(true)) {
            self.build([fluid, walls]);
            self.listed = true;
        }
        self.built = built;
        sorted
    }

    fn sort_built(
        &mut self,
        fluid: &[Vec<Real>; D],
        walls: &[Vec<Real>; D],
        points: &dyn Points<D>,
    ) -> Result<bool, TooManyCells> {
        let in_order = |order: &[u32]| order.iter().enumerate().all(|(k, &i)| k == i as usize);
        let by_id = self.settings.by_id;
        self.cells.sort(fluid, by_id.then(|| points.fluid_ids()), &mut self.order)?;
        let fluid = in_order(&self.order);
        self.wall_cells.sort(walls, by_id.then(|| points.wall_ids()), &mut self.order)?;
        self.wall_cells.mark_surroundings();
        self.walls_sorted = in_order(&self.order);
        Ok(fluid && self.walls_sorted)
    }

    /// Forgets rows and order: particles were added or removed, or walls got another motion.
    pub fn forget(&mut self) {
        (self.listed, self.walls_sorted) = (false, false);
        self.built.iter_mut().flatten().for_each(Vec::clear);
    }

    /// The arrays were replaced by those of an earlier moment: the next update lists them again.
    pub fn restored(&mut self) {
        (self.listed, self.walls_sorted) = (false, false);
    }

    /// What a restart must keep, by name.
    pub fn remembered(&mut self) -> impl Iterator<Item = (&'static str, &mut Vec<Real>)> {
        const NAMES: [[&str; 3]; 2] = [
            ["listed_fluid_x", "listed_fluid_y", "listed_fluid_z"],
            ["listed_walls_x", "listed_walls_y", "listed_walls_z"],
        ];
        let kept = if self.settings.skin > 0.0 { &mut self.built[..] } else { &mut [] };
        NAMES.iter().zip(kept).flat_map(|(names, x)| names.iter().copied().zip(x))
    }

    /// Builds the rows of particles that are in the order of their cells.
    fn build(&mut self, [x_fluid, x_walls]: [&[Vec<Real>; D]; 2]) {
        let most = x_fluid[0].len().max(x_walls[0].len()) + PAD;
        if self.iota.len() < most {
            self.iota = (0..most as u32).collect();
        }
        let threads = rayon::current_num_threads();
        if self.per_thread.len() < threads {
            self.per_thread.resize_with(threads, Default::default);
        }
        let fluid = (&self.cells, x_fluid);
        let walls = (&self.wall_cells, x_walls);
        let Settings { backend, radius, skin, periodic, isa, .. } = self.settings;
        let search = |query: (_, _), from: (_, _), same| {
            let (query, query_x) = query;
            let (from, from_x) = from;
            let (iota, share) = (&self.iota[..], self.share.as_ref());
            Search { query, query_x, from, from_x, iota, same, radius: radius + skin, periodic, share }
        };
        search(fluid, fluid, true).build(isa, backend, &self.per_thread, &mut self.fluid);
        search(fluid, walls, false).build(isa, backend, &self.per_thread, &mut self.walls);
        self.walls_listed = self.of_walls;
        if self.of_walls {
            search(walls, fluid, false).build(isa, backend, &self.per_thread, &mut self.wall_fluid);
        }
        build::equalize_capacity(&mut self.per_thread);
    }

    /// True while no particle has moved half the skin since the last build.
    fn still_valid(&self, now: [&[Vec<Real>; D]; 2]) -> bool {
        if self.settings.skin <= 0.0
            || now.iter().zip(&self.built).any(|(x, built)| x[0].len() != built[0].len())
        {
            return false;
        }
        let moved = |x: &[Vec<Real>; D], x_built: &[Vec<Real>; D]| {
            parallel::blocks(x[0].len(), (), |range, ()| {
                let d2 = range.map(|i| {
                    norm2(self.settings.periodic.nearest(std::array::from_fn(|a| x[a][i] - x_built[a][i])))
                });
                Max(d2.fold(0.0, Real::max) as f64)
            })
            .0
        };
        let moved2 = moved(now[0], &self.built[0]).max(moved(now[1], &self.built[1]));
        // Two particles may approach from both sides; a sum of two roundings must not reach the skin.
        moved2.sqrt() < 0.499 * self.settings.skin as f64
    }

    fn remember(&mut self, now: [&[Vec<Real>; D]; 2]) {
        self.listed = true;
        if self.settings.skin <= 0.0 {
            return;
        }
        for (kept, x) in self.built.iter_mut().zip(now) {
            for a in 0..D {
                kept[a].clone_from(&x[a]);
            }
        }
    }

    /// Bytes held by cells, rows and buffers.
    pub fn bytes(&self) -> usize {
        self.fluid.bytes()
            + self.walls.bytes()
            + self.wall_fluid.bytes()
            + 4 * self.iota.capacity()
            + 4 * (self.order.capacity() + self.wall_order.capacity())
    }
}

/// No positions, of fluid and of walls.
fn none<const D: usize>() -> [[Vec<Real>; D]; 2] {
    [const { [const { Vec::new() }; D] }; 2]
}
