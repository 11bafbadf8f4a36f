//! Streaming loops over particles that may touch something: bodies first, then walls, then containers, which let
//! nothing pass. One particle after the other by itself; what bodies get is summed in the order of blocks.

use super::Cpu;
use crate::contact::{Contact, Meeting, Spot, Twist, spatial, wrench};
use sph_core::{
    Real,
    fluid::{
        barrier::{Barrier, Pose},
        particles::Particles,
    },
    geometry::shape::Enclosure,
    method::state::State,
    neighbors::Periodic,
    numerics::{
        lane::each,
        parallel::{self, Merge, Sum},
        vector::{cross, dot},
    },
    rigid::{Obstacle, Rigid},
};
use std::mem::take;

/// A particle as contacts see it: where it is, and how fast it will be after the step.
struct Particle<const D: usize> {
    /// Place, `[m]`.
    x: [f64; D],
    /// Velocity `v* + (x − x*)/dt`, `[m/s]`.
    v: [f64; D],
    /// Where it was before the step, `x* − dt v*`, `[m]`.
    before: [f64; D],
    /// True when something has acted.
    touched: bool,
}

impl<const D: usize> Particle<D> {
    /// Takes up a change of velocity over the whole step: `v ← v + Δv`, `x ← x + dt Δv`. One that is nought leaves its
    /// bits alone.
    fn push(&mut self, dv: &[f64; D], dt: f64) {
        if *dv == [0.0; D] {
            return;
        }
        self.v = each(|a| self.v[a] + dv[a]);
        self.x = each(|a| self.x[a] + dt * dv[a]);
        self.touched = true;
    }
}

/// Shows `act` each particle, which may move it, and merges what it finds in the order of blocks.
fn stream<const D: usize, R: Merge + Default>(
    fluid: &mut Particles<D>,
    place: &mut [[Real; 4]],
    dt: f64,
    act: impl Fn(&mut Particle<D>, &mut R) + Sync,
) -> R {
    let (n, x, step) = (place.len(), &fluid.x, dt as Real);
    parallel::blocks(n, (place, fluid.v.each_mut().map(Vec::as_mut_slice)), |range, (place, v)| {
        let mut found = R::default();
        for (k, i) in range.enumerate() {
            let predicted: [Real; D] = each(|a| x[a][i]);
            let mut particle = Particle {
                x: each(|a| f64::from(place[k][a])),
                v: each(|a| f64::from(v[a][k] + (place[k][a] - predicted[a]) / step)),
                before: each(|a| f64::from(predicted[a]) - dt * f64::from(v[a][k])),
                touched: false,
            };
            // One that is no number touches nothing: it is found where it is.
            if !(0.0 * particle.v.iter().sum::<f64>()).is_finite() {
                continue;
            }
            act(&mut particle, &mut found);
            if particle.touched {
                for a in 0..D {
                    place[k][a] = particle.x[a] as Real;
                    // The velocity is read from the way: the old place moves along.
                    v[a][k] = particle.v[a] as Real - (place[k][a] - predicted[a]) / step;
                }
            }
        }
        found
    })
}

/// Where the surface of a wall is in this step, and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct Stance<const D: usize> {
    /// Where it is; `None` where it was drawn.
    pose: Option<Pose<D>>,
    /// A point of it, `[m]`, and the velocity there, `[m/s]`.
    point: ([f64; D], [f64; D]),
    /// Its angular velocity, `[rad/s]`.
    angular: [f64; 3],
}

impl<const D: usize> Stance<D> {
    fn of(obstacle: &Obstacle<'_, D>) -> Self {
        Self { pose: obstacle.pose, point: obstacle.point, angular: obstacle.angular_velocity }
    }

    /// Velocity at a point, `[m/s]`.
    fn velocity(&self, x: &[f64; D]) -> [f64; D] {
        let turning = cross(self.angular, spatial::<D>(&each(|a| x[a] - self.point.0[a])));
        each(|a| self.point.1[a] + turning[a])
    }

    /// Stickiness and the impulse of the wall.
    fn meet(&self, wall: &Barrier<D>, contact: &Contact, periodic: &Periodic<D>, p: &mut Particle<D>) {
        let here = if periodic.any() { periodic.wrap(p.x.map(|x| x as Real)).map(f64::from) } else { p.x };
        let drawn = self.pose.map_or(here, |pose| pose.drawn(&here));
        wall.near(&drawn, contact.reach(), |face, d, n| {
            let n = self.pose.map_or(n, |pose| pose.turned(&n));
            stick(contact, d, &n, p);
            let (moves, drag) = (self.velocity(&here), wall.grip.drag[face]);
            let v: [f64; D] = each(|a| p.v[a] - moves[a] - drag[a]);
            p.push(&contact.impulse(d, &v, &n, wall.grip.no_slip), contact.dt);
        });
    }
}

fn stick<const D: usize>(contact: &Contact, d: f64, n: &[f64; D], p: &mut Particle<D>) {
    let pull = contact.stickiness(d);
    p.push(&n.map(|n| pull * n), contact.dt);
}

/// Stickiness and the impulse of a container: a particle that has left it comes back to its surface, and the velocity
/// with which it did so loses its normal part and the share of friction of the other, or turns around by the
/// restitution. It then parts from the wall with at least the speed `anti_stick`.
fn bounce<const D: usize>(container: &Enclosure<D>, contact: &Contact, anti_stick: f64, p: &mut Particle<D>) {
    if contact.stick > 0.0 {
        let (over, n_faces) = container.region.over_faces(&p.x);
        for (face, over) in over[..n_faces].iter().enumerate() {
            let n = container.region.face_normal(face, &p.x).map(|n| -n);
            stick(contact, -over, &n, p);
        }
    }
    let Particle { x, v, touched, .. } = p;
    container.region.clamp(x, container.collision_radius, |n| {
        *touched = true;
        let v_n = dot(*v, *n);
        let approach = v_n.max(0.0);
        let leaves = -(container.restitution * approach).max(anti_stick);
        for k in 0..D {
            let v_t = v[k] - v_n * n[k];
            let friction = if approach > 0.0 { container.friction * v_t } else { 0.0 };
            v[k] += (v_n.min(leaves) - v_n) * n[k] - friction;
        }
    });
}

/// A body as particles meet it.
struct Met<'a, const D: usize> {
    /// Where it is before the step, and with the velocity that it has after the step without contacts.
    body: Rigid<D>,
    /// Where that velocity brings it.
    ahead: Rigid<D>,
    /// Its surface, drawn in its own frame.
    surface: &'a Barrier<D>,
    contact: Contact,
    periodic: Periodic<D>,
    /// Mass of a particle, `[kg]`.
    m: f64,
}

impl<const D: usize> Met<'_, D> {
    /// `a − b`, to the nearest image.
    fn from(&self, a: &[f64; D], b: &[f64; D]) -> [f64; D] {
        let way: [f64; D] = each(|k| a[k] - b[k]);
        if !self.periodic.any() {
            return way;
        }
        let (long, short) = (way.map(|x| x as Real), self.periodic.nearest(way.map(|x| x as Real)));
        each(|k| way[k] + f64::from(short[k] - long[k]))
    }

    /// Where a particle is on the body that has moved on, if it is near; the arm is that before the step, about which
    /// the angular momentum of `v = (x − x_prev)/dt` is kept.
    fn spot(&self, p: &Particle<D>) -> Option<Spot> {
        let to = self.from(&p.x, &self.ahead.x);
        let reach = self.contact.reach();
        if dot(to, to) > (self.ahead.form.reach + reach).powi(2) {
            return None;
        }
        let turn = &self.ahead.rotation;
        let drawn = turn.turn_back(&spatial(&to));
        let mut spot = None;
        self.surface.near(&each(|a| drawn[a]), reach, |_, d, n| {
            let arm = spatial(&self.from(&p.before, &self.body.x));
            spot = Some(Spot { d, n: turn.turn(&spatial(&n)), arm });
        });
        spot
    }

    /// What a particle gets from the body that moves so, over its mass, `[m/s]`.
    fn impulse(&self, spot: &Spot, twist: &Twist, p: &Particle<D>) -> [f64; 3] {
        let pull = self.contact.stickiness(spot.d);
        let (v, moves) = (spatial(&p.v), twist.at(&spot.arm));
        let relative: [f64; 3] = each(|a| v[a] + pull * spot.n[a] - moves[a]);
        let impulse = self.contact.impulse(spot.d, &relative, &spot.n, self.surface.grip.no_slip);
        each(|a| pull * spot.n[a] + impulse[a])
    }

    /// Momentum and angular momentum that the particles get from the body, `[kg m/s]` and `[kg m²/s]`.
    fn meet(&self, fluid: &mut Particles<D>, place: &mut [[Real; 4]]) -> [Sum; 6] {
        let (dt, before) = (self.contact.dt, Twist::of(&self.body));
        let meeting = stream(fluid, place, dt, |p, meeting: &mut Meeting| {
            let Some(spot) = self.spot(p) else { return };
            let (pull, moves) = (self.contact.stickiness(spot.d), before.at(&spot.arm));
            let v = spatial(&p.v);
            let relative = each(|a| v[a] + pull * spot.n[a] - moves[a]);
            meeting.add(&self.contact, &spot, self.m, &relative, self.surface.grip.no_slip);
        });
        let after = meeting.after(&self.body, before);
        stream(fluid, place, dt, |p, given: &mut [Sum; 6]| {
            let Some(spot) = self.spot(p) else { return };
            let impulse = self.impulse(&spot, &after, p);
            p.push(&each(|a| impulse[a]), dt);
            for (sum, part) in given.iter_mut().zip(wrench(&impulse, &spot.arm)) {
                sum.0 += self.m * part;
            }
        })
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// Bodies, walls and containers answer the particles that touch them.
    pub(super) fn contacts(&mut self, dt: f64) {
        let (s, n) = (&mut *self.method, self.state.fluid.len());
        let contact = Contact::new(&s.params, s.constants.h, self.state.rest.spacing, dt);
        let (mut stances, mut place) = (take(&mut s.fields.stances), take(&mut s.fields.place));
        let anti_stick = f64::from(s.params.anti_stick);
        self.meet_bodies(&contact, &mut place[..n]);
        let State { fluid, walls, bodies, containers, domain, .. } = &mut *self.state;
        let n_walls = walls.barriers.len().saturating_sub(bodies.list.len());
        let barriers = &walls.barriers[..n_walls];
        stances.clear();
        stances.extend(barriers.iter().map(|wall| Stance::of(&Obstacle::new(wall, walls, self.end))));
        if !(stances.is_empty() && containers.is_empty()) {
            stream(fluid, &mut place[..n], dt, |p, _: &mut ()| {
                for (stance, wall) in stances.iter().zip(barriers) {
                    stance.meet(wall, &contact, &domain.periodic, p);
                }
                for container in &*containers {
                    bounce(container, &contact, anti_stick, p);
                }
            });
        }
        (self.method.fields.stances, self.method.fields.place) = (stances, place);
    }

    /// One body after the other; what particles get, its wrench loses.
    fn meet_bodies(&mut self, contact: &Contact, place: &mut [[Real; 4]]) {
        let State { fluid, walls, bodies, forces, domain, rest, .. } = &mut *self.state;
        let n_walls = walls.barriers.len().saturating_sub(bodies.list.len());
        for (rigid, surface) in bodies.list.iter_mut().zip(&walls.barriers[n_walls..]) {
            let mut body = rigid.clone();
            body.kick(forces, contact.dt, 1.0);
            if !body.is_finite() {
                continue;
            }
            let mut ahead = body.clone();
            ahead.glide(contact.dt);
            let (contact, m) = (*contact, f64::from(rest.m));
            let met = Met { body, ahead, surface, contact, periodic: domain.periodic, m };
            let given = met.meet(fluid, place).map(|sum| sum.0 / contact.dt);
            for a in 0..D {
                rigid.wrench.force[a] -= given[a];
            }
            for a in 0..3 {
                rigid.wrench.torque[a] -= given[3 + a];
            }
        }
    }
}
