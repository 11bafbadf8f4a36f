//! Where surfaces are and how they move, as particles meet them.

use super::{Bodies, Load, Obstacle, Wrench, spatial};
use crate::{
    Real,
    fluid::{
        boundary::Boundary,
        wall_surface::{Pose, WallSurface},
    },
    neighbors::Periodic,
    numerics::{lane::each, vector::cross},
};

/// Pose and velocity of the surface of a wall or a body.
#[derive(Clone, Copy, Debug)]
pub struct Placement<const D: usize> {
    /// `None` for the pose of the scene.
    pub pose: Option<Pose<D>>,
    /// A point of it, `[m]`, and the velocity there, `[m/s]`.
    pub point: ([f64; D], [f64; D]),
    /// Its angular velocity, `[rad/s]`.
    pub angular: [f64; 3],
}

impl<const D: usize> Placement<D> {
    /// That of a wall at the time `t`, `[s]`, to which it has been moved.
    pub fn of_wall(surface: &WallSurface<D>, walls: &Boundary<D>, t: f64) -> Self {
        let Obstacle { pose, point, angular_velocity: angular, .. } = Obstacle::new(surface, walls, t);
        Self { pose, point, angular }
    }

    /// Those of all surfaces of `walls`, of which those of bodies come last.
    pub fn all(walls: &Boundary<D>, t: f64) -> impl Iterator<Item = Self> {
        walls.surfaces.iter().map(move |surface| Self::of_wall(surface, walls, t))
    }

    /// Velocity at a point, `[m/s]`.
    pub fn velocity(&self, x: &[f64; D]) -> [f64; D] {
        let turning = cross(self.angular, spatial::<D>(&each(|a| x[a] - self.point.0[a])));
        each(|a| self.point.1[a] + turning[a])
    }

    /// The parts of the surface that are near `x`, `[m]`: [`WallSurface::near`], with normals as they are now, and the velocity of the
    /// surface there without that of its faces, `[m/s]`.
    pub fn near(
        &self,
        surface: &WallSurface<D>,
        periodic: &Periodic<D>,
        x: &[f64; D],
        reach: f64,
        mut touch: impl FnMut(usize, f64, [f64; D], [f64; D]),
    ) {
        let here = if periodic.any() { periodic.wrap(x.map(|x| x as Real)).map(f64::from) } else { *x };
        let drawn = self.pose.map_or(here, |pose| pose.inverse_transform(&here));
        surface.near(&drawn, reach, |face, d, n| {
            touch(face, d, self.pose.map_or(n, |pose| pose.rotate(&n)), self.velocity(&here))
        });
    }
}

impl<const D: usize> Bodies<D> {
    /// The place of the surface of the first body among those of `walls`.
    pub fn first_surface(&self, walls: &Boundary<D>) -> usize {
        walls.surfaces.len().saturating_sub(self.list.len())
    }

    /// The place among these `surfaces` of each wall on which the force is measured.
    pub fn surfaces_of_loads<'a>(
        &'a self,
        surfaces: &'a [WallSurface<D>],
    ) -> impl Iterator<Item = Option<usize>> {
        let place = |load: &'a Load<D>| surfaces.iter().position(|surface| surface.name == load.wall);
        self.loads.iter().map(place)
    }

    /// [`Wrench::react`] of the forces on measured walls, each to what it gave.
    pub fn react(&mut self, given: &[Wrench<D>], factor: f64) {
        for (load, given) in self.loads.iter_mut().zip(given) {
            load.wrench.react(given, factor);
        }
    }
}
