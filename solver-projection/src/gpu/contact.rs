//! Contact of particles with walls: the twin of `cpu/contact.rs`.

use super::{Gpu, Launched, launcher};
use crate::physics;
use cuda_kernels::{
    common::search::neighbors::Pairs,
    projection::{Contact, Near, Walls},
};
use sph_core::rigid::Wrench;

impl<const D: usize> Gpu<'_, D> {
    /// Stops particles at walls, and sums what measured ones give to them.
    pub(super) fn stop(&mut self, dt: f64) -> Launched {
        let (executor, launcher, device) =
            (self.executor, launcher(self.executor, &self.constants), &mut *self.device);
        let (walls, bodies) = (&self.state.walls, &self.state.bodies);
        let (n, n_walls) = (device.common.fluid.n, bodies.first_surface(walls));
        let given = &mut self.method.fields.given;
        given.clear();
        if n_walls == 0 {
            return Ok(());
        }
        let physics::Contact { dt, least, pitch2 } = physics::Contact::new::<D>(dt, self.state.rest.spacing);
        let contact = Contact { dt, least, pitch2 };
        let (place, surfaces) = (&device.place, &device.surfaces);
        let is_due = walls.loads_due && !bodies.loads.is_empty();
        let (v, before) = (&mut device.common.fluid.v, is_due.then_some(&mut device.before));
        launcher.stop_at_walls(contact, near!(device), surfaces, n_walls, place, n, v, before)?;
        for wall in bodies.surfaces_of_loads(&walls.surfaces[..n_walls]).filter(|_| is_due) {
            let Some(wall) = wall else {
                given.push(Wrench::default());
                continue;
            };
            given.push(device.given.sum(executor, |partial, result| {
                let (before, wall) = (&device.before, wall as u32);
                launcher.given_by_wall(contact, surfaces, n_walls, wall, place, before, n, partial, result)
            })?);
        }
        Ok(())
    }
}
