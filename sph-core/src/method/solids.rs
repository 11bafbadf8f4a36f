//! What the fluid cannot enter, and whether it fills all else.

use super::state::State;
use crate::{
    Real,
    fluid::wall_surface::{Place, Pose, WallSurface},
    geometry::sampling::Side,
    neighbors::{Backend, Cells},
    numerics::{lane::each, vector::norm2},
};

/// Walls, containers and bodies.
pub struct Solids<'a, const D: usize> {
    state: &'a State<D>,
    poses: &'a [Option<Pose<D>>],
    containers: Vec<WallSurface<D>>,
    h: f64,
}

impl<'a, const D: usize> Solids<'a, D> {
    /// Those of a state whose walls are at `poses`; behind the surface of a tank they reach `h` `[m]` deep.
    pub fn of(state: &'a State<D>, poses: &'a [Option<Pose<D>>], h: f64) -> Self {
        let spacing = f64::from(state.rest.spacing);
        let containers = state.containers.iter().enumerate();
        let containers = containers.map(|(k, c)| WallSurface::of_container(k, c, spacing)).collect();
        Self { state, poses, containers, h }
    }

    /// True for a point that lies deeper than `deep` in a solid. Farther than `h` behind the wall of a tank may be another.
    pub fn holds(&self, x: &[f64; D], deep: f64) -> bool {
        let behind = |surface: &WallSurface<D>, x: &[f64; D]| match (surface.side, surface.locate(x)) {
            (Side::Inside, Place::Behind(depth)) => depth > deep && depth <= self.h,
            (Side::Inside, _) => false,
            (Side::Outside, _) => surface.region.phi(x) < -deep,
        };
        let walls = self.state.walls.surfaces.iter().zip(self.poses);
        let mut walls = walls.map(|(surface, pose)| match pose {
            None => behind(surface, x),
            Some(pose) => behind(surface, &pose.inverse_transform(x)),
        });
        walls.any(|behind| behind)
            || self.containers.iter().any(|container| behind(container, x))
            || self.state.bodies.containing(x).is_some()
    }
}

/// A place so far from all particles is empty, in spacings `[convention]`: on a lattice no place inside is farther than
/// 0.87, and beside a round wall some are.
const EMPTY: f64 = 1.25;
/// How far from a particle such places are looked for, along the axes, in spacings.
const BESIDE: f64 = 2.0;

/// True where space beside the fluid is empty, so that it has a free surface: somewhere two spacings from a particle along
/// an axis there is neither fluid nor wall, container or body.
pub fn has_free_surface<const D: usize>(state: &State<D>) -> bool {
    let spacing = f64::from(state.rest.spacing);
    let (periodic, fluid) = (&state.domain.periodic, &state.fluid);
    let poses: Vec<_> = state.walls.surfaces.iter().map(|surface| state.walls.pose(surface)).collect();
    let solids = Solids::of(state, &poses, BESIDE * spacing);
    let reach = (EMPTY * spacing) as Real;
    let mut cells = Cells::new(Backend::HashGrid, reach, *periodic);
    let mut order = Vec::new();
    // The hashed cells never refuse.
    if cells.sort(&fluid.x, &mut order).is_err() {
        return true;
    }
    let mut runs = Vec::new();
    let mut is_empty = |place: [Real; D]| {
        cells.runs_around(cells.frame.cell(place), &mut runs);
        let mut near =
            runs.iter().flat_map(|run| run.start..run.end).map(|k| fluid.position(order[k] as usize));
        !near.any(|x| norm2(periodic.nearest(each(|a| x[a] - place[a]))) < reach * reach)
    };
    (0..fluid.len()).any(|i| {
        (0..2 * D).any(|side| {
            let off = (if side % 2 == 0 { BESIDE } else { -BESIDE } * spacing) as Real;
            let x = fluid.position(i);
            let place = periodic.wrap(each(|a| if a == side / 2 { x[a] + off } else { x[a] }));
            is_empty(place) && !solids.holds(&place.map(f64::from), 0.0)
        })
    })
}
