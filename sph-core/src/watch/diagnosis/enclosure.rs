//! What walls do to a fluid by their place alone: whether they close a space, how much room they leave, and how far they have
//! moved in the last steps.

use crate::{
    fluid::{
        boundary::{Body, Boundary},
        wall_surface::{Place, Pose, WallSurface},
    },
    geometry::{motion::Moment, sampling::Side},
    method::state::State,
    numerics::{lane::each, vector::norm},
};

/// A wall that has moved so many steps ago may still be what a step fails of: the fluid has carried it on since.
const RECENT_STEPS: u32 = 32;
/// Points along each axis, in two dimensions and in three, at which a tank is looked at to find its room.
const POINTS: [u32; 2] = [512, 64];

/// Whether a point, `[m]`, is behind a tank that has walls on all sides.
pub fn is_outside_of_closed<const D: usize>(x: &[f64; D], state: &State<D>) -> bool {
    closed(state).any(|tank| matches!(place(tank, x, state), Place::Behind(_)))
}

/// Whether a point, `[m]`, is beyond a side of a tank that has no wall.
pub fn is_beyond_open<const D: usize>(x: &[f64; D], state: &State<D>) -> bool {
    let mut tanks = state.walls.surfaces.iter().filter(|wall| wall.side == Side::Inside);
    tanks.any(|tank| place(tank, x, state) == Place::Open)
}

/// Volume of the fluid at rest over that of the space in closed walls, in the largest tank of a scene, if it is above `limit`
/// `[-]`. A space behind a piston counts as room.
pub fn filling_above<const D: usize>(limit: f64, state: &State<D>) -> Option<f64> {
    let volume = f64::from(state.rest.spacing).powi(D as i32) * state.fluid.len() as f64;
    let obstacles: f64 = obstacles(state).filter_map(|wall| wall.region.volume()).sum();
    // Obstacles take their volume at most. To look where there is room in any case would take long with meshes.
    let is_roomy = |tank: &WallSurface<D>| {
        tank.region.volume().is_some_and(|whole| volume <= limit * (whole - obstacles))
    };
    if closed(state).any(is_roomy) {
        return None;
    }
    let room = closed(state).filter_map(|tank| room(tank, state)).reduce(f64::max)?;
    Some(volume / room).filter(|&filling| filling > limit)
}

/// The farthest that a sample of a prescribed motion moves in one of the last steps of this size, that from `t` on among them,
/// `[m]`: it may have jumped, without any velocity, or have come to rest since.
pub fn farthest_step<const D: usize>(walls: &Boundary<D>, t: f64, dt: f64) -> f64 {
    if !dt.is_finite() {
        return 0.0;
    }
    let moves = |body: &Body<D>| body.rigid.is_none() && !body.is_fixed();
    let farthest = |(k, body): (usize, &Body<D>)| {
        // Before its time a motion had not begun.
        let at = |n: u32| body.motion.now((t + dt - f64::from(n) * dt - body.since).max(0.0));
        let moments: Vec<Moment<D>> = (0..=RECENT_STEPS).map(at).collect();
        let own = (0..walls.len()).filter(|&b| usize::from(walls.body[b]) == k);
        let x_0 = own.map(|b| each(|a| f64::from(walls.x_0[a][b])));
        // Without a turn all samples move alike.
        let few = if moments.iter().all(|moment| moment.turn.is_none()) { 1 } else { usize::MAX };
        x_0.take(few).map(|x_0| farthest_of(&moments, &x_0)).fold(0.0, f64::max)
    };
    walls.bodies.iter().enumerate().filter(|(_, body)| moves(body)).map(farthest).fold(0.0, f64::max)
}

fn farthest_of<const D: usize>(moments: &[Moment<D>], x_0: &[f64; D]) -> f64 {
    let step = |pair: &[Moment<D>]| {
        let (x, before) = (pair[0].of(x_0).x, pair[1].of(x_0).x);
        norm::<D>(each(|a| x[a] - before[a]))
    };
    moments.windows(2).map(step).fold(0.0, f64::max)
}

/// Tanks with walls on all sides.
fn closed<const D: usize>(state: &State<D>) -> impl Iterator<Item = &WallSurface<D>> {
    let is_closed = |wall: &&WallSurface<D>| wall.side == Side::Inside && !wall.open().contains(&true);
    state.walls.surfaces.iter().filter(is_closed)
}

/// Walls and bodies that the fluid surrounds.
fn obstacles<const D: usize>(state: &State<D>) -> impl Iterator<Item = &WallSurface<D>> {
    state.walls.surfaces.iter().filter(|wall| wall.side == Side::Outside)
}

fn place<const D: usize>(wall: &WallSurface<D>, x: &[f64; D], state: &State<D>) -> Place {
    wall.locate(&drawn(&state.walls.pose(wall), x))
}

fn drawn<const D: usize>(pose: &Option<Pose<D>>, x: &[f64; D]) -> [f64; D] {
    pose.as_ref().map_or(*x, |pose| pose.inverse_transform(x))
}

/// Volume of the inside of a tank without the obstacles and bodies in it, `[m^D]`.
fn room<const D: usize>(tank: &WallSurface<D>, state: &State<D>) -> Option<f64> {
    let (low, high) = tank.region.bounds()?;
    let pose = state.walls.pose(tank);
    let others: Vec<_> = obstacles(state).map(|wall| (wall, state.walls.pose(wall))).collect();
    let n = POINTS[usize::from(D == 3)];
    let is_free = |k: &u32| {
        let x: [f64; D] = each(|a| {
            let part = (f64::from(k / n.pow(a as u32) % n) + 0.5) / f64::from(n);
            low[a] + part * (high[a] - low[a])
        });
        if tank.locate(&x) != Place::Free {
            return false;
        }
        let x = pose.as_ref().map_or(x, |pose| {
            let turned = pose.rotate(&x);
            each(|a| turned[a] + pose.shift()[a])
        });
        others.iter().all(|(wall, pose)| wall.locate(&drawn(pose, &x)) == Place::Free)
    };
    let points = n.pow(D as u32);
    let share = (0..points).filter(is_free).count() as f64 / f64::from(points);
    Some(share * (0..D).map(|a| high[a] - low[a]).product::<f64>())
}
