//! Contact loops over particles: bodies first, then walls, then containers, which are impenetrable. Reaction forces on
//! bodies are summed in the order of blocks.

use super::Cpu;
use crate::contact::{Contact, ContactPoint, ContactSystem, Twist, react, without_contacts, wrench};
use sph_core::{
    Real,
    fluid::{particles::Particles, wall_surface::WallSurface},
    geometry::shape::Enclosure,
    method::{failure::Lost, state::State},
    neighbors::Periodic,
    numerics::{
        lane::each,
        parallel::{self, Exact, Merge},
        vector::dot,
    },
    rigid::{Placement, Rigid, Wrench, spatial},
    run::ranks::shared::Others,
};
use std::mem::take;

/// A particle in contact: its position, and its velocity after the step.
struct Particle<const D: usize> {
    /// Position, `[m]`.
    x: [f64; D],
    /// Velocity `v* + (x − x*)/dt`, `[m/s]`.
    v: [f64; D],
    /// Position before the step, `x* − dt v*`, `[m]`.
    x_prev: [f64; D],
    /// True when a contact has acted.
    touched: bool,
}

impl<const D: usize> Particle<D> {
    /// A change of velocity over the whole step: `v ← v + Δv`, `x ← x + dt Δv`. A zero one keeps the bits.
    fn apply_impulse(&mut self, dv: &[f64; D], dt: f64) {
        if *dv == [0.0; D] {
            return;
        }
        self.v = each(|a| self.v[a] + dv[a]);
        self.x = each(|a| self.x[a] + dt * dv[a]);
        self.touched = true;
    }
}

/// Particles whose terms are added together: they take the time of one.
const TOGETHER: usize = 16;

/// Sums over the particles in contact, that know no order.
struct Terms<const N: usize> {
    sums: [Exact; N],
    /// Of these, `n` are not in the sums yet.
    last: [[f64; TOGETHER]; N],
    n: usize,
}

impl<const N: usize> Default for Terms<N> {
    fn default() -> Self {
        Self { sums: [Exact::default(); N], last: [[0.0; TOGETHER]; N], n: 0 }
    }
}

impl<const N: usize> Merge for Terms<N> {
    fn merge(self, later: Self) -> Self {
        Self { sums: self.total().merge(later.total()), ..Self::default() }
    }
}

impl<const N: usize> Terms<N> {
    fn add(&mut self, terms: &[f64; N]) {
        (0..N).for_each(|k| self.last[k][self.n] = terms[k]);
        self.n += 1;
        if self.n == TOGETHER {
            (self.sums, self.n) = (self.total(), 0);
        }
    }

    fn total(&self) -> [Exact; N] {
        each(|k| self.sums[k].merge(Exact::of(0..self.n, |i| self.last[k][i])))
    }
}

/// Calls `act` with each particle, writes back those that it has moved, and merges its results in the order of blocks.
fn for_each_particle<const D: usize, R: Merge + Default>(
    fluid: &mut Particles<D>,
    position: &mut [[Real; 4]],
    dt: f64,
    act: impl Fn(&mut Particle<D>, &mut R) + Sync,
) -> R {
    let (n, x, step) = (position.len(), &fluid.x, dt as Real);
    parallel::blocks(n, (position, fluid.v.each_mut().map(Vec::as_mut_slice)), |range, (position, v)| {
        let mut found = R::default();
        for (k, i) in range.enumerate() {
            let predicted: [Real; D] = each(|a| x[a][i]);
            let mut particle = Particle {
                x: each(|a| f64::from(position[k][a])),
                v: each(|a| f64::from(v[a][k] + (position[k][a] - predicted[a]) / step)),
                x_prev: each(|a| f64::from(predicted[a]) - dt * f64::from(v[a][k])),
                touched: false,
            };
            // A particle that is not finite has no contacts: later checks name it.
            if !(0.0 * particle.v.iter().sum::<f64>()).is_finite() {
                continue;
            }
            act(&mut particle, &mut found);
            if particle.touched {
                for a in 0..D {
                    position[k][a] = particle.x[a] as Real;
                    // The step ends with v = v* + (x − x*)/dt: v* is shifted so that this is the new velocity.
                    v[a][k] = particle.v[a] as Real - (position[k][a] - predicted[a]) / step;
                }
            }
        }
        found
    })
}

/// Applies stickiness and the impulse of a wall, which is where it will be at the end of the step.
fn resolve_wall<const D: usize>(
    (wall, placement): (&WallSurface<D>, &Placement<D>),
    contact: &Contact,
    periodic: &Periodic<D>,
    p: &mut Particle<D>,
) {
    let x = p.x;
    placement.near(wall, periodic, &x, contact.reach(), |face, d, n, moves| {
        apply_stickiness(contact, d, &n, p);
        let drag = wall.condition.drag[face];
        let v: [f64; D] = each(|a| p.v[a] - moves[a] - drag[a]);
        p.apply_impulse(&contact.impulse(d, &v, &n, wall.condition.no_slip), contact.dt);
    });
}

fn apply_stickiness<const D: usize>(contact: &Contact, d: f64, n: &[f64; D], p: &mut Particle<D>) {
    let pull = contact.stickiness(d);
    p.apply_impulse(&n.map(|n| pull * n), contact.dt);
}

/// Applies stickiness and the impulse of a container: a particle outside is projected to the surface, its normal
/// velocity vanishes or is reversed by the restitution, and friction reduces the tangential one. It leaves the
/// surface with at least the speed `anti_stick`.
fn resolve_container<const D: usize>(
    container: &Enclosure<D>,
    contact: &Contact,
    anti_stick: f64,
    p: &mut Particle<D>,
) {
    if contact.stick > 0.0 {
        let (over, n_faces) = container.region.face_distances(&p.x);
        for (face, over) in over[..n_faces].iter().enumerate() {
            let n = container.region.face_normal(face, &p.x).map(|n| -n);
            apply_stickiness(contact, -over, &n, p);
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

/// Contact with a body.
struct BodyContact<'a, const D: usize> {
    /// Pose before the step, and velocity after the step without contacts.
    body: Rigid<D>,
    /// The body advanced with that velocity.
    ahead: Rigid<D>,
    /// Its surface in the body frame.
    surface: &'a WallSurface<D>,
    contact: Contact,
    periodic: Periodic<D>,
    /// Mass of a particle, `[kg]`.
    m: f64,
}

impl<const D: usize> BodyContact<'_, D> {
    /// `a − b`, to the nearest image.
    fn separation(&self, a: &[f64; D], b: &[f64; D]) -> [f64; D] {
        let separation: [f64; D] = each(|k| a[k] - b[k]);
        if !self.periodic.any() {
            return separation;
        }
        let (long, short) =
            (separation.map(|x| x as Real), self.periodic.nearest(separation.map(|x| x as Real)));
        each(|k| separation[k] + f64::from(short[k] - long[k]))
    }

    /// The contact point of a particle on the advanced body, if it is near. The arm is that before the step, about
    /// which the angular momentum of `v = (x − x_prev)/dt` is conserved.
    fn contact_point(&self, p: &Particle<D>) -> Option<ContactPoint> {
        let to = self.separation(&p.x, &self.ahead.x);
        let reach = self.contact.reach();
        if dot(to, to) > (self.ahead.form.reach + reach).powi(2) {
            return None;
        }
        let turn = &self.ahead.rotation;
        let drawn = turn.inverse_rotate(&spatial(&to));
        let mut point = None;
        self.surface.near(&each(|a| drawn[a]), reach, |_, d, n| {
            let arm = spatial(&self.separation(&p.x_prev, &self.body.x));
            point = Some(ContactPoint { d, n: turn.rotate(&spatial(&n)), arm });
        });
        point
    }

    /// Change of velocity of a particle by the body with this velocity, `[m/s]`.
    fn impulse(&self, point: &ContactPoint, twist: &Twist, p: &Particle<D>) -> [f64; 3] {
        let pull = self.contact.stickiness(point.d);
        let (v, moves) = (spatial(&p.v), twist.at(&point.arm));
        let relative: [f64; 3] = each(|a| v[a] + pull * point.n[a] - moves[a]);
        let impulse = self.contact.impulse(point.d, &relative, &point.n, self.surface.condition.no_slip);
        each(|a| pull * point.n[a] + impulse[a])
    }

    /// Applies the impulses. Returns momentum and angular momentum of the particles from the body, `[kg m/s]` and
    /// `[kg m²/s]`.
    fn resolve(
        &self,
        fluid: &mut Particles<D>,
        position: &mut [[Real; 4]],
        others: &mut Others<'_, D>,
    ) -> Result<[f64; 6], Lost> {
        let (dt, before) = (self.contact.dt, Twist::of(&self.body));
        let system = for_each_particle(fluid, position, dt, |p, sums: &mut Terms<27>| {
            let Some(point) = self.contact_point(p) else { return };
            let (pull, moves) = (self.contact.stickiness(point.d), before.at(&point.arm));
            let v = spatial(&p.v);
            let relative = each(|a| v[a] + pull * point.n[a] - moves[a]);
            let mut system = ContactSystem::default();
            system.add(&self.contact, &point, self.m, &relative, self.surface.condition.no_slip);
            sums.add(&system.sums());
        });
        let sums = others.sums(system.total())?;
        let system = ContactSystem::of_sums(&each(|k| sums[k]), each(|k| sums[21 + k]));
        let after = system.after(&self.body, before);
        let given = for_each_particle(fluid, position, dt, |p, given: &mut Terms<6>| {
            let Some(point) = self.contact_point(p) else { return };
            let impulse = self.impulse(&point, &after, p);
            p.apply_impulse(&each(|a| impulse[a]), dt);
            given.add(&wrench(&impulse, &point.arm).map(|part| self.m * part));
        });
        others.sums(given.total())
    }
}

/// Walls, then containers: in the order in which particles meet them.
struct Holders<'a, const D: usize> {
    placements: &'a [Placement<D>],
    surfaces: &'a [WallSurface<D>],
    containers: &'a [Enclosure<D>],
    contact: Contact,
    /// Least speed with which particles leave a container, `[m/s]`.
    anti_stick: f64,
    periodic: Periodic<D>,
}

impl<const D: usize> Holders<'_, D> {
    /// Number of walls and containers.
    fn len(&self) -> usize {
        self.placements.len() + self.containers.len()
    }

    /// Applies the impulse of the wall or container of this place.
    fn resolve(&self, place: usize, p: &mut Particle<D>) {
        match self.placements.get(place) {
            Some(placement) => {
                resolve_wall((&self.surfaces[place], placement), &self.contact, &self.periodic, p)
            }
            None => {
                let container = &self.containers[place - self.placements.len()];
                resolve_container(container, &self.contact, self.anti_stick, p);
            }
        }
    }

    /// Adds the impulses that the wall or container of this place is about to get from the contacts, and moves no particle. `m`
    /// is the mass of one, `[kg]`.
    fn add_to(
        &self,
        (place, load): (usize, &mut Wrench<D>),
        fluid: &mut Particles<D>,
        position: &mut [[Real; 4]],
        m: f64,
        others: &mut Others<'_, D>,
    ) -> Result<(), Lost> {
        let dt = self.contact.dt;
        let given = for_each_particle(fluid, position, dt, |p, given: &mut Terms<6>| {
            (0..place).for_each(|earlier| self.resolve(earlier, p));
            let before = p.v;
            self.resolve(place, p);
            p.touched = false;
            let impulse = spatial::<D>(&each(|a| p.v[a] - before[a]));
            given.add(&wrench(&impulse, &spatial(&p.x_prev)).map(|part| m * part));
        });
        react(load, others.sums(given.total())?, dt);
        Ok(())
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// Contacts with bodies, walls and containers.
    pub(super) fn contacts(&mut self, dt: f64) -> Result<(), Lost> {
        let (s, n) = (&mut *self.method, self.state.fluid.len());
        let contact = Contact::new(&s.params, s.constants.h, self.state.rest.spacing, dt);
        let (mut placements, mut position) = (take(&mut s.fields.placements), take(&mut s.fields.position));
        let anti_stick = f64::from(s.params.anti_stick);
        self.resolve_bodies(&contact, &mut position[..n])?;
        let State { fluid, walls, bodies, containers, domain, rest, .. } = &mut *self.state;
        let n_walls = bodies.first_surface(walls);
        let surfaces = &walls.surfaces[..n_walls];
        placements.clear();
        placements.extend(surfaces.iter().map(|wall| Placement::of_wall(wall, walls, self.end)));
        let periodic = domain.periodic;
        let holders =
            Holders { placements: &placements, surfaces, containers, contact, anti_stick, periodic };
        if walls.loads_due {
            for measured in bodies.contact_loads(surfaces) {
                let (m, (_, mut others)) = (f64::from(rest.m), self.method.shell.with_others());
                holders.add_to(measured, fluid, &mut position[..n], m, &mut others)?;
            }
        }
        if holders.len() > 0 {
            for_each_particle(fluid, &mut position[..n], dt, |p, _: &mut ()| {
                (0..holders.len()).for_each(|place| holders.resolve(place, p));
            });
        }
        (self.method.fields.placements, self.method.fields.position) = (placements, position);
        Ok(())
    }

    /// Contacts with one body after the other, with the opposite wrench on the body.
    fn resolve_bodies(&mut self, contact: &Contact, position: &mut [[Real; 4]]) -> Result<(), Lost> {
        let (_, mut others) = self.method.shell.with_others();
        let State { fluid, walls, bodies, forces, domain, rest, .. } = &mut *self.state;
        let n_walls = bodies.first_surface(walls);
        for (rigid, surface) in bodies.list.iter_mut().zip(&walls.surfaces[n_walls..]) {
            let Some([body, ahead]) = without_contacts(rigid, forces, contact.dt) else { continue };
            let (contact, m) = (*contact, f64::from(rest.m));
            let contact_of_body = BodyContact { body, ahead, surface, contact, periodic: domain.periodic, m };
            let given = contact_of_body.resolve(fluid, position, &mut others)?;
            react(&mut rigid.wrench, given, contact.dt);
        }
        Ok(())
    }
}
