//! Solids around the fluid, and how much of the kernel they take.

use super::interpolate::wendland;
use crate::{
    fluid::wall_surface::{Place, Pose, WallSurface},
    geometry::sampling::Side,
    method::state::State,
    numerics::{lane::each, vector::norm},
    rigid::Rigid,
};

/// Points of the kernel along an axis, of which those in its ball tell how much of it walls take.
const AXIS: usize = 10;
/// Below this no space is left beside the walls, `[-]`.
pub(super) const LEAST_SPACE: f64 = 0.1;

/// Walls, containers and bodies.
pub(super) struct Solids<'a, const D: usize> {
    state: &'a State<D>,
    poses: &'a [Option<Pose<D>>],
    containers: Vec<WallSurface<D>>,
    h: f64,
}

impl<'a, const D: usize> Solids<'a, D> {
    pub fn of(state: &'a State<D>, poses: &'a [Option<Pose<D>>], h: f64) -> Self {
        let spacing = f64::from(state.rest.spacing);
        let containers = state.containers.iter().enumerate();
        let containers = containers.map(|(k, c)| WallSurface::of_container(k, c, spacing)).collect();
        Self { state, poses, containers, h }
    }

    /// The part of the kernel around a point that they take, `[-]`.
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

/// Points of the unit ball, and their weights in the kernel, with the sum 1.
pub(super) fn kernel_points<const D: usize>() -> Vec<([f64; D], f64)> {
    let coordinate = |k: usize| (2 * k + 1) as f64 / AXIS as f64 - 1.0;
    let all = (0..AXIS.pow(D as u32)).map(|k| each(|a| coordinate(k / AXIS.pow(a as u32) % AXIS)));
    let mut points: Vec<([f64; D], f64)> = all.map(|q: [f64; D]| (q, wendland(norm(q)))).collect();
    points.retain(|(_, weight)| *weight > 0.0);
    let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
    points.iter_mut().for_each(|(_, weight)| *weight /= sum);
    points
}
