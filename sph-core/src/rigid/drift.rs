//! Motion over a step: free where nothing is near, with contacts where something is.

use super::{Bodies, Rigid, Rotation};
use crate::{
    fluid::{
        barrier::{Barrier, Pose},
        boundary::{Body, Boundary},
    },
    geometry::motion::Trajectory,
    numerics::{lane::each, vector::norm},
};

/// Something that bodies cannot pass, where it is now and how it moves.
#[derive(Clone, Debug)]
pub struct Obstacle<'a, const D: usize> {
    /// Its surface, as it was drawn.
    pub barrier: &'a Barrier<D>,
    /// Where it is now; `None` where it was drawn.
    pub pose: Option<Pose<D>>,
    /// A point of it, `[m]`, and the velocity there, `[m/s]`.
    pub point: ([f64; D], [f64; D]),
    /// Its angular velocity, `[rad/s]`.
    pub angular_velocity: [f64; 3],
}

impl<'a, const D: usize> Obstacle<'a, D> {
    /// Where a barrier is at the time `t`, `[s]`, to which its wall has been moved, and how it moves, as its samples and
    /// their motion say.
    pub fn new(barrier: &'a Barrier<D>, walls: &Boundary<D>, t: f64) -> Self {
        let at_rest = Self { barrier, pose: None, point: ([0.0; D], [0.0; D]), angular_velocity: [0.0; 3] };
        let pose = walls.pose(barrier);
        let mark = barrier.first_mark().filter(|_| walls.bodies.iter().any(|body| moves(body, barrier)));
        let Some(b) = mark.and_then(|id| walls.sample(id)) else { return Self { pose, ..at_rest } };
        let body = &walls.bodies[usize::from(walls.body[b])];
        let x_0 = each(|a| f64::from(walls.x_0[a][b]));
        let angular_velocity = match &body.motion {
            Trajectory::Rotation { axis, angular_velocity, .. } => axis.map(|a| a * angular_velocity),
            _ => [0.0; 3],
        };
        let v = body.motion.at(&x_0, t - body.since).v;
        Self { barrier, pose, point: (walls.position(b).map(f64::from), v), angular_velocity }
    }
}

impl<const D: usize> Rigid<D> {
    /// Moves and turns by its momenta over `dt`, `[s]`. The angular velocity is that of half the way, so that the turn
    /// is right to second order.
    pub fn glide(&mut self, dt: f64) {
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
        if self.is_empty() || dt == 0.0 {
            return;
        }
        let may_touch = self.engine.is_some()
            && self.list.iter().all(Rigid::is_finite)
            && (0..self.list.len()).any(|k| self.is_near_something(k, walls, spacing, dt));
        if may_touch {
            self.collide(walls, t, spacing, dt);
        } else {
            self.list.iter_mut().for_each(|body| body.glide(dt));
        }
        self.place_samples(walls);
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
            || self.barriers(walls).any(|barrier| {
                let pose = walls.pose(barrier);
                let x = pose.map_or(body.x, |pose| pose.drawn(&body.x));
                barrier.region.phi(&x).abs() < margin
            })
    }

    /// The surfaces of containers and of walls; those of bodies come behind them.
    fn barriers<'a>(&'a self, walls: &'a Boundary<D>) -> impl Iterator<Item = &'a Barrier<D>> {
        let n_walls = walls.barriers.len().saturating_sub(self.list.len());
        self.containers.iter().chain(&walls.barriers[..n_walls])
    }

    fn collide(&mut self, walls: &Boundary<D>, t: f64, spacing: f64, dt: f64) {
        let Some(engine) = self.engine.clone() else { return };
        let mut moved = self.list.clone();
        let mut touched = vec![false; moved.len()];
        let obstacles: Vec<_> =
            self.barriers(walls).map(|barrier| Obstacle::new(barrier, walls, t)).collect();
        engine.advance(&mut moved, &obstacles, spacing, dt, &mut touched);
        for ((body, moved), touched) in self.list.iter_mut().zip(moved).zip(touched) {
            if touched {
                *body = moved;
                body.hold();
            } else {
                body.glide(dt);
            }
        }
    }
}

/// Whether a set of samples belongs to a barrier and moves as the scene prescribes.
fn moves<const D: usize>(body: &Body<D>, barrier: &Barrier<D>) -> bool {
    body.name == barrier.name && !body.motion.is_static()
}
