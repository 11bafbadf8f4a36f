//! Viscosity on a GPU, and its reaction on bodies: the twin of `cpu/viscosity.rs` and `cpu/stress.rs`.

use super::{Gpu, Launched, launcher};
use crate::{cg::Outcome, params::ViscousForm};
use cuda_kernels::{
    common::{numerics::Sets, search::neighbors::Pairs},
    device::error::CudaError,
    projection::{Near, Walls},
};
use sph_core::Real;

impl<const D: usize> Gpu<'_, D> {
    /// Implicit viscosity. Returns how its iterations ended, if one did not converge.
    pub(super) fn diffuse(&mut self, dt: Real) -> Result<Outcome, CudaError> {
        let outcome = self.diffuse_and_react(dt)?;
        let model = self.method.params.viscosity_model;
        if model == ViscousForm::Solenoidal && outcome == Outcome::Converged {
            self.add_residual()?;
        }
        Ok(outcome)
    }

    fn diffuse_and_react(&mut self, dt: Real) -> Result<Outcome, CudaError> {
        let (mu, rest) = (self.method.params.dynamic_viscosity, self.state.rest);
        let diffusion = D as Real * dt * mu / rest.rho_0;
        let central = (D as Real + 2.0) * diffusion;
        let model = self.method.params.viscosity_model;
        let outcome = match model {
            ViscousForm::Morris => self.solve_viscous(diffusion)?,
            ViscousForm::Solenoidal => self.solve_stress(central)?,
        };
        if !self.state.needs_reactions() {
            return Ok(outcome);
        }
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (v, rho, motion) = (&device.common.fluid.v, &device.common.fluid.rho, &mut device.motion);
        launcher.pack_velocities(v, rho, device.common.fluid.n, motion, &mut device.common.lost)?;
        let per_step = rest.m / dt;
        match model {
            ViscousForm::Morris => {
                react!(launcher.react_viscous(device, [&device.motion], per_step * diffusion))?;
            }
            ViscousForm::Solenoidal => {
                react!(launcher.react_central(device, [&device.motion], per_step * central))?;
            }
        }
        Ok(outcome)
    }

    /// `v ← x + r`, so that pairs have exchanged what is opposite, not to the tolerance of the iteration.
    fn add_residual(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        launcher.add_residual(&device.viscous.r, device.common.fluid.n, &mut device.common.fluid.v)
    }

    /// XSPH.
    pub(super) fn mix_velocities(&mut self, dt: Real) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, v, rho) = (device.common.fluid.n, &device.common.fluid.v, &device.common.fluid.rho);
        launcher.pack_velocities(v, rho, n, &mut device.motion, &mut device.common.lost)?;
        let (v, lost) = (&mut device.common.fluid.v, &mut device.common.lost);
        launcher.xsph(near!(device), &device.place, &device.motion, n, v, lost)?;
        if !self.state.needs_reactions() {
            return Ok(());
        }
        let factor = self.state.rest.m / dt * self.constants.xsph;
        react!(launcher.react_xsph(device, [&device.motion], factor))
    }
}
