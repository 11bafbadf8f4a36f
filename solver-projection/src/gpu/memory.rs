//! What a run holds on a GPU.

use crate::{
    memory::{
        Fields, Needs,
        record::{Moments, RowSums},
    },
    params::{Params, Preconditioner},
};
use cuda_kernels::{
    common::{
        boundary::{
            facets::Facets,
            loads::Given,
            wall_surfaces::{Areas, Surface},
        },
        numerics::{
            fields::{Packed, permute_fields},
            reduce::{self, PARTIALS},
        },
        run::{Common, Demand, resident::read},
        search::neighbors::{NeighborRows, Pairs, RowSize, Source, list_pairs},
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
    projection::{
        Numbers, Two,
        aggregation::{Multigrid, initial_capacity},
    },
};
use sph_core::{
    Real,
    fluid::{self, boundary::Boundary},
    method::state::State,
    rigid::Placement,
};
use std::mem::swap;

/// Memory of rows, of each set of [`Pairs`].
pub type Sizes = [RowSize; 3];

/// Aggregates of all levels that there is memory for at first, over `n` particles; `None` without multigrid.
fn first_aggregates<const D: usize>(params: &Params, n: usize) -> Option<usize> {
    let has_levels = params.preconditioner == Preconditioner::Multilevel;
    has_levels.then(|| initial_capacity::<D>(n, f64::from(params.support_ratio)))
}

/// The vectors of a linear equation, as long as it has unknowns.
#[derive(Debug)]
pub struct Vectors {
    pub diagonal: Field<Real>,
    pub b: Field<Real>,
    pub r: Field<Real>,
    pub z: Field<Real>,
    pub d: Field<Real>,
    pub q: Field<Real>,
}

/// The tangential wall correction; both empty without it. Shapes `[n]`.
#[derive(Debug)]
pub struct WallCorrection {
    /// `[E_xx E_xy E_xz E_yy]`.
    pub upper: Field<Packed>,
    /// `[E_yz E_zz E/G ·]`.
    pub lower: Field<Packed>,
}

/// Records of wall samples. Shapes `[n_walls]`.
#[derive(Debug)]
pub struct Ghosts {
    /// `[x y z depth]`, `[m]`.
    pub samples: Field<Packed>,
    /// `[v τ]`.
    pub motion: Field<Packed>,
    /// `[n A]`, normals into the fluid and areas.
    pub normal: Field<Packed>,
}

/// Numbers of an iteration, which stay on the device: `r·z` in one of two slots, all others in [`Numbers`].
#[derive(Debug)]
pub struct Work {
    /// Shape `[1]`.
    pub numbers: Field<Numbers>,
    pub pairs: Field<Two>,
    pub partial: Field<f64>,
    /// The largest of what was asked for last. Shape `[1]`.
    pub largest: Field<f64>,
}

impl Work {
    fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self {
            numbers: executor.zeros(1)?,
            pairs: executor.zeros(PARTIALS)?,
            partial: executor.zeros(PARTIALS)?,
            largest: executor.zeros(1)?,
        })
    }

    /// The numbers so far, after all work before.
    pub fn read(&self, executor: &dyn Executor) -> Result<Numbers, CudaError> {
        let mut numbers = [Numbers::default()];
        executor.read(&self.numbers, &mut numbers)?;
        Ok(numbers[0])
    }
}

/// Fields over fluid particles and wall samples. Those that the parameters do not need are empty.
#[derive(Debug)]
pub struct DeviceFields<const D: usize> {
    pub common: Common<D>,
    /// Rows of each set of [`Pairs`].
    pub rows: [NeighborRows; 3],
    /// `a_ij w²_ij` of each entry of the rows of the fluid, `[1/m²]`.
    pub entries: Field<Real>,
    /// `[x y z 1/α]`. Shape `[n]`.
    pub place: Field<Packed>,
    /// `[v*, 1 beside a wall]`, once the matrix is there `[v*, 1 at the surface]`, later `[v ρ]`. Shape `[n]`.
    pub motion: Field<Packed>,
    /// `[Σ w n | Σ w]`. Shape `[n]`.
    pub moments: Field<Packed>,
    pub wall_correction: WallCorrection,
    /// `[Σ_j a w² | the same with ghosts | D v* | Σ_j of wall corrections]`. Shape `[n]`.
    pub sums: Field<Packed>,
    /// Pressure gradient of the tangential wall correction, for its reaction on bodies. Shape `[n]`.
    pub tangential_gradient: Field<Packed>,
    /// `[v | 1 if a wall has stopped the particle]`, before; empty without reactions. Shape `[n]`.
    pub before: Field<Packed>,
    /// Sums over what a wall has given to particles.
    pub given: Given<D>,
    /// Viscous drag of walls. Shape `[n]`.
    pub drag: Field<Packed>,
    /// The equation of all components of the velocity, axis after axis, and its unknowns. Shapes `[D n]`.
    pub viscous: Vectors,
    /// `[m/s]`. Shape `[D n]`.
    pub velocity: Field<Real>,
    /// Part of a particle's pressure that its pair forces have. Shape `[n]`, `[-]`.
    pub share: Field<Real>,
    /// Dirichlet term. Shape `[n]`, `[1/m²]`.
    pub dirichlet: Field<Real>,
    /// `[N | 1 in the surface region]`. Shape `[n]`.
    pub surface_region: Field<Packed>,
    /// Pressures, kept for the next step. Shape `[n]`, `[Pa]`.
    pub p: Field<Real>,
    /// Pressures as they act. Shape `[n]`, `[Pa]`.
    pub acting: Field<Real>,
    pub vectors: Vectors,
    /// Levels of the multigrid preconditioner, if there is one.
    pub levels: Option<Multigrid<D>>,
    /// Records of the walls.
    pub ghosts: Ghosts,
    /// Surfaces of walls and bodies, where they are. Shape `[n_surfaces]`.
    pub surfaces: Field<Surface<D>>,
    /// Areas of their samples; as many. Shape `[n_surfaces]`.
    pub areas: Field<Areas>,
    /// What they point at.
    pub facets: Facets<D>,
    /// The surface of each rigid set. Shape `[n_sets]`.
    pub surface: Field<u32>,
    pub work: Work,
    /// The sum of the Dirichlet terms. Shape `[1]`.
    pub dirichlet_sum: Field<f64>,
    /// Another sum, or a maximum. Shape `[1]`.
    pub number: Field<f64>,
}

impl<const D: usize> DeviceFields<D> {
    /// Memory for so many points, and for so many aggregates.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(
        executor: &dyn Executor,
        params: &Params,
        sizes: Sizes,
        demand: Demand<'_, D>,
    ) -> Result<Self, CudaError> {
        let Demand { grid, population, .. } = demand;
        let needs = Needs::of(params, population.pivots > 0);
        let n_aggregates = first_aggregates::<D>(params, population.fluid);
        let (n, n_walls) = (population.fluid, population.walls);
        let when = |needed: bool, n: usize| if needed { n } else { 0 };
        let records = |n: usize| executor.zeros::<Packed>(n);
        let numbers = || executor.zeros::<Real>(n);
        let components = when(needs.stress, D * n);
        let n_correction = when(needs.wall_correction && n_walls > 0, n);
        let [on_fluid, on_walls, of_walls] = sizes;
        let rows = [
            NeighborRows::new(executor, n, on_fluid)?,
            NeighborRows::new(executor, n, on_walls)?,
            NeighborRows::new(executor, when(needs.reactions, n_walls), of_walls)?,
        ];
        Ok(Self {
            common: Common::new(executor, grid, population)?,
            entries: executor.zeros(rows[Pairs::Fluid as usize].entries())?,
            rows,
            place: records(n)?,
            motion: records(n)?,
            moments: records(n)?,
            wall_correction: WallCorrection { upper: records(n_correction)?, lower: records(n_correction)? },
            sums: records(n)?,
            tangential_gradient: records(when(needs.tangential_reaction, n_correction))?,
            before: records(when(needs.reactions, n))?,
            given: Given::new(executor, needs.reactions)?,
            drag: records(when(needs.viscosity, n))?,
            viscous: vectors(executor, components)?,
            velocity: executor.zeros(components)?,
            share: numbers()?,
            dirichlet: numbers()?,
            surface_region: records(when(needs.surface_region, n))?,
            p: numbers()?,
            acting: numbers()?,
            vectors: vectors(executor, n)?,
            levels: n_aggregates.map(|room| Multigrid::new(executor, &grid, n, room)).transpose()?,
            ghosts: Ghosts {
                samples: records(n_walls)?,
                motion: records(n_walls)?,
                normal: records(n_walls)?,
            },
            surfaces: executor.zeros(population.surfaces)?,
            areas: executor.zeros(population.surfaces)?,
            facets: Facets::new(executor, [])?,
            surface: executor.zeros(population.sets)?,
            work: Work::new(executor)?,
            dirichlet_sum: executor.zeros(1)?,
            number: executor.zeros(1)?,
        })
    }

    /// Takes the state, the pressures of its particles, and the areas of its surfaces.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    pub fn write(
        &mut self,
        executor: &dyn Executor,
        state: &State<D>,
        p: &[Real],
        areas: &[fluid::areas::Areas],
    ) -> Result<(), CudaError> {
        self.common.write(executor, state)?;
        executor.write(&areas.iter().map(Areas::from).collect::<Vec<_>>(), &mut self.areas)?;
        executor.write(p, &mut self.p)?;
        self.facets = Facets::new(executor, state.walls.surfaces.iter().map(|surface| &surface.region))?;
        executor.write(&surfaces(&state.walls, state.t, &self.facets), &mut self.surfaces)?;
        executor.write(&surface_of_sets(&state.walls), &mut self.surface)
    }

    /// Memory of rows now.
    pub fn sizes(&self) -> Sizes {
        self.rows.each_ref().map(NeighborRows::size)
    }

    /// Sorts particles by cell, and their pressures with them.
    pub fn sort(&mut self, executor: &dyn Executor) -> Result<(), CudaError> {
        self.common.fluid.sort(executor, &mut [])?;
        let (order, n) = (&self.common.fluid.cells.order, self.common.fluid.n);
        // The residual has its turn later.
        permute_fields::<D>(executor, order, n, &mut [(&self.p, &mut self.vectors.r)])?;
        swap(&mut self.p, &mut self.vectors.r);
        Ok(())
    }

    /// Lists the neighbors of these sets of pairs, within `radius` `[m]`.
    pub fn list(&mut self, executor: &dyn Executor, pairs: &[Pairs], radius: Real) -> Result<(), CudaError> {
        let fluid = Source { cells: &self.common.fluid.cells, records: &self.place };
        let walls = Source { cells: &self.common.walls.cells, records: &self.ghosts.samples };
        let n = [self.common.fluid.n, self.common.walls.n];
        list_pairs(executor, radius, pairs, &mut self.rows, [fluid, walls], n)?;
        let needed = self.rows[Pairs::Fluid as usize].entries();
        if self.entries.len() < needed {
            // The old memory is free before the new is taken.
            self.entries = executor.zeros(0)?;
            self.entries = executor.zeros(needed)?;
        }
        Ok(())
    }

    /// Copies the pressures to the host.
    pub fn read(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        read(executor, &self.p, &mut fields.p)?;
        read(executor, &self.acting, &mut fields.acting)
    }

    /// Copies to the host what tells where a failure began.
    pub fn read_chain(&self, executor: &dyn Executor, fields: &mut Fields<D>) -> Result<(), CudaError> {
        let moments = |&Packed([x, y, z, alpha]): &Packed| Moments { w_n: [x, y, z], alpha };
        let sums = |&Packed([fluid, total, divergence, correction]): &Packed| RowSums {
            fluid,
            total,
            divergence,
            correction,
        };
        fields.moments = executor.download(&self.moments)?.iter().map(moments).collect();
        fields.sums = executor.download(&self.sums)?.iter().map(sums).collect();
        read(executor, &self.vectors.b, &mut fields.equation.b)
    }
}

fn vectors(executor: &dyn Executor, n: usize) -> Result<Vectors, CudaError> {
    let numbers = || executor.zeros(n);
    Ok(Vectors {
        diagonal: numbers()?,
        b: numbers()?,
        r: numbers()?,
        z: numbers()?,
        d: numbers()?,
        q: numbers()?,
    })
}

/// The surfaces of walls and bodies at the time `t`, `[s]`, to which walls have been moved.
pub fn surfaces<const D: usize>(walls: &Boundary<D>, t: f64, facets: &Facets<D>) -> Vec<Surface<D>> {
    let placed = walls.surfaces.iter().zip(Placement::all(walls, t));
    placed.map(|(surface, placement)| Surface::placed(surface, &placement, facets)).collect()
}

/// The surface of each rigid set, by its place among all.
fn surface_of_sets<const D: usize>(walls: &Boundary<D>) -> Vec<u32> {
    walls.surface_of_body.iter().map(|surface| surface.map_or(reduce::NONE, |k| k as u32)).collect()
}
