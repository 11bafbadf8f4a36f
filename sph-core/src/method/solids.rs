//! What the fluid cannot enter, and whether it fills all else.

use super::state::State;
use crate::{
    Real,
    fluid::{
        sorted::Sorted,
        wall_surface::{Place, Pose, WallSurface},
    },
    geometry::sampling::Side,
    numerics::lane::each,
    rigid::Rigid,
    scene::{Command, Scene},
};
use rayon::prelude::*;

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

    /// The part of the kernel around a point that they take, by its points in the unit ball and their weights, `[-]`.
    pub fn part(&self, x: &[f64; D], points: &[([f64; D], f64)]) -> f64 {
        let inside = points.iter().filter(|(q, _)| self.holds(&each(|a| x[a] + self.h * q[a]), 0.0));
        inside.map(|(_, weight)| weight).sum()
    }

    /// Walls and containers, each with where it is.
    fn surfaces(&self) -> impl Iterator<Item = (&WallSurface<D>, Option<&Pose<D>>)> {
        let walls = self.state.walls.surfaces.iter().zip(self.poses.iter().map(Option::as_ref));
        walls.chain(self.containers.iter().map(|container| (container, None)))
    }

    /// True for a point of the reference configuration that lies deeper than `deep` behind a surface. Farther than `h` behind
    /// the wall of a tank may be another.
    fn is_behind(&self, surface: &WallSurface<D>, x: &[f64; D], deep: f64) -> bool {
        match (surface.side, surface.locate(x)) {
            (Side::Inside, Place::Behind(depth)) => depth > deep && depth <= self.h,
            (Side::Inside, _) => false,
            (Side::Outside, _) => surface.region.phi(x) < -deep,
        }
    }

    /// True for a point that lies deeper than `deep` in a solid.
    pub fn holds(&self, x: &[f64; D], deep: f64) -> bool {
        self.surfaces().any(|(surface, pose)| self.is_behind(surface, &drawn(pose, x), deep))
            || self.state.bodies.containing(x).is_some()
    }

    /// True where a solid may take a part of the kernel.
    pub fn is_near(&self, x: &[f64; D]) -> bool {
        let body = |body: &Rigid<D>| body.form.region.phi(&body.inverse_transform(x));
        self.surfaces().any(|(surface, pose)| surface.region.phi(&drawn(pose, x)).abs() < self.h)
            || self.state.bodies.list.iter().any(|b| body(b).abs() < self.h)
    }

    /// The point of the surface that is nearest to a point in a solid; any other point itself.
    pub fn leave(&self, x: &[f64; D]) -> [f64; D] {
        let mut x = *x;
        for (surface, pose) in self.surfaces() {
            let local = drawn(pose, &x);
            if self.is_behind(surface, &local, 0.0) {
                let (depth, normal) = surface.depth_and_normal(&local);
                let normal = pose.map_or(normal, |pose| pose.rotate(&normal));
                x = each(|a| x[a] + depth * normal[a]);
            }
        }
        if let Some(body) = self.state.bodies.containing(&x) {
            let (local, region) = (body.inverse_transform(&x), &body.form.region);
            let (phi, normal) = (region.phi(&local), region.normal(&local));
            x = body.transform(&each(|a| local[a] - phi * normal[a]));
        }
        x
    }
}

/// The point of the reference configuration that is now at `x`.
fn drawn<const D: usize>(pose: Option<&Pose<D>>, x: &[f64; D]) -> [f64; D] {
    pose.map_or(*x, |pose| pose.inverse_transform(x))
}

/// A place so far from all particles is empty, in spacings `[convention]`: on a lattice no place inside is farther than
/// 0.87, and beside a round wall some are.
const EMPTY: f64 = 1.25;
/// How far from a particle such places are looked for, along the axes, in spacings.
const BESIDE: f64 = 2.0;

/// True where space beside the fluid is empty, so that it has a free surface: somewhere two spacings from a particle along
/// an axis there is neither fluid nor wall, container or body. Fluid that is still to come has one.
pub fn has_free_surface<const D: usize>(state: &State<D>) -> bool {
    let spacing = f64::from(state.rest.spacing);
    let (periodic, x) = (&state.domain.periodic, &state.fluid.x);
    let poses: Vec<_> = state.walls.surfaces.iter().map(|surface| state.walls.pose(surface)).collect();
    let solids = Solids::of(state, &poses, BESIDE * spacing);
    let sorted = Sorted::of(&state.fluid, EMPTY * spacing, *periodic);
    let is_open = |runs: &mut Vec<_>, i: usize| {
        (0..2 * D).any(|side| {
            let off = (if side % 2 == 0 { BESIDE } else { -BESIDE } * spacing) as Real;
            let place = periodic.wrap(each(|a| if a == side / 2 { x[a][i] + off } else { x[a][i] }));
            let (place, mut is_empty) = (place.map(f64::from), true);
            sorted.around(&place, runs, |_, _| is_empty = false);
            is_empty && !solids.holds(&place, 0.0)
        })
    };
    state.fluid.is_empty()
        || (0..state.fluid.len()).into_par_iter().map_init(Vec::new, is_open).any(|is_open| is_open)
}

/// True where the fluid of a scene has a free surface: at the start, or since a command brings or takes fluid.
pub fn will_have_free_surface<const D: usize>(scene: &Scene, state: &State<D>) -> bool {
    let brings_or_takes =
        |command: &Command| command.add.is_some() || command.emitter.is_some() || command.drain.is_some();
    scene.command.iter().any(brings_or_takes) || has_free_surface(state)
}
