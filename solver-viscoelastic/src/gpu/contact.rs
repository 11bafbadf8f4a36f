//! Bodies, walls and containers answer the particles that touch them, on a GPU: the twin of `cpu/contact.rs`.

use super::{Gpu, Launched};
use crate::contact::{Contact, ContactSystem, Twist};
use cuda_kernels::{
    common::{boundary::barriers::Surface, numerics::reduce::PARTIALS, run::resident::Population},
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
    viscoelastic::{self as kernels, BodyContact, Launcher, Stream},
};
use sph_core::{
    fluid::barrier::Barrier,
    method::state::State,
    numerics::lane::each,
    rigid::{Obstacle, Rigid},
};

/// What contacts hold on a GPU.
#[derive(Debug)]
pub struct Contacts<const D: usize> {
    /// Surfaces of walls where they are. Shape `[n_surfaces]`.
    surfaces: Field<Surface<D>>,
    /// Sums over the particles that touch a body; none without bodies.
    bodies: Option<ContactSums>,
}

impl<const D: usize> Contacts<D> {
    /// Room for so many surfaces and bodies.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, population: &Population) -> Result<Self, CudaError> {
        let bodies = (population.bodies > 0).then(|| ContactSums::new(executor)).transpose()?;
        let n_walls = population.surfaces.saturating_sub(population.bodies);
        Ok(Self { surfaces: executor.zeros(n_walls)?, bodies })
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
fn body_contact<const D: usize>(
    barrier: &Barrier<D>,
    body: &Rigid<D>,
    ahead: &Rigid<D>,
    twist: &Twist,
    m: f64,
) -> BodyContact<D> {
    let velocity = each(|a| twist.velocity[a]);
    let surface = Surface::of_body(barrier, ahead, body.x, velocity, twist.angular);
    BodyContact { surface, reach: body.form.reach, m }
}

/// The fluid on the device.
macro_rules! stream {
    ($device:expr) => {
        Stream {
            position: &mut $device.position,
            predicted: &$device.common.fluid.x,
            v: &mut $device.common.fluid.v,
        }
    };
}

/// Sums over the particles that touch a body, one body after the other.
#[derive(Debug)]
struct ContactSums {
    partial_systems: Field<kernels::ContactSystem>,
    system: Field<kernels::ContactSystem>,
    partial_wrenches: Field<kernels::Wrench>,
    wrench: Field<kernels::Wrench>,
}

impl ContactSums {
    fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self {
            partial_systems: executor.zeros(PARTIALS)?,
            system: executor.zeros(1)?,
            partial_wrenches: executor.zeros(PARTIALS)?,
            wrench: executor.zeros(1)?,
        })
    }
}

impl<const D: usize> Gpu<'_, D> {
    fn contact(&self) -> kernels::Contact {
        let (method, spacing) = (&*self.method, self.state.rest.spacing);
        let Contact { layer, dt, stick, stick_distance } =
            Contact::new(&method.params, method.constants.h, spacing, self.dt);
        kernels::Contact { layer, dt, stick, stick_distance }
    }

    /// One body after the other; what particles get, its wrench loses.
    pub(super) fn resolve_bodies(&mut self) -> Launched {
        let (contact, device) = (self.contact(), &mut *self.device);
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        let Some(sums) = &mut device.contacts.bodies else { return Ok(()) };
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
            let moves = body_contact(barrier, &body, &ahead, &before, m);
            let (n, mut sum) = (device.common.fluid.n, [kernels::ContactSystem::default()]);
            launcher.assemble_contact_system(
                contact,
                moves,
                n,
                stream!(device),
                &mut sums.partial_systems,
                &mut sums.system,
            )?;
            self.executor.read(&sums.system, &mut sum)?;
            let after = ContactSystem::of_sums(&sum[0].matrix, sum[0].momentum).after(&body, before);
            let moves = body_contact(barrier, &body, &ahead, &after, m);
            let mut given = [kernels::Wrench::default()];
            launcher.apply_body_impulses(
                contact,
                moves,
                n,
                stream!(device),
                &mut sums.partial_wrenches,
                &mut sums.wrench,
            )?;
            self.executor.read(&sums.wrench, &mut given)?;
            let given = given[0].a.map(|sum| sum / self.dt);
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
        let (contact, device) = (self.contact(), &mut *self.device);
        let anti_stick = f64::from(self.method.params.anti_stick);
        let walls = &mut device.contacts.surfaces;
        if walls.is_empty() && device.common.containers.is_empty() {
            return Ok(());
        }
        if self.state.walls.is_moving() {
            self.executor.write(&surfaces(self.state, self.end), walls)?;
        }
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        let (n_walls, containers, n) = (walls.len(), &device.common.containers, device.common.fluid.n);
        launcher.contacts(contact, anti_stick, walls, n_walls, containers, n, stream!(device))
    }
}
