//! Walls and containers answer the particles that touch them: launchers of `kernels/viscoelastic_contact.cu`.

use super::{
    launch::{Launched, Launches},
    viscoelastic::Launcher,
};
use crate::{
    barriers::Surface,
    containers::Containers,
    error::CudaError,
    executor::{Field, Kernel, Out, Points, Writable, arguments, count},
    fields::Packed,
};
use sph_core::Real;

const CONTACTS: Kernel = Kernel { file: "kernels/viscoelastic_contact.cu", name: "visco_contacts" };

/// Where contact begins, and what it does. Twin of `Contact` in kernels/viscoelastic_contact.cuh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Contact {
    /// Distance below which a particle belongs to the first layer, `[m]`.
    pub layer: f64,
    /// The step, `[s]`.
    pub dt: f64,
    /// Stickiness `dt k_stick`, `[1/s]`.
    pub stick: f64,
    /// Distance at which stickiness ends, `[m]`.
    pub stick_distance: f64,
}

/// The fluid while contacts move it: `n` particles.
#[derive(Debug)]
pub struct Touching<'a, const D: usize> {
    /// Number of particles.
    pub n: usize,
    /// Predicted positions x*. Shape `[D][n]`, `[m]`.
    pub predicted: &'a [Field<Real>; D],
    /// Where particles are: `[x y z ·]`. Shape `[n]`, `[m]`.
    pub place: &'a mut Field<Packed>,
    /// Velocities v*. Shape `[D][n]`, `[m/s]`.
    pub v: &'a mut [Field<Real>; D],
}

/// Twin of `Stream` in kernels/viscoelastic_contact.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Stream<const D: usize> {
    place: Out<Packed>,
    predicted: Points<Real, D>,
    v: Writable<D>,
}

impl<const D: usize> Launcher<'_, D> {
    pub(super) fn stream(&self, kernel: Kernel, fluid: &mut Touching<'_, D>) -> Result<Stream<D>, CudaError> {
        Ok(Stream {
            place: self.output(kernel, "place", fluid.place, fluid.n)?,
            predicted: self.points(kernel, "x", fluid.predicted, fluid.n)?,
            v: self.writable(kernel, "v", fluid.v, fluid.n)?,
        })
    }

    /// Walls answer particles in their order, then containers. A particle leaves a container with at least the speed
    /// `anti_stick`, `[m/s]`.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails.
    pub fn contacts(
        &self,
        contact: Contact,
        anti_stick: f64,
        walls: &Field<Surface<D>>,
        containers: &Containers<D>,
        mut fluid: Touching<'_, D>,
    ) -> Launched {
        let (n, n_walls) = (fluid.n, count(walls.len())?);
        let (walls, containers) = (self.executor.input(walls), containers.list(self.executor)?);
        let (stream, n_items) = (self.stream(CONTACTS, &mut fluid)?, count(n)?);
        // SAFETY: fields of the fluid have n items, and lists as many as they say.
        unsafe {
            self.start(
                CONTACTS,
                n,
                arguments![*self.constants, contact, anti_stick, walls, n_walls, containers, n_items, @fluid stream],
            )
        }
    }
}
