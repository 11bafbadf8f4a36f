//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{Demand, DeviceFields},
};
use crate::{Wcsph, setup, step};
use cuda_kernels::{
    common::{
        numerics::reduce,
        run::{
            Common, GpuRun, Method,
            resident::{Population, read, read_axes},
            room::Room,
            summary::Summary,
        },
    },
    device::{compile::variant::Walk, error::CudaError, executor::Executor},
};
use sph_core::{
    Real,
    error::Error,
    kernel::Kernel as _,
    method::{
        failure::{Cause, StepError},
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

/// Weakly compressible SPH on a GPU.
struct OnGpu<const D: usize> {
    /// Parameters, constants, and the fields of the last copy to the host.
    method: Wcsph<D>,
    walk: Walk,
}

impl<const D: usize> Method<D> for OnGpu<D> {
    type Cpu = Wcsph<D>;
    type Fields = DeviceFields<D>;

    fn cpu(&self) -> &Wcsph<D> {
        &self.method
    }

    fn cpu_mut(&mut self) -> &mut Wcsph<D> {
        &mut self.method
    }

    fn room(&mut self) -> (&mut Room<D>, Real) {
        let edge = self.method.kernel.support_radius() * self.walk.edge();
        (&mut self.method.fields.room, edge)
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
        let (room, edge) = self.room();
        let grid = room.grid(edge, state)?;
        let Wcsph { fields, constants, kernel, .. } = &self.method;
        let demand = Demand {
            grid,
            radius: kernel.support_radius(),
            needs: constants.needs,
            spacing: state.rest.spacing,
            // Containers bring particles back from wherever they are.
            bounded: state.containers.is_empty(),
        };
        let mut device = DeviceFields::new(executor, &Population::of(state), demand)?;
        device.write(executor, state, [&fields.a, &fields.w])?;
        Ok(device)
    }

    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        let (integrator, constants) = (self.method.params.integrator, constants(&self.method, state));
        let gpu = Gpu { wcsph: &mut self.method, executor, device, state, constants, dt };
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
        let fields = &mut self.method.fields;
        (fields.max_speed, fields.max_acceleration) = (summary.v2.sqrt(), summary.a2.sqrt());
    }

    fn report(&mut self, summary: &Summary, n: usize, dt: f64) -> StepReport {
        summary.report(n, StepReport { dt, ..StepReport::default() })
    }

    fn read(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        let fields = &mut self.method.fields;
        read_axes(executor, &device.a, &mut fields.a)?;
        read_axes(executor, &device.w, &mut fields.w)?;
        read(executor, &device.p, &mut fields.p)
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

/// A run of the scene with weakly compressible SPH whose steps run on `executor`, in two or three dimensions.
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
    let walk = executor.variant().walk;
    Simulation::new(scene, state, Box::new(GpuRun::new(OnGpu { method, walk }, executor)))
}
