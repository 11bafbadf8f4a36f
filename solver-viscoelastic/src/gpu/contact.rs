//! Contacts with bodies, walls and containers on a GPU: the twin of `cpu/contact.rs`.

use super::{Gpu, Launched};
use crate::contact::{Contact, ContactSystem, Twist, react, without_contacts};
use cuda_kernels::{
    common::{
        boundary::{facets::Facets, wall_surfaces::Surface},
        numerics::reduce::PARTIALS,
        run::resident::Population,
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
    viscoelastic::{self as kernels, BodyContact, Launcher, Stream},
};
use sph_core::{
    fluid::wall_surface::WallSurface,
    method::state::State,
    numerics::lane::each,
    rigid::{Placement, Rigid},
};

/// Fields of contacts on a GPU.
#[derive(Debug)]
pub struct Contacts<const D: usize> {
    /// Surfaces of walls in their poses. Shape `[n_surfaces]`.
    surfaces: Field<Surface<D>>,
    /// What surfaces of walls and bodies point at.
    facets: Facets<D>,
    /// Sums over the contacts of a body, a measured wall or container; `None` without one.
    bodies: Option<ContactSums>,
}

impl<const D: usize> Contacts<D> {
    /// Fields for so many surfaces and bodies.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, population: &Population) -> Result<Self, CudaError> {
        let needs_sums = population.pivots + population.container_loads > 0;
        let bodies = needs_sums.then(|| ContactSums::new(executor)).transpose()?;
        let n_walls = population.surfaces.saturating_sub(population.bodies);
        Ok(Self { surfaces: executor.zeros(n_walls)?, facets: Facets::new(executor, [])?, bodies })
    }

    /// Writes the surfaces of a state.
    ///
    /// # Errors
    /// When the copy fails.
    pub fn write(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<(), CudaError> {
        self.facets = Facets::new(executor, state.walls.surfaces.iter().map(|surface| &surface.region))?;
        executor.write(&surfaces(state, state.t, &self.facets), &mut self.surfaces)
    }
}

/// The surfaces of walls, which have been moved to the time `t`, `[s]`.
fn surfaces<const D: usize>(state: &State<D>, t: f64, facets: &Facets<D>) -> Vec<Surface<D>> {
    let (walls, n_bodies) = (&state.walls, state.bodies.list.len());
    let n_walls = walls.surfaces.len().saturating_sub(n_bodies);
    let surface = |wall| Surface::placed(wall, &Placement::of_wall(wall, walls, t), facets);
    walls.surfaces[..n_walls].iter().map(surface).collect()
}

/// Contact of particles of the mass `m` `[kg]` with a body with the surface `surface`; `ahead` is the body advanced
/// without contacts.
fn body_contact<const D: usize>(
    surface: (&WallSurface<D>, &Facets<D>),
    body: &Rigid<D>,
    ahead: &Rigid<D>,
    twist: &Twist,
    m: f64,
) -> BodyContact<D> {
    let velocity = each(|a| twist.velocity[a]);
    let surface = Surface::of_body(surface, ahead, body.x, velocity, twist.angular);
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

/// Sums over the contacts of a body.
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

    /// Contacts with one body after the other, with the opposite wrench on the body.
    pub(super) fn resolve_bodies(&mut self) -> Launched {
        let (contact, device) = (self.contact(), &mut *self.device);
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        let Contacts { facets, bodies: Some(sums), .. } = &mut device.contacts else { return Ok(()) };
        let State { walls, bodies, forces, rest, .. } = &mut *self.state;
        let n_walls = bodies.first_surface(walls);
        for (rigid, surface) in bodies.list.iter_mut().zip(&walls.surfaces[n_walls..]) {
            let Some([body, ahead]) = without_contacts(rigid, forces, self.dt) else { continue };
            let (before, m) = (Twist::of(&body), f64::from(rest.m));
            let moves = body_contact((surface, &*facets), &body, &ahead, &before, m);
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
            let moves = body_contact((surface, &*facets), &body, &ahead, &after, m);
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
            react(&mut rigid.wrench, given[0].a, self.dt);
        }
        Ok(())
    }

    /// Adds the impulses that measured walls and containers are about to get from the contacts, where they are due.
    pub(super) fn add_contact_loads(&mut self) -> Launched {
        let (contact, device) = (self.contact(), &mut *self.device);
        let anti_stick = f64::from(self.method.params.anti_stick);
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        let Some(sums) = &mut device.contacts.bodies else { return Ok(()) };
        let State { walls, bodies, rest, .. } = &mut *self.state;
        let n_walls = device.contacts.surfaces.len();
        for (last, wrench) in bodies.contact_loads(&walls.surfaces[..n_walls]).filter(|_| walls.loads_due) {
            let (m, mut given) = (f64::from(rest.m), [kernels::Wrench::default()]);
            launcher.sum_contact_impulses(
                contact,
                anti_stick,
                &device.contacts.surfaces,
                n_walls,
                &device.common.containers,
                last as u32,
                m,
                device.common.fluid.n,
                stream!(device),
                &mut sums.partial_wrenches,
                &mut sums.wrench,
            )?;
            self.executor.read(&sums.wrench, &mut given)?;
            react(wrench, given[0].a, self.dt);
        }
        Ok(())
    }

    /// Brings the surfaces of moving walls to the end of the step.
    pub(super) fn place_surfaces(&mut self) -> Launched {
        if !self.state.walls.is_moving() {
            return Ok(());
        }
        let Contacts { surfaces: written, facets, .. } = &mut self.device.contacts;
        self.executor.write(&surfaces(self.state, self.end, facets), written)
    }

    /// Contacts with walls and containers.
    pub(super) fn contacts(&mut self) -> Launched {
        let (contact, device) = (self.contact(), &mut *self.device);
        let anti_stick = f64::from(self.method.params.anti_stick);
        let walls = &device.contacts.surfaces;
        if walls.is_empty() && device.common.containers.is_empty() {
            return Ok(());
        }
        let launcher = Launcher { executor: self.executor, constants: &self.constants };
        let (n_walls, containers, n) = (walls.len(), &device.common.containers, device.common.fluid.n);
        launcher.contacts(contact, anti_stick, walls, n_walls, containers, n, stream!(device))
    }
}
