//! Neighbor search: sorts the particles by cell and lists, for each, what lies within the support.

mod brute;
mod build;
mod cells;
mod frame;
mod hash;
mod lists;

pub use build::{PerThread, Search};
pub use cells::{Backend, Cell, Cells, Run, TooManyCells};
pub use frame::{CellFrame, Periodic};
pub use lists::{CHUNK, Chunk, FAR, NeighborLists, PAD, norm2};

use crate::{
    Real,
    lane::Isa,
    parallel::{self, Max},
    particles::Scratch,
    state::State,
};

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
    /// True when wall samples need rows of fluid particles.
    pub wall_rows: bool,
}

/// The neighbor rows of fluid and walls, and the buffers to rebuild them without allocating.
#[derive(Debug)]
pub struct Neighbors<const D: usize> {
    settings: Settings<D>,
    cells: Cells<D>,
    wall_cells: Cells<D>,
    /// Rows of fluid particles over fluid particles.
    pub fluid: NeighborLists,
    /// Rows of fluid particles over wall samples, in the same chunks.
    pub walls: NeighborLists,
    /// Rows of wall samples over fluid particles, when [`Settings::wall_rows`] asks for them.
    pub wall_fluid: NeighborLists,
    order: Vec<u32>,
    iota: Vec<u32>,
    scratch: Scratch,
    per_thread: PerThread<D>,
    /// Positions at the last build: fluid, walls.
    built: Option<[[Vec<Real>; D]; 2]>,
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
            iota: Vec::new(),
            scratch: Scratch::default(),
            per_thread: Vec::new(),
            built: None,
            walls_sorted: false,
            settings,
        }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// Sorts fluid and walls by cell and builds all rows. Fields of the solver that outlive the step are
    /// given in `carried` and follow their particles. Returns false when a skin made it unnecessary.
    ///
    /// # Errors
    /// When particles are too far apart for the dense grid.
    pub fn update<'a>(
        &mut self,
        state: &mut State<D>,
        carried: impl IntoIterator<Item = &'a mut Vec<Real>>,
    ) -> Result<bool, TooManyCells> {
        if self.still_valid(state) {
            return Ok(false);
        }
        self.cells.sort(&state.fluid.x, &mut self.order)?;
        state.fluid.permute(&self.order, &mut self.scratch);
        for field in carried {
            self.scratch.permute(&self.order, field);
        }
        if !self.walls_sorted || state.walls.is_moving() {
            self.wall_cells.sort(&state.walls.x, &mut self.order)?;
            self.wall_cells.mark_surroundings();
            state.walls.permute(&self.order, &mut self.scratch);
            self.walls_sorted = true;
        }
        self.build(state);
        self.remember(state);
        Ok(true)
    }

    /// Has the next update sort and build everything anew, as when particles or walls were replaced.
    pub fn forget(&mut self) {
        self.built = None;
        self.walls_sorted = false;
    }

    /// Builds the rows of particles that are in the order of their cells.
    fn build(&mut self, state: &State<D>) {
        let (n, n_walls) = (state.fluid.len(), state.walls.len());
        let most = n.max(n_walls) + PAD;
        if self.iota.len() < most {
            self.iota = (0..most as u32).collect();
        }
        let threads = rayon::current_num_threads();
        if self.per_thread.len() < threads {
            self.per_thread.resize_with(threads, Default::default);
        }
        let fluid = (&self.cells, &state.fluid.x);
        let walls = (&self.wall_cells, &state.walls.x);
        let Settings { backend, radius, skin, periodic, isa, wall_rows } = self.settings;
        let search = |query: (_, _), from: (_, _), same| {
            let (query, query_x) = query;
            let (from, from_x) = from;
            Search { query, query_x, from, from_x, iota: &self.iota, same, radius: radius + skin, periodic }
        };
        search(fluid, fluid, true).build(isa, backend, &self.per_thread, &mut self.fluid);
        search(fluid, walls, false).build(isa, backend, &self.per_thread, &mut self.walls);
        if wall_rows {
            search(walls, fluid, false).build(isa, backend, &self.per_thread, &mut self.wall_fluid);
        }
        build::share_room(&mut self.per_thread);
    }

    /// True while no particle has moved half the skin since the last build.
    fn still_valid(&self, state: &State<D>) -> bool {
        let Some([x_fluid, x_walls]) = &self.built else { return false };
        if x_fluid[0].len() != state.fluid.len() || x_walls[0].len() != state.walls.len() {
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
        let moved2 = moved(&state.fluid.x, x_fluid).max(moved(&state.walls.x, x_walls));
        // Two particles may approach from both sides; a sum of two roundings must not reach the skin.
        moved2.sqrt() < 0.499 * self.settings.skin as f64
    }

    fn remember(&mut self, state: &State<D>) {
        if self.settings.skin <= 0.0 {
            return;
        }
        let built = self.built.get_or_insert([const { [const { Vec::new() }; D] }; 2]);
        for (kept, x) in built.iter_mut().zip([&state.fluid.x, &state.walls.x]) {
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
            + 4 * self.order.capacity()
    }
}
