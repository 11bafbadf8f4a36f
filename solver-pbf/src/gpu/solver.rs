//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{DeviceFields, Sizes},
};
use crate::{Params, Pbf, step};
use cuda_kernels::{
    common::{
        run::{Common, Demand, OnGpu, Parts, summary::Summary},
        search::neighbors::RowSize,
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::watched,
        report::StepReport,
        state::State,
    },
    numerics::field::Sizing,
};

impl<const D: usize> OnGpu<D> for Pbf<D> {
    type Fields = DeviceFields<D>;
    type Sizes = Sizes;
    const READS_SURFACES: bool = false;

    fn first_sizes(params: &Params) -> Sizes {
        RowSize::of_support::<D>(f64::from(params.support_ratio))
    }

    fn allocate(
        executor: &dyn Executor,
        params: &Params,
        sizes: Sizes,
        demand: Demand<'_, D>,
    ) -> Result<DeviceFields<D>, CudaError> {
        DeviceFields::new(executor, params, sizes, demand)
    }

    fn common(device: &mut DeviceFields<D>) -> &mut Common<D> {
        &mut device.common
    }

    fn shown<'a>(
        device: &'a mut DeviceFields<D>,
        name: &str,
    ) -> Option<(&'a mut Common<D>, &'a Field<Real>)> {
        (name == "lambda").then_some((&mut device.common, &device.lambda))
    }

    fn into_parts(device: DeviceFields<D>) -> (Common<D>, Parts) {
        (device.common, vec![("rows of neighbors, on the GPU", Box::new(device.rows))])
    }

    fn write(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &State<D>,
    ) -> Result<(), CudaError> {
        self.fields.resize_past(&mut Sizing::Make, state.fluid.len(), self.constants.needs.past);
        device.write(executor, state, &self.fields)
    }

    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        let (iterations, constants) = (self.params.iterations(), constants(self, state));
        let gpu = Gpu {
            pbf: self,
            executor,
            device,
            state,
            constants,
            dt: 0.0,
            per_displacement: 0.0,
            end: 0.0,
            corrections: 0,
            error: f64::INFINITY,
        };
        step::step(&mut watched(gpu, |_, _| ()), iterations, dt).map(drop)
    }

    fn learn(&mut self, device: &mut DeviceFields<D>, _: Option<&Summary>) -> Sizes {
        device.sizes()
    }

    fn report(&self, report: StepReport) -> StepReport {
        StepReport {
            residual: report.density_error_mean,
            max_acceleration: report.max_acceleration * f64::from(self.params.substeps) / report.dt,
            ..report
        }
    }

    fn read(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read(executor, &mut self.fields)
    }

    fn read_chain(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_chain(executor, &mut self.fields)
    }

    /// The failure of the first lost particle. Its origin is for the diagnosis to find, which has all fields on the host.
    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError {
        let first = summary.bad.min(summary.lost);
        let needs = self.constants.needs;
        let (i, fluid, domain) = (first as usize, &state.fluid, &state.domain);
        let finite = |x: &[Vec<Real>; D]| x.iter().flatten().all(|x| x.is_finite());
        if !(finite(&fluid.x) && finite(&fluid.v)) {
            // Phases keep the old value where the new one is not finite: this was so before the step.
            let field = if finite(&fluid.x) { "velocity" } else { "position" };
            return StepError::new(state, BEFORE, fluid.id.get(i).copied(), Cause::NotFinite { field });
        }
        if let Some(far) = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k))) {
            return StepError::new(state, "update_positions", Some(fluid.id[far]), Cause::Escaped);
        }
        let (phase, field) = match summary.bad == first {
            // The velocity before it has replaced the one that is not finite.
            true if needs.velocities || needs.surface_forces => ("apply_vorticity_and_xsph", "velocity"),
            true => ("update_velocities", "velocity"),
            false => ("predict_positions", "position"),
        };
        StepError::new(state, phase, fluid.id.get(i).copied(), Cause::NotFinite { field })
    }

    fn forget_chain(&mut self) {
        let fields = &mut self.fields;
        (fields.x_star, fields.delta) = (Vec::new(), Vec::new());
    }
}
