//! Motion over a step: free where nothing is near, with contacts where something is.

use super::{Bodies, Rigid, Rotation};
use crate::{
    compiled_here,
    fluid::{
        boundary::{Body, Boundary},
        wall_surface::{Pose, WallSurface},
    },
    numerics::{lane::each, vector::norm},
};

/// An obstacle for bodies: its surface, pose and velocity.
#[derive(Clone, Debug)]
pub struct Obstacle<'a, const D: usize> {
    /// Its surface in the reference configuration.
    pub surface: &'a WallSurface<D>,
    /// Its pose; `None` in the reference configuration.
    pub pose: Option<Pose<D>>,
    /// A point of it, `[m]`, and the velocity there, `[m/s]`.
    pub point: ([f64; D], [f64; D]),
    /// Its angular velocity, `[rad/s]`.
    pub angular_velocity: [f64; 3],
}

impl<'a, const D: usize> Obstacle<'a, D> {
    /// Where a surface is at the time `t`, `[s]`, to which its wall has been moved, and how it moves, as its samples
    /// and their motion say.
    pub fn new(surface: &'a WallSurface<D>, walls: &Boundary<D>, t: f64) -> Self {
        let at_rest = Self { surface, pose: None, point: ([0.0; D], [0.0; D]), angular_velocity: [0.0; 3] };
        let pose = walls.pose(surface);
        let mark = surface.mark_ids().next().filter(|_| walls.bodies.iter().any(|body| moves(body, surface)));
        let Some(b) = mark.and_then(|id| walls.sample(id)) else { return Self { pose, ..at_rest } };
        let body = &walls.bodies[usize::from(walls.body[b])];
        let x_0 = each(|a| f64::from(walls.x_0[a][b]));
        let now = body.motion.now(t - body.since);
        let angular_velocity =
            now.turn.map_or([0.0; 3], |(turn, [_, speed, _])| turn.axis.map(|a| a * speed));
        Self { surface, pose, point: (walls.position(b).map(f64::from), now.of(&x_0).v), angular_velocity }
    }
}

impl<const D: usize> Rigid<D> {
    /// Advances position and orientation over `dt` `[s]` without contacts. The angular velocity is that of half the
    /// step, so that the rotation is right to second order.
    pub fn advance_free(&mut self, dt: f64) {
        let v = self.velocity();
        self.x = each(|a| self.x[a] + dt * v[a]);
        let half = Rotation::by(&self.angular_velocity().map(|w| 0.5 * dt * w)).after(&self.rotation);
        let ahead = Self { rotation: half, ..self.clone() };
        self.rotation = Rotation::by(&ahead.angular_velocity().map(|w| dt * w)).after(&self.rotation);
    }
}

impl<const D: usize> Bodies<D> {
    /// Moves all bodies over `dt`, `[s]`, and their samples with them. `spacing` is that of the particles, `[m]`.
    pub fn drift(&mut self, walls: &mut Boundary<D>, t: f64, spacing: f64, dt: f64) {
        compiled_here!(D, Bodies::advance as fn(&mut Bodies<D>, &mut Boundary<D>, f64, f64, f64))(
            self, walls, t, spacing, dt,
        )
    }

    fn advance(&mut self, walls: &mut Boundary<D>, t: f64, spacing: f64, dt: f64) {
        if self.is_empty() || dt == 0.0 {
            return;
        }
        let may_touch = self.engine.is_some()
            && self.list.iter().all(Rigid::is_finite)
            && (0..self.list.len()).any(|k| self.is_near_something(k, walls, spacing, dt));
        if may_touch {
            self.collide(walls, t, spacing, dt);
        } else {
            self.list.iter_mut().for_each(|body| body.advance_free(dt));
        }
        self.update_samples(walls);
    }

    /// Whether body `k` may touch another body or an obstacle in the next step.
    fn is_near_something(&self, k: usize, walls: &Boundary<D>, spacing: f64, dt: f64) -> bool {
        let body = &self.list[k];
        // What the others move is covered by one spacing, or the fluid could not be advanced either.
        let margin = spacing + 2.0 * dt * body.top_speed() + body.form.reach;
        let near_body = |other: &Rigid<D>| {
            norm::<D>(each(|a| other.x[a] - body.x[a]))
                < margin + other.form.reach + 2.0 * dt * other.top_speed()
        };
        self.list[k + 1..].iter().any(near_body)
            || self.surfaces(walls).any(|surface| {
                let pose = walls.pose(surface);
                let x = pose.map_or(body.x, |pose| pose.inverse_transform(&body.x));
                surface.region.phi(&x).abs() < margin
            })
    }

    /// The surfaces of containers and of walls; those of bodies come behind them.
    fn surfaces<'a>(&'a self, walls: &'a Boundary<D>) -> impl Iterator<Item = &'a WallSurface<D>> {
        let n_walls = self.first_surface(walls);
        self.containers.iter().chain(&walls.surfaces[..n_walls])
    }

    fn collide(&mut self, walls: &Boundary<D>, t: f64, spacing: f64, dt: f64) {
        let Some(engine) = self.engine.clone() else { return };
        let mut moved = self.list.clone();
        let mut touched = vec![false; moved.len()];
        let obstacles: Vec<_> =
            self.surfaces(walls).map(|surface| Obstacle::new(surface, walls, t)).collect();
        engine.advance(&mut moved, &obstacles, spacing, dt, &mut touched);
        for ((body, moved), touched) in self.list.iter_mut().zip(moved).zip(touched) {
            if touched {
                *body = moved;
                body.apply_constraints();
            } else {
                body.advance_free(dt);
            }
        }
    }
}

/// Whether a set of samples belongs to a surface and moves as the scene prescribes.
fn moves<const D: usize>(body: &Body<D>, surface: &WallSurface<D>) -> bool {
    body.name == surface.name && !body.motion.is_static()
}
