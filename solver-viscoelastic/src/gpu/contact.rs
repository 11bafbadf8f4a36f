//! Bodies, walls and containers answer the particles that touch them, on a card: the twin of `cpu/contact.rs`.

use super::{Gpu, Launched};
use crate::contact::{Contact, Meeting, Twist};
use cuda_kernels::{
    barriers::Surface,
    error::CudaError,
    executor::{Executor, Field},
    kernels::{
        viscoelastic::Launcher,
        viscoelastic_bodies::{Meetings, Met},
        viscoelastic_contact::{self as kernels, Touching},
    },
    resident::Population,
};
use sph_core::{
    fluid::barrier::Barrier,
    method::state::State,
    numerics::lane::each,
    rigid::{Obstacle, Rigid},
};

/// What contacts hold on a card.
#[derive(Debug)]
pub struct Contacts<const D: usize> {
    /// Surfaces of walls where they are. Shape `[n_surfaces]`.
    surfaces: Field<Surface<D>>,
    /// Sums over the particles that touch a body; none without bodies.
    meetings: Option<Meetings>,
}

impl<const D: usize> Contacts<D> {
    /// Room for so many surfaces and bodies.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, population: &Population) -> Result<Self, CudaError> {
        let meetings = (population.bodies > 0).then(|| Meetings::new(executor)).transpose()?;
        let n_walls = population.surfaces.saturating_sub(population.bodies);
        Ok(Self { surfaces: executor.zeros(n_walls)?, meetings })
    }

    /// Takes the surfaces of a state.
    ///
    /// # Errors
    /// When the copy fails.
    pub fn write(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<(), CudaError> {
        executor.write(&surfaces(state, state.t), &mut self.surfaces)
    }
}

/// The surfaces of walls, which have been moved to the time `t`, `[s]`.
fn surfaces<const D: usize>(state: &State<D>, t: f64) -> Vec<Surface<D>> {
    let (walls, n_bodies) = (&state.walls, state.bodies.list.len());
    let n_walls = walls.barriers.len().saturating_sub(n_bodies);
    let surface = |wall| Surface::of_wall(&Obstacle::new(wall, walls, t));
    walls.barriers[..n_walls].iter().map(surface).collect()
}

/// A body with the surface `barrier` as particles of the mass `m` `[kg]` meet it: `ahead` is where it will be without
/// contacts.
fn met<const D: usize>(
    barrier: &Barrier<D>,
    body: &Rigid<D>,
    ahead: &Rigid<D>,
    twist: &Twist,
    m: f64,
) -> Met<D> {
    let velocity = each(|a| twist.velocity[a]);
    let surface = Surface::of_body(barrier, ahead, body.x, velocity, twist.angular);
    Met { surface, reach: body.form.reach, m }
}

/// The fluid of a card.
macro_rules! touching {
    ($card:expr) => {
        Touching {
            n: $card.common.fluid.n,
            predicted: &$card.common.fluid.x,
            place: &mut $card.place,
            v: &mut $card.common.fluid.v,
        }
    };
}

impl<const D: usize> Gpu<'_, D> {
    fn contact(&self) -> kernels::Contact {
        let (method, spacing) = (&*self.method, self.state.rest.spacing);
        let Contact { layer, dt, stick, stick_distance } =
            Contact::new(&method.params, method.constants.h, spacing, self.dt);
        kernels::Contact { layer, dt, stick, stick_distance }
    }

    /// One body after the other; what particles get, its wrench loses.
    pub(super) fn meet_bodies(&mut self) -> Launched {
        let (contact, card) = (self.contact(), &mut *self.card);
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        let Some(sums) = &mut card.contacts.meetings else { return Ok(()) };
        let State { walls, bodies, forces, rest, .. } = &mut *self.state;
        let n_walls = walls.barriers.len().saturating_sub(bodies.list.len());
        for (rigid, barrier) in bodies.list.iter_mut().zip(&walls.barriers[n_walls..]) {
            let mut body = rigid.clone();
            body.kick(forces, self.dt, 1.0);
            if !body.is_finite() {
                continue;
            }
            let mut ahead = body.clone();
            ahead.glide(self.dt);
            let (before, m) = (Twist::of(&body), f64::from(rest.m));
            let (mut fluid, moves) = (touching!(card), met(barrier, &body, &ahead, &before, m));
            let sum = launcher.meet(contact, &moves, &mut fluid, sums)?;
            let after = Meeting::of_sums(&sum.matrix, sum.momentum).after(&body, before);
            let moves = met(barrier, &body, &ahead, &after, m);
            let given = launcher.answer(contact, &moves, &mut fluid, sums)?.0.map(|sum| sum / self.dt);
            for a in 0..D {
                rigid.wrench.force[a] -= given[a];
            }
            for a in 0..3 {
                rigid.wrench.torque[a] -= given[3 + a];
            }
        }
        Ok(())
    }

    /// Walls and containers answer the particles that touch them.
    pub(super) fn contacts(&mut self) -> Launched {
        let (contact, card) = (self.contact(), &mut *self.card);
        let anti_stick = f64::from(self.method.params.anti_stick);
        let walls = &mut card.contacts.surfaces;
        if walls.is_empty() && card.common.containers.is_empty() {
            return Ok(());
        }
        if self.state.walls.is_moving() {
            self.executor.write(&surfaces(self.state, self.end), walls)?;
        }
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        launcher.contacts(contact, anti_stick, walls, &card.common.containers, touching!(card))
    }
}
