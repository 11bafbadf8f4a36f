//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{Demand, DeviceFields, Sizes, first_sizes},
};
use crate::{Pbf, setup, step};
use cuda_kernels::{
    common::run::{Common, GpuRun, Method, resident::Population, room::Room, summary::Summary},
    device::{error::CudaError, executor::Executor},
};
use sph_core::{
    Real,
    error::Error,
    kernel::Kernel as _,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::watched,
        report::StepReport,
        solver::Memory,
        state::State,
        stopwatch::{Clock, Stopwatch},
    },
    numerics::lane::Isa,
    run::simulation::Simulation,
    scene::Scene,
};
use std::sync::Arc;

/// Position Based Fluids on a GPU.
struct OnGpu<const D: usize> {
    /// Parameters, constants, and the fields of the last copy to the host.
    method: Pbf<D>,
    /// Memory that rows have needed so far.
    sizes: Sizes,
}

impl<const D: usize> Method<D> for OnGpu<D> {
    type Cpu = Pbf<D>;
    type Fields = DeviceFields<D>;

    fn cpu(&self) -> &Pbf<D> {
        &self.method
    }

    fn cpu_mut(&mut self) -> &mut Pbf<D> {
        &mut self.method
    }

    fn room(&mut self) -> (&mut Room<D>, Real) {
        (&mut self.method.fields.room, self.method.kernel.support_radius())
    }

    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.stopwatch
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.method.fields.memory(visit);
    }

    fn common(device: &mut DeviceFields<D>) -> &mut Common<D> {
        &mut device.common
    }

    fn upload(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<DeviceFields<D>, CudaError> {
        let needs = self.method.constants.needs;
        self.method.fields.resize_past(state.fluid.len(), needs.past);
        let grid = self.method.fields.room.grid(self.method.kernel.support_radius(), state)?;
        let demand = Demand { grid, needs, sizes: self.sizes };
        let mut device = DeviceFields::new(executor, &Population::of(state), demand)?;
        device.write(executor, state, &self.method.fields)?;
        Ok(device)
    }

    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.method.fields.report = StepReport::default();
        let cleared =
            executor.clear(&mut device.common.lost).and_then(|()| executor.clear(&mut device.common.gain2));
        cleared.map_err(|error| error.in_phase(state, "clear"))?;
        let (iterations, constants) = (self.method.params.iterations(), constants(&self.method, state));
        let gpu = Gpu {
            pbf: &mut self.method,
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

    fn learn(&mut self, device: &mut DeviceFields<D>, _: Option<&Summary>) {
        self.sizes = device.sizes();
    }

    fn report(&mut self, summary: &Summary, n: usize, dt: f64) -> StepReport {
        let fields = &mut self.method.fields;
        let report = summary.report(n, StepReport { dt, ..fields.report });
        fields.max_speed = report.max_speed;
        StepReport {
            residual: report.density_error_mean,
            max_acceleration: report.max_acceleration * f64::from(self.method.params.substeps) / dt,
            ..report
        }
    }

    fn read(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read(executor, &mut self.method.fields)
    }

    fn read_chain(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_chain(executor, &mut self.method.fields)
    }

    /// The failure of the first lost particle. Its origin is for the diagnosis to find, which has all fields on the host.
    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError {
        let first = summary.bad.min(summary.lost);
        let needs = self.method.constants.needs;
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
        let fields = &mut self.method.fields;
        (fields.x_star, fields.delta) = (Vec::new(), Vec::new());
    }
}

/// A run of the scene with Position Based Fluids whose steps run on `executor`, in two or three dimensions.
///
/// # Errors
/// When the scene or the solver's parameters are refused.
pub fn simulation<const D: usize>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let input = (executor, clock);
    Simulation::of_dimension(input, |input| in_2d(scene, input), |input| in_3d(scene, input))
}

type Input = (Arc<dyn Executor>, Box<dyn Clock>);

fn in_2d(scene: &Scene, input: Input) -> Result<Simulation<2>, Error> {
    build(scene, input)
}

fn in_3d(scene: &Scene, input: Input) -> Result<Simulation<3>, Error> {
    build(scene, input)
}

fn build<const D: usize>(scene: &Scene, (executor, clock): Input) -> Result<Simulation<D>, Error> {
    let (state, method) = setup::method::<D>(scene, Isa::best(), clock)?;
    let sizes = first_sizes::<D>(f64::from(method.params.support_ratio));
    Simulation::new(scene, state, Box::new(GpuRun::new(OnGpu { method, sizes }, executor)))
}
