//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{DeviceFields, Sizes},
};
use crate::{Params, Viscoelastic, params::RelaxMode, setup, step};
use cuda_kernels::{
    common::run::{Common, GpuRun, Method, resident::Population, room::Room, summary::Summary},
    device::{error::CudaError, executor::Executor},
};
use sph_core::{
    Real,
    error::Error,
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

/// Refuses sequential Gauss-Seidel: it is not parallel, and the reference on the CPU.
///
/// # Errors
/// With `relax_mode = "sequential"`.
pub fn check_mode(params: &Params) -> Result<(), Error> {
    if params.relax_mode != RelaxMode::Sequential {
        return Ok(());
    }
    let error = Error::invalid("solver.relax_mode", "is not parallel, and runs on the CPU only");
    let error = error.value("\"sequential\"");
    Err(error.hint("use solver.relax_mode = \"colored\", or the CPU backend"))
}

/// The viscoelastic fluid on a GPU.
struct OnGpu<const D: usize> {
    /// Parameters, constants, and the fields of the last copy to the host.
    method: Viscoelastic<D>,
    /// Capacities that rows have needed so far.
    sizes: Sizes,
}

impl<const D: usize> Method<D> for OnGpu<D> {
    type Cpu = Viscoelastic<D>;
    type Fields = DeviceFields<D>;

    fn cpu(&self) -> &Viscoelastic<D> {
        &self.method
    }

    fn cpu_mut(&mut self) -> &mut Viscoelastic<D> {
        &mut self.method
    }

    fn room(&mut self) -> (&mut Room<D>, Real) {
        (&mut self.method.fields.room, self.method.constants.h)
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
        let h = self.method.constants.h;
        let of_method = (self.method.fields.room.grid(h, state)?, self.method.constants.needs);
        let mut device = DeviceFields::new(executor, &Population::of(state), of_method, self.sizes)?;
        device.write(executor, state, &mut self.method.fields.springs, h)?;
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
        executor.clear(&mut device.common.lost).map_err(|error| error.in_phase(state, "clear"))?;
        let (constants, end) = (constants(&self.method, state, dt), state.t + dt);
        let (method, fields_of_step, of_step) = (&mut self.method, &mut *device, &mut *state);
        let gpu = Gpu { method, executor, device: fields_of_step, state: of_step, constants, dt, end };
        step::step(&mut watched(gpu, |_, _| ()), dt)?;
        let displacement =
            device.largest_displacement(executor).map_err(|error| error.in_phase(state, "report"))?;
        self.method.fields.report.residual = displacement / f64::from(self.method.constants.h);
        Ok(())
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

    /// Nothing but particles and walls.
    fn read(&mut self, _: &dyn Executor, _: &DeviceFields<D>) -> Result<(), CudaError> {
        Ok(())
    }

    /// The springs, which only restarts and changes need.
    fn read_rest(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_springs(executor, &mut self.method.fields.springs)
    }

    fn read_chain(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_chain(executor, &mut self.method.fields)
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
        if let Some(owner) = self.method.fields.springs.first_not_finite() {
            let cause = Cause::NotFinite { field: "rest length" };
            return StepError::new(state, BEFORE, Some(owner), cause);
        }
        if let Some(far) = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k))) {
            return StepError::new(state, "update_velocities", Some(fluid.id[far]), Cause::Escaped);
        }
        let position = self.method.fields.position.get(i);
        match (fluid.rho[i].is_finite(), position.is_none_or(|x| x.iter().all(|x| x.is_finite()))) {
            (false, _) => of("double_density_relaxation", i, "density"),
            (_, false) => of("double_density_relaxation", i, "position"),
            _ if in_summary => of("update_velocities", i, "velocity"),
            _ => of("predict_positions", i, "position"),
        }
    }

    fn forget_chain(&mut self) {
        self.method.fields.position = Vec::new();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        let params = self.method.changed(name, value)?;
        check_mode(&params)
    }
}

/// A run of the scene with the viscoelastic fluid whose steps run on `executor`, in two or three dimensions.
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
    check_mode(&method.params).map_err(|error| scene.locate(error))?;
    let sizes = Sizes::of_lattice::<D>(f64::from(method.params.support_ratio));
    Simulation::new(scene, state, Box::new(GpuRun::new(OnGpu { method, sizes }, executor)))
}
