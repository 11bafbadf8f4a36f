//! Contact of particles with walls: what the pressure of a few particles leaves of their approach.

use super::Cpu;
use crate::{Projection, memory::record::DEPTH, physics::Contact};
use sph_core::{
    Real,
    fluid::wall_surface::WallSurface,
    geometry::sampling::Side,
    method::failure::Lost,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel::{self, Exact, Merge},
        vector::{dot, norm, norm2},
    },
    phase,
    rigid::{Placement, Wrench, spatial},
};
use std::mem::take;

/// In a corner a wall may turn a particle towards another one, so often at most.
const MOST_TURNS: usize = 4;

/// Walls in the way of particles.
struct Barriers<'a, const D: usize> {
    /// The surfaces of walls, at the end of the step already.
    walls: &'a [WallSurface<D>],
    placements: &'a [Placement<D>],
    periodic: Periodic<D>,
    place: &'a [[Real; 4]],
    /// `[x y z depth | v τ | n A]`.
    samples: &'a [[Real; 12]],
    contact: Contact,
}

impl<const D: usize> Barriers<'_, D> {
    /// Changes the velocity of a particle so that it passes no wall. `given` gets each change, `[m/s]`, and the place of the wall.
    fn stop(&self, x: &[f64; D], v: &mut [f64; D], mut given: impl FnMut(usize, &[f64; D])) {
        for _ in 0..MOST_TURNS {
            let before = *v;
            for k in 0..self.walls.len() {
                self.stop_at(k, x, v, &mut given);
            }
            if *v == before {
                break;
            }
        }
    }

    /// The same for one wall. Faces are met where the particle is, as planes, and once more where it would end: there curved ones
    /// and the other facets of a corner show.
    fn stop_at(&self, k: usize, x: &[f64; D], v: &mut [f64; D], given: &mut impl FnMut(usize, &[f64; D])) {
        let (wall, placement, contact) = (&self.walls[k], &self.placements[k], &self.contact);
        let passed = Contact::behind(wall.side == Side::Outside, wall.first_layer);
        let Contact { dt, least, .. } = *contact;
        let mut limit = |v: &mut [f64; D], gap: f64, u_n: f64, n: &[f64; D]| {
            let change = contact.stopped(gap, u_n);
            if change > 0.0 {
                let change = n.map(|n| change * n);
                *v = each(|a| v[a] + change[a]);
                given(k, &change);
            }
        };
        let moves = placement.velocity(x);
        let from: [f64; D] = each(|a| x[a] + dt * moves[a]);
        let reach = least + dt * norm::<D>(each(|a| v[a] - moves[a]));
        let mut behind = false;
        placement.near(wall, &self.periodic, &from, reach, |_, gap, n, moves| {
            behind |= gap <= passed;
            if gap > passed {
                let u_n = dot(each(|a| v[a] - moves[a]), n);
                limit(v, gap + dt * u_n, u_n, &n);
            }
        });
        if !behind {
            let end: [f64; D] = each(|a| x[a] + dt * v[a]);
            placement.near(wall, &self.periodic, &end, least, |_, gap, n, moves| {
                limit(v, gap, dot(each(|a| v[a] - moves[a]), n), &n);
            });
        }
    }
}

phase! {
/// Stops particles of which a sample is so near that they might reach its surface in the step:
/// `r_ik² ≤ (d_k + |v_i| dt + least)² + pitch²`. `before`, if there is one, gets `[v | 1 if it was another one]`.
fn stop<L>[const D: usize](
    s: &Barriers<'_, D>, walls: &Chunk, out: ([&mut [Real]; D], &mut [[Real; 4]]),
) {
    let ((v, before), (zero, one)) = (out, (L::splat(0.0), L::splat(1.0)));
    let (pitch2, much) = (L::splat(s.contact.pitch2), L::splat(Real::MAX.sqrt()));
    for (k, i) in walls.points().enumerate() {
        let (x_i, v_i): ([Real; D], [Real; D]) = (each(|a| s.place[i][a]), each(|a| v[a][k]));
        let ahead = L::splat(s.contact.dt as Real * norm2(v_i).sqrt() + s.contact.least as Real);
        let [close] = walls.sum::<L, D, 12, 1>(i, x_i, s.samples, &s.periodic, |_, r2, k| {
            let reach = k[DEPTH] + ahead;
            [one.min(zero.max((reach * reach + pitch2 - r2) * much))]
        });
        let mut touched = false;
        if close > 0.0 {
            let mut now: [f64; D] = each(|a| f64::from(v_i[a]));
            s.stop(&each(|a| f64::from(x_i[a])), &mut now, |_, _| touched = true);
            if touched {
                (0..D).for_each(|a| v[a][k] = now[a] as Real);
            }
        }
        if let Some(before) = before.get_mut(k) {
            before[..D].copy_from_slice(&v_i);
            before[3] = if touched { 1.0 } else { 0.0 };
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Stops particles at walls, and sums what measured ones give to them.
    pub(super) fn stop(&mut self, dt: f64) -> Result<(), Lost> {
        self.method.fields.given.clear();
        if self.state.walls.is_empty() {
            return Ok(());
        }
        let mut v = self.state.fluid.v.each_mut().map(take);
        let (mut before, mut sums) =
            (take(&mut self.method.fields.before), take(&mut self.method.fields.contact_sums));
        sums.clear();
        let (s, state) = (&*self.method, &*self.state);
        let barriers = Barriers {
            walls: &state.walls.surfaces[..state.bodies.first_surface(&state.walls)],
            placements: &s.fields.placements,
            periodic: state.domain.periodic,
            place: &s.fields.place,
            samples: &s.fields.wall_record,
            contact: Contact::new::<D>(dt, state.rest.spacing),
        };
        let (isa, rows, out) = (s.shell.isa, &s.shell.neighbors.walls, v.each_mut().map(Vec::as_mut_slice));
        if state.walls.loads_due && !state.bodies.loads.is_empty() {
            rows.for_each((out, &mut before[..]), |_, walls, out| stop(isa, &barriers, walls, out));
            let places = state.bodies.surfaces_of_loads(barriers.walls);
            sums.extend(places.map(|k| k.map_or_else(Default::default, |k| barriers.given_by(k, &before).0)));
        } else {
            rows.for_each(out, |_, walls, v| stop(isa, &barriers, walls, (v, &mut [])));
        }
        self.state.fluid.v = v;
        self.method.fields.before = before;
        self.method.fields.contact_sums = sums;
        let Projection { fields, shell, .. } = &mut *self.method;
        for &sums in &fields.contact_sums {
            let [a, b, c, x, y, z] = shell.with_others().1.sums(sums)?;
            fields.given.push(Wrench { force: each(|axis| [a, b, c][axis]), torque: [x, y, z] });
        }
        Ok(())
    }
}

impl<const D: usize> Barriers<'_, D> {
    /// What the wall `which` has given to particles over the mass of one, `[m/s]` and, about the origin, `[m²/s]`.
    fn given_by(&self, which: usize, before: &[[Real; 4]]) -> Sums {
        parallel::blocks(before.len(), (), |range, ()| {
            let mut sums = Sums::default();
            for i in range.filter(|&i| before[i][3] != 0.0) {
                let x: [f64; D] = each(|a| f64::from(self.place[i][a]));
                self.stop(&x, &mut each(|a| f64::from(before[i][a])), |k, change| {
                    if k == which {
                        let mut given = Wrench::default();
                        given.add(change, &x);
                        let terms = [spatial(&given.force), given.torque];
                        let terms = terms.as_flattened();
                        let term: [Exact; 6] = each(|t| Exact::of(0..1, |_| terms[t]));
                        sums = Sums(sums.0.merge(term));
                    }
                });
            }
            sums
        })
    }
}

/// Sums of forces and torques.
#[derive(Clone, Copy, Debug, Default)]
struct Sums([Exact; 6]);

impl Merge for Sums {
    fn merge(self, later: Self) -> Self {
        Self(self.0.merge(later.0))
    }
}
