//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{DeviceFields, Sizes, first_aggregates, first_sizes},
};
use crate::{Projection, setup, step};
use cuda_kernels::{
    common::run::{Common, GpuRun, Method, resident::Population, room::Room, summary::Summary},
    device::{error::CudaError, executor::Executor},
};
use sph_core::{
    Real,
    error::Error,
    kernel::Kernel,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::watched,
        report::StepReport,
        solver::Memory,
        state::State,
        stopwatch::{Clock, Stopwatch},
    },
    numerics::{field::fit, lane::Isa},
    run::simulation::Simulation,
    scene::Scene,
};
use std::sync::Arc;

/// The staggered projection on a GPU.
struct OnGpu<const D: usize> {
    /// Parameters, constants, and the fields of the last copy to the host.
    method: Projection<D>,
    /// Memory that rows have needed so far.
    sizes: Sizes,
}

impl<const D: usize> Method<D> for OnGpu<D> {
    type Cpu = Projection<D>;
    type Fields = DeviceFields<D>;

    fn cpu(&self) -> &Projection<D> {
        &self.method
    }

    fn cpu_mut(&mut self) -> &mut Projection<D> {
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
        let grid = self.method.fields.room.grid(self.method.kernel.support_radius(), state)?;
        let of_method = (grid, self.method.constants.needs);
        fit(&mut self.method.fields.p, state.fluid.len(), 0.0);
        let n_aggregates = first_aggregates::<D>(&self.method.params, state.fluid.len());
        let population = Population::of(state);
        let mut device = DeviceFields::new(executor, &population, of_method, self.sizes, n_aggregates)?;
        device.write(executor, state, &self.method.fields.p)?;
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
        let (constants, end) = (constants(&self.method, state), state.t);
        let gpu = Gpu { method: &mut self.method, executor, device, state, constants, end, source_part: 1.0 };
        step::step(&mut watched(gpu, |_, _| ()), dt).map(drop)
    }

    fn refit(executor: &dyn Executor, device: &mut DeviceFields<D>) -> Result<(), CudaError> {
        let DeviceFields { levels, common, .. } = device;
        levels.as_mut().map_or(Ok(()), |levels| levels.refit(executor, common.fluid.cells.grid()))
    }

    fn learn(&mut self, device: &mut DeviceFields<D>, _: Option<&Summary>) {
        self.sizes = device.sizes();
    }

    fn report(&mut self, summary: &Summary, n: usize, dt: f64) -> StepReport {
        let fields = &mut self.method.fields;
        let report = summary.report(n, StepReport { dt, ..fields.report });
        fields.max_speed = report.max_speed;
        StepReport { max_acceleration: report.max_acceleration / dt, ..report }
    }

    fn read(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read(executor, &mut self.method.fields)
    }

    fn read_chain(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_chain(executor, &mut self.method.fields)
    }

    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError {
        let first = summary.bad.min(summary.lost);
        let (phase, field) = match summary.bad == first {
            true => ("correct_velocities", "velocity"),
            false => ("update_positions", "position"),
        };
        let id = state.fluid.id.get(first as usize).copied();
        self.explain(state).unwrap_or_else(|| StepError::new(state, phase, id, Cause::NotFinite { field }))
    }

    /// The first failure that shows in the fields of the GPU, in the order of cause and effect.
    fn explain(&mut self, state: &State<D>) -> Option<StepError> {
        let (fluid, domain, fields) = (&state.fluid, &state.domain, &self.method.fields);
        let of = |phase, k: usize, field| {
            StepError::new(state, phase, fluid.id.get(k).copied(), Cause::NotFinite { field })
        };
        let bad = |x: &[Real]| x.iter().position(|x| !x.is_finite());
        for (x, field) in [(&fluid.x, "position"), (&fluid.v, "velocity")] {
            // Phases leave what was there where something new is not finite.
            if let Some(k) = x.iter().filter_map(|axis| bad(axis)).min() {
                return Some(of(BEFORE, k, field));
            }
        }
        let moments = fields.moments.iter().position(|moments| !moments.is_finite());
        let chain = [
            ("compute_alpha", moments, "density"),
            ("compute_alpha", bad(&fluid.rho), "density"),
            ("build_right_hand_side", bad(&fields.equation.b), "right-hand side"),
            ("solve_pressure", bad(&fields.p), "pressure"),
        ];
        for (phase, found, field) in chain {
            if let Some(k) = found {
                return Some(of(phase, k, field));
            }
        }
        let far = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k)))?;
        Some(StepError::new(state, "update_positions", Some(fluid.id[far]), Cause::Escaped))
    }

    fn forget_chain(&mut self) {
        let fields = &mut self.method.fields;
        (fields.moments, fields.sums, fields.equation.b) = (Vec::new(), Vec::new(), Vec::new());
    }
}

/// A run of the scene with the staggered projection whose steps run on `executor`, in two or three dimensions.
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
