//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{DeviceFields, Sizes},
};
use crate::{
    Viscoelastic,
    memory::Needs,
    params::{Params, RelaxMode},
    step,
};
use cuda_kernels::{
    common::{
        run::{Common, Demand, OnGpu, Parts, summary::Summary},
        search::neighbors::RowSize,
    },
    device::{error::CudaError, executor::Executor},
};
use sph_core::{
    Real,
    error::Error,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::watched,
        state::State,
    },
};

impl<const D: usize> OnGpu<D> for Viscoelastic<D> {
    type Fields = DeviceFields<D>;
    type Sizes = Sizes;
    const READS_SURFACES: bool = true;

    fn first_sizes(params: &Params) -> Sizes {
        let neighbors = RowSize::of_support::<D>(f64::from(params.support_ratio));
        Sizes { neighbors, springs: neighbors[0] }
    }

    /// Sequential Gauss-Seidel is not parallel, and the reference on the CPU.
    fn check_on_gpu(params: &Params) -> Result<(), Error> {
        if params.relax_mode != RelaxMode::Sequential {
            return Ok(());
        }
        let error = Error::invalid("solver.relax_mode", "is not parallel, and runs on the CPU only");
        let error = error.value("\"sequential\"");
        Err(error.hint("use solver.relax_mode = \"colored\", or the CPU backend"))
    }

    fn allocate(
        executor: &dyn Executor,
        params: &Params,
        sizes: Sizes,
        demand: Demand<'_, D>,
    ) -> Result<DeviceFields<D>, CudaError> {
        DeviceFields::new(executor, Needs::of(params, demand.population.pivots > 0), sizes, demand)
    }

    fn common(device: &mut DeviceFields<D>) -> &mut Common<D> {
        &mut device.common
    }

    fn into_parts(device: DeviceFields<D>) -> (Common<D>, Parts) {
        let springs = [device.springs, device.next_springs];
        let parts: Parts = vec![
            ("rows of neighbors, on the GPU", Box::new(device.rows)),
            ("springs, on the GPU", Box::new(springs)),
        ];
        (device.common, parts)
    }

    fn write(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &State<D>,
    ) -> Result<(), CudaError> {
        device.write(executor, state, &mut self.fields.springs, self.constants.h)
    }

    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        let (constants, end) = (constants(self, state, dt), state.t + dt);
        let (fields_of_step, of_step) = (&mut *device, &mut *state);
        let gpu = Gpu { method: self, executor, device: fields_of_step, state: of_step, constants, dt, end };
        step::step(&mut watched(gpu, |_, _| ()), dt)?;
        let displacement =
            device.largest_displacement(executor).map_err(|error| error.in_phase(state, "report"))?;
        self.shell.report.residual = displacement / f64::from(self.constants.h);
        Ok(())
    }

    fn learn(&mut self, device: &mut DeviceFields<D>, _: Option<&Summary>) -> Sizes {
        device.sizes()
    }

    /// The springs, which only restarts and changes need.
    fn read_rest(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_springs(executor, &mut self.fields.springs)
    }

    fn read_chain(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_chain(executor, &mut self.fields)
    }

    /// The failure of a particle on the GPU, in its density or velocity or before. The diagnosis finds its origin in
    /// the fields on the host.
    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError {
        let first = summary.bad.min(summary.lost);
        let (i, in_summary) = (first as usize, summary.bad == first);
        let (fluid, domain) = (&state.fluid, &state.domain);
        let bad = |x: &[Vec<Real>; D]| (0..fluid.len()).find(|&k| x.iter().any(|axis| !axis[k].is_finite()));
        let of = |phase, k: usize, field| {
            StepError::new(state, phase, fluid.id.get(k).copied(), Cause::NotFinite { field })
        };
        for (x, field) in [(&fluid.x, "position"), (&fluid.v, "velocity")] {
            // Phases keep the old value where a new one is not finite.
            if let Some(k) = bad(x) {
                return of(BEFORE, k, field);
            }
        }
        if let Some(owner) = self.fields.springs.first_not_finite() {
            let cause = Cause::NotFinite { field: "rest length" };
            return StepError::new(state, BEFORE, Some(owner), cause);
        }
        if let Some(far) = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k))) {
            return StepError::new(state, "update_velocities", Some(fluid.id[far]), Cause::Escaped);
        }
        let position = self.fields.position.get(i);
        match (fluid.rho[i].is_finite(), position.is_none_or(|x| x.iter().all(|x| x.is_finite()))) {
            (false, _) => of("double_density_relaxation", i, "density"),
            (_, false) => of("double_density_relaxation", i, "position"),
            _ if in_summary => of("update_velocities", i, "velocity"),
            _ => of("predict_positions", i, "position"),
        }
    }

    fn forget_chain(&mut self) {
        self.fields.position = Vec::new();
    }
}
