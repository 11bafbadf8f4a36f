//! The free surface and its Dirichlet terms: the twin of `cpu/surface.rs`.

use super::{Gpu, Launched, launcher};
use cuda_kernels::{
    common::search::neighbors::Pairs,
    device::error::CudaError,
    projection::{Near, Walls},
};
use sph_core::{Real, method::solids::Flow};

impl<const D: usize> Gpu<'_, D> {
    /// The free surface, its Dirichlet terms and the sum of them, and the diagonal.
    pub(super) fn find_surface(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, dirichlet, diagonal) =
            (device.common.fluid.n, &mut device.dirichlet, &mut device.vectors.diagonal);
        let motion = &mut device.motion;
        launcher.detect_surface(&device.sums, &device.moments, n, motion, dirichlet, diagonal)?;
        if self.method.flow == Flow::FreeSurface && self.method.constants.needs.surface_region {
            let (near, place, moments) = (near!(device), &device.place, &device.moments);
            launcher.find_surface_region(
                near,
                place,
                motion,
                moments,
                n,
                &mut device.surface_region,
                dirichlet,
                diagonal,
            )?;
        }
        device.common.reduce.sum(self.executor, &device.dirichlet, n, &mut device.dirichlet_sum)
    }

    /// Adds the Dirichlet terms of particles that the pressure accelerates into voids. False if there are none.
    pub(super) fn open(&mut self, dt: Real) -> Result<bool, CudaError> {
        let factor = D as Real * dt / self.state.rest.rho_0;
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, dirichlet, diagonal) =
            (device.common.fluid.n, &mut device.dirichlet, &mut device.vectors.diagonal);
        let (place, motion, p) = (&device.place, &device.motion, &device.p);
        let (mut before, mut after) = ([0.0], [0.0]);
        self.executor.read(&device.dirichlet_sum, &mut before)?;
        launcher.open_voids(near!(device), place, motion, p, factor, n, dirichlet, diagonal)?;
        device.common.reduce.sum(self.executor, dirichlet, n, &mut device.dirichlet_sum)?;
        self.executor.read(&device.dirichlet_sum, &mut after)?;
        Ok(after > before)
    }
}
