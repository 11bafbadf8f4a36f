//! The run of a method whose steps are done by kernels: the same for all methods.

pub mod cell_box;
pub mod entry;
mod on_gpu;
pub mod plan;
pub mod resident;
pub mod rigid;
pub mod sample;
pub mod summary;

pub use on_gpu::{Demand, OnGpu, Parts};

use crate::{
    common::{
        boundary::{containers::Containers, loads::Given},
        numerics::reduce::{NONE, Reduce},
        run::{
            cell_box::{CellBoxFit, Content, Frame},
            resident::{Fluid, Population, Samples},
            rigid::RigidSets,
            sample::Sampler,
            summary::{Judged, Summaries, Summary},
        },
        search::cells::CellGrid,
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real, compiled_here,
    error::Error,
    method::{
        failure::{Cause, StepError},
        report::StepReport,
        sample::{Picked, Wanted},
        solver::{Memory, Solver},
        state::State,
        stopwatch::{Clock, Stopwatch},
    },
    numerics::lane::Isa,
    run::{
        method::{CellBox, Method},
        simulation::Simulation,
    },
    scene::{Parameters as _, Scene},
};
use std::{mem::take, sync::Arc};

/// What a run of any method holds on the device.
#[derive(Debug)]
pub struct Common<const D: usize> {
    /// The particles.
    pub fluid: Fluid<D>,
    /// The samples of walls and bodies.
    pub walls: Samples<D>,
    /// Their rigid sets, and forces on those of dynamic bodies.
    pub rigid: RigidSets<D>,
    /// What particles are kept in.
    pub containers: Containers<D>,
    /// What the fluid does to those on which the force is measured.
    pub container_loads: Given<D>,
    /// Squared speeds after the step. Shape `[n]`, `[m²/s²]`.
    pub v2: Field<Real>,
    /// Largest squared changes of velocity in the step, or squared accelerations. Shape `[n]`.
    pub gain2: Field<Real>,
    /// Not 0 for particles that a phase of the step has lost or found unhealthy. Shape `[n]`.
    pub lost: Field<u32>,
    /// Reductions over particles and samples.
    pub reduce: Reduce<D>,
    summaries: Summaries,
    /// True once samples are in the order of their cells.
    pub walls_sorted: bool,
    /// True while the records of the walls hold what a step would write again.
    pub walls_packed: bool,
}

impl<const D: usize> Common<D> {
    /// Buffers for so many points in these cells.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(
        executor: &dyn Executor,
        grid: CellGrid<D>,
        population: &Population,
    ) -> Result<Self, CudaError> {
        compiled_here!(
            D,
            Common::allocated as fn(&dyn Executor, CellGrid<D>, &Population) -> Result<Common<D>, CudaError>
        )(executor, grid, population)
    }

    fn allocated(
        executor: &dyn Executor,
        grid: CellGrid<D>,
        population: &Population,
    ) -> Result<Self, CudaError> {
        let n = population.fluid;
        Ok(Self {
            fluid: Fluid::new(executor, grid, n)?,
            walls: Samples::new(executor, grid, population.walls)?,
            rigid: RigidSets::new(executor, population)?,
            containers: Containers::new(executor, &[])?,
            container_loads: Given::new(executor, population.container_loads > 0)?,
            v2: executor.zeros(n)?,
            gain2: executor.zeros(n)?,
            lost: executor.zeros(n)?,
            reduce: Reduce::new(executor)?,
            summaries: Summaries::new(executor)?,
            walls_sorted: false,
            walls_packed: false,
        })
    }

    /// Takes a state of as many points.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    pub fn write(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<(), CudaError> {
        compiled_here!(
            D,
            Common::copy_in as fn(&mut Common<D>, &dyn Executor, &State<D>) -> Result<(), CudaError>
        )(self, executor, state)
    }

    fn copy_in(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<(), CudaError> {
        self.fluid.write(executor, &state.fluid)?;
        self.walls.write(executor, &state.walls)?;
        self.rigid.write(executor, state)?;
        self.containers = Containers::new(executor, &state.containers)?;
        Ok(())
    }
}

/// The run of a method on a GPU, or wherever else kernels run.
///
/// The state that it is handed is that of the last [`Solver::fetch`]: steps go on with what is on the device. Whatever
/// changes the state in between, says so by the methods of [`Solver`]; the next step then takes all from there again.
pub struct GpuRun<const D: usize, M: OnGpu<D>> {
    method: M,
    executor: Arc<dyn Executor>,
    /// `None` while the state is ahead of the device.
    device: Option<M::Fields>,
    /// For samples of what the device holds, from the first on; `None` after an upload.
    sampler: Option<Sampler<D>>,
    /// Memory that rows have needed so far.
    sizes: M::Sizes,
    /// True while the state is what the device holds.
    is_on_host: bool,
    /// True while [`OnGpu::read_rest`] has nothing to copy.
    rest_is_on_host: bool,
    /// What the next step fails with, where something could not be copied to the host.
    failed: Option<CudaError>,
}

/// A run of the scene with a method whose steps run on `executor`.
///
/// # Errors
/// When the scene or the solver's parameters are refused.
pub fn simulation<const D: usize, M: OnGpu<D>>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let (state, method) = M::of_scene(scene, Isa::best(), clock)?;
    let sizes = M::first_sizes(method.params());
    M::check_on_gpu(method.params()).map_err(|error| scene.locate(error))?;
    let run = GpuRun {
        method,
        executor,
        device: None,
        sampler: None,
        sizes,
        is_on_host: true,
        rest_is_on_host: true,
        failed: None,
    };
    Simulation::new(scene, state, Box::new(run))
}

impl<const D: usize, M: OnGpu<D>> GpuRun<D, M> {
    /// Takes the state to the device.
    fn upload(&mut self, state: &State<D>) -> Result<M::Fields, CudaError> {
        let (executor, method) = (&*self.executor, &mut self.method);
        let edge = Method::support_radius(method) * M::cell_over_support(executor);
        let demand = Demand {
            population: &Population::of(state),
            grid: CellBoxFit(&mut method.shell_mut().cells).grid(edge, state)?,
            spacing: state.rest.spacing,
            bounded: state.containers.is_empty(),
        };
        self.sampler = None;
        let mut device = M::allocate(executor, method.params(), self.sizes, demand)?;
        method.write(executor, &mut device, state)?;
        Ok(device)
    }

    /// Copies the rest to the host.
    fn fetch_rest(&mut self) {
        let (false, Some(device)) = (self.rest_is_on_host, &self.device) else { return };
        self.failed = self.method.read_rest(&*self.executor, device).err();
        self.rest_is_on_host = true;
    }

    /// The state is ahead of the device from now on.
    fn forget(&mut self) {
        self.fetch_rest();
        self.device = None;
    }

    /// The step on the device, and what it is judged by.
    fn step_on(
        &mut self,
        device: &mut M::Fields,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<Summary, StepError> {
        let executor = &*self.executor;
        self.method.shell_mut().report = StepReport::default();
        let Common { lost, gain2, rigid, .. } = M::common(device);
        let cleared = executor.clear(lost).and_then(|()| executor.clear(gain2));
        let begun = cleared.and_then(|()| rigid.follow(executor, state));
        begun.map_err(|error| error.in_phase(state, "clear"))?;
        OnGpu::step(&mut self.method, executor, device, state, dt)?;
        let summary = summarize(&mut self.method, executor, device, state);
        self.method.shell_mut().stopwatch.lap("report");
        summary.map_err(|error| error.in_phase(state, "report"))
    }

    /// What a healthy step of `dt` `[s]` did to `n` particles.
    fn report(&mut self, summary: &Summary, n: usize, dt: f64) -> StepReport {
        let shell = self.method.shell_mut();
        let report = summary.report(n, StepReport { dt, ..shell.report });
        shell.max_speed = report.max_speed;
        OnGpu::report(&self.method, report)
    }

    /// Copies to the host what samples read of what the device holds.
    fn pick_from(
        &mut self,
        device: &mut M::Fields,
        state: &mut State<D>,
        wanted: &Wanted<D>,
    ) -> Result<Picked<D>, CudaError> {
        let executor = &*self.executor;
        let mut sampler = match self.sampler.take().filter(|sampler| sampler.is_of(&wanted.marks)) {
            Some(sampler) => sampler,
            None => Sampler::new(executor, M::common(device).fluid.n, &wanted.marks)?,
        };
        let picked = sampler.pick::<M>(executor, device, state, wanted);
        self.sampler = Some(sampler);
        picked
    }

    /// Copies to the host all that shows what was wrong.
    fn fetch_all(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        self.fetch(state)?;
        let Some(device) = &self.device else { return Ok(()) };
        let read = self.method.read_chain(&*self.executor, device);
        read.map_err(|error| error.in_phase(state, "fetch"))?;
        self.fetch_rest();
        Ok(())
    }
}

/// The summary of a step; the box of cells follows its content.
fn summarize<const D: usize, M: OnGpu<D>>(
    method: &mut M,
    executor: &dyn Executor,
    device: &mut M::Fields,
    state: &State<D>,
) -> Result<Summary, CudaError> {
    let Common { fluid, walls, v2, gain2, lost, reduce, summaries, walls_packed, .. } = M::common(device);
    let cells = [&fluid.cells, &walls.cells];
    let judged = Judged { rho: &fluid.rho, rho_0: state.rest.rho_0, v2, a2: gain2, lost, cells };
    let summary = summaries.of(executor, &judged, fluid.n)?;
    let radius = Method::support_radius(method) * M::cell_over_support(executor);
    let frame = Frame { radius, domain: &state.domain };
    let mut fit = CellBoxFit(&mut method.shell_mut().cells);
    if fit.follow(executor, frame, Content { fluid, walls, reduce }, &summary)? {
        *walls_packed = false;
        M::refit(executor, device)?;
    }
    Ok(summary)
}

/// Copies to the host what a run shows and remembers.
fn read<const D: usize, M: OnGpu<D>>(
    method: &mut M,
    executor: &dyn Executor,
    device: &mut M::Fields,
    state: &mut State<D>,
) -> Result<(), CudaError> {
    let Common { fluid, walls, walls_sorted, .. } = M::common(device);
    fluid.read(executor, &mut state.fluid)?;
    if *walls_sorted {
        walls.read(executor, &mut state.walls)?;
    }
    state.bodies.update_samples(&mut state.walls);
    method.read(executor, device)
}

impl<const D: usize, M: OnGpu<D>> Solver<D> for GpuRun<D, M> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        if let Some(error) = self.failed.take() {
            return Err(error.in_phase(state, "fetch"));
        }
        let mut device = match self.device.take() {
            Some(device) => device,
            None => self.upload(state).map_err(|error| error.in_phase(state, "upload"))?,
        };
        (self.is_on_host, self.rest_is_on_host) = (false, false);
        let summary = self.step_on(&mut device, state, dt);
        self.sizes = self.method.learn(&mut device, summary.as_ref().ok());
        self.device = Some(device);
        match summary {
            Ok(summary) if summary.bad.min(summary.lost) == u64::from(NONE) => {
                Ok(self.report(&summary, state.fluid.len(), dt))
            }
            Ok(summary) => {
                self.fetch_all(state)?;
                Err(self.method.blame(state, &summary))
            }
            // NaN in the system also ends the iteration without convergence.
            Err(error) if matches!(error.cause, Cause::NotConverged(_)) => {
                self.fetch_all(state)?;
                Err(self.method.explain(state).unwrap_or(error))
            }
            Err(error) => Err(error),
        }
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        let (false, Some(device)) = (self.is_on_host, &mut self.device) else { return Ok(()) };
        let read = read(&mut self.method, &*self.executor, device, state);
        read.map_err(|error| error.in_phase(state, "fetch"))?;
        self.is_on_host = true;
        Ok(())
    }

    fn pick(&mut self, state: &mut State<D>, wanted: &Wanted<D>) -> Result<Option<Picked<D>>, StepError> {
        if self.is_on_host || wanted.everything {
            return self.fetch(state).map(|()| None);
        }
        let Some(mut device) = self.device.take() else { return Ok(None) };
        let picked = self.pick_from(&mut device, state, wanted);
        self.device = Some(device);
        picked.map(Some).map_err(|error| error.in_phase(state, "fetch"))
    }

    fn velocities_changed(&mut self) {
        self.forget();
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.fetch_rest();
        Method::memory(&mut self.method, visit);
        self.method.shell_mut().memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.forget();
        Solver::fluid_changed(&mut self.method);
    }

    fn walls_changed(&mut self) {
        self.forget();
        self.method.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        let params = self.method.params().changed(name, value)?;
        self.method.check_change(&params)?;
        M::check_on_gpu(&params)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.check_parameter(name, value)?;
        self.forget();
        self.method.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        let cells: CellBox<D> = take(&mut self.method.shell_mut().cells);
        Solver::restored(&mut self.method, state);
        self.method.shell_mut().cells = cells;
        // An earlier failure does not concern the new state.
        self.method.forget_chain();
        (self.device, self.is_on_host, self.rest_is_on_host) = (None, true, true);
    }

    sph_core::left_to_the_method!();

    fn residuals(&self) -> &[f64] {
        Method::residuals(&self.method)
    }

    fn stopwatch(&self) -> &Stopwatch {
        &self.method.shell().stopwatch
    }

    fn reset_stopwatch(&mut self) {
        self.method.reset_stopwatch();
    }
}
