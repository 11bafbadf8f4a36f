//! Where a step brings particles: the twin of `cpu/motion.rs`.

use super::{Gpu, Launched, launcher};
use cuda_kernels::{
    common::run::Common,
    projection::{Drift, Shift},
};
use sph_core::Real;

impl<const D: usize> Gpu<'_, D> {
    /// Brings particles to the end of the step, inside of the containers.
    pub(super) fn drift(&mut self, dt: Real, damping: Real) -> Launched {
        let (executor, launcher, device) =
            (self.executor, launcher(self.executor, &self.constants), &mut *self.device);
        let Common { fluid, containers, container_loads, reduce, v2, lost, .. } = &mut device.common;
        let n = fluid.n;
        if self.constants.shift > 0.0 {
            reduce.max_norms2(executor, &fluid.v, n, &mut device.number)?;
        }
        let shift = Shift { moments: &device.moments, region: &device.surface_region, v2: &device.number };
        let drift = Drift { shift, dt, damping };
        container_loads.add(executor, self.state, f64::from(dt), |last, partial, result| {
            launcher.given_by_container(containers, last, drift, n, &fluid.x, &fluid.v, partial, result)
        })?;
        launcher.drift(containers, drift, n, &mut fluid.x, &mut fluid.v, v2, lost)
    }
}
