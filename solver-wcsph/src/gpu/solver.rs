//! The method whose steps run on a GPU.

use super::{Gpu, constants::constants, memory::DeviceFields};
use crate::{Params, Wcsph, step};
use cuda_kernels::{
    common::{
        numerics::reduce,
        run::{
            Common, Demand, OnGpu, Parts,
            resident::{read, read_axes},
            summary::Summary,
        },
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real,
    method::{
        failure::{Cause, StepError},
        phases::watched,
        report::StepReport,
        state::State,
    },
};

impl<const D: usize> OnGpu<D> for Wcsph<D> {
    type Fields = DeviceFields<D>;
    type Sizes = ();
    const READS_SURFACES: bool = false;

    fn first_sizes(_: &Params) {}

    fn cell_over_support(executor: &dyn Executor) -> Real {
        executor.variant().walk.edge()
    }

    fn allocate(
        executor: &dyn Executor,
        params: &Params,
        (): (),
        demand: Demand<'_, D>,
    ) -> Result<DeviceFields<D>, CudaError> {
        DeviceFields::new(executor, params, demand)
    }

    fn common(device: &mut DeviceFields<D>) -> &mut Common<D> {
        &mut device.common
    }

    fn shown<'a>(
        device: &'a mut DeviceFields<D>,
        name: &str,
    ) -> Option<(&'a mut Common<D>, &'a Field<Real>)> {
        (name == "pressure").then_some((&mut device.common, &device.p))
    }

    fn into_parts(device: DeviceFields<D>) -> (Common<D>, Parts) {
        (device.common, Parts::new())
    }

    fn write(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &State<D>,
    ) -> Result<(), CudaError> {
        device.write(executor, state, [&self.fields.a, &self.fields.w])
    }

    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        let (integrator, constants) = (self.params.integrator, constants(self, state));
        let gpu = Gpu { wcsph: self, executor, device, state, constants };
        step::step(&mut watched(gpu, |_, _| ()), integrator, dt).map(drop)
    }

    /// Rows that are kept want the particles in the order of other cells.
    fn refit(_: &dyn Executor, device: &mut DeviceFields<D>) -> Result<(), CudaError> {
        device.kept.iter_mut().for_each(|kept| kept.travel.end());
        Ok(())
    }

    fn learn(&mut self, device: &mut DeviceFields<D>, summary: Option<&Summary>) {
        let Some(summary) = summary else { return };
        device.kept.iter_mut().for_each(|kept| kept.travel.learn(summary));
        self.fields.max_acceleration = summary.a2.sqrt();
    }

    /// Accelerations are known themselves.
    fn report(&self, report: StepReport) -> StepReport {
        report
    }

    fn read(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        read_axes(executor, &device.a, &mut self.fields.a)?;
        read_axes(executor, &device.w, &mut self.fields.w)?;
        read(executor, &device.p, &mut self.fields.p)
    }

    /// A failure of the particle at an index on the GPU. The diagnosis finds its origin from all fields on the host.
    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError {
        let (index, phase, cause) = match summary.bad != u64::from(reduce::NONE) {
            true => (summary.bad, "kick", Cause::NotFinite { field: "velocity" }),
            false => (summary.lost, "drift", Cause::Escaped),
        };
        StepError::new(state, phase, state.fluid.id.get(index as usize).copied(), cause)
    }
}
