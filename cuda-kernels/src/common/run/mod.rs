//! The run of a method whose steps are done by kernels: the same for all methods.

pub mod plan;
pub mod resident;
pub mod rigid;
pub mod room;
pub mod summary;

use crate::{
    common::{
        boundary::containers::Containers,
        numerics::reduce::{NONE, Reduce},
        run::{
            resident::{Fluid, Population, Samples},
            rigid::RigidSets,
            room::{Content, Frame, Room},
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
    Real,
    error::Error,
    method::{
        failure::{Cause, StepError},
        report::{Derived, FieldInfo, StepReport},
        solver::{Link, Memory, Solver},
        state::State,
        stopwatch::Stopwatch,
    },
    neighbors::Neighbors,
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
    /// Room for so many points in these cells.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(
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
        self.fluid.write(executor, &state.fluid)?;
        self.walls.write(executor, &state.walls)?;
        self.rigid.write(executor, &state.walls)?;
        self.containers = Containers::new(executor, &state.containers)?;
        Ok(())
    }
}

/// A method as its steps run on a GPU: its twin on the CPU, and what differs from other methods.
pub trait Method<const D: usize>: Send + 'static {
    /// Parameters, constants, and the fields of the last copy to the host.
    type Cpu: Solver<D>;
    /// What a run holds on the device.
    type Fields: Send;

    /// The twin on the CPU.
    fn cpu(&self) -> &Self::Cpu;

    /// The same, to be changed.
    fn cpu_mut(&mut self) -> &mut Self::Cpu;

    /// The box of cells of the run, and the edge of its cells, `[m]`.
    fn room(&mut self) -> (&mut Room<D>, Real);

    /// What times the phases.
    fn stopwatch(&mut self) -> &mut Stopwatch;

    /// The part of it that all methods have.
    fn common(device: &mut Self::Fields) -> &mut Common<D>;

    /// Takes the state to the device.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    fn upload(&mut self, executor: &dyn Executor, state: &State<D>) -> Result<Self::Fields, CudaError>;

    /// The phases of a step.
    ///
    /// # Errors
    /// When a phase fails.
    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut Self::Fields,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError>;

    /// The box of cells is another one now.
    ///
    /// # Errors
    /// When there is no memory left.
    fn refit(_executor: &dyn Executor, _device: &mut Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// A step is over, with this summary if it came so far.
    fn learn(&mut self, _device: &mut Self::Fields, _summary: Option<&Summary>) {}

    /// What a healthy step of `dt` `[s]` did to `n` particles, in the words of a report.
    fn report(&mut self, summary: &Summary, n: usize, dt: f64) -> StepReport;

    /// Copies to the host what the method shows and remembers beside particles and walls.
    ///
    /// # Errors
    /// When a copy fails.
    fn read(&mut self, executor: &dyn Executor, device: &Self::Fields) -> Result<(), CudaError>;

    /// As [`Solver::memory`]: rows of neighbors are none of it.
    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>));

    /// Copies to the host what is too much for every fetch, when restarts or changes ask for it.
    ///
    /// # Errors
    /// When a copy fails.
    fn read_rest(&mut self, _executor: &dyn Executor, _device: &Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// Copies to the host what tells where a failure began.
    ///
    /// # Errors
    /// When a copy fails.
    fn read_chain(&mut self, _executor: &dyn Executor, _device: &Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// The failure that a summary tells of. All is on the host.
    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError;

    /// What has made an iteration fail, if it shows in the fields. All is on the host.
    fn explain(&mut self, _state: &State<D>) -> Option<StepError> {
        None
    }

    /// Forgets what [`Self::read_chain`] has brought.
    fn forget_chain(&mut self) {}

    /// As [`Solver::check_parameter`].
    ///
    /// # Errors
    /// As there.
    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.cpu().check_parameter(name, value)
    }
}

/// The run of a method on a GPU, or wherever else kernels run.
///
/// The state that it is handed is that of the last [`Solver::fetch`]: steps go on with what is on the device. Whatever
/// changes the state in between, says so by the methods of [`Solver`]; the next step then takes all from there again.
pub struct GpuRun<const D: usize, M: Method<D>> {
    method: M,
    executor: Arc<dyn Executor>,
    /// `None` while the state is ahead of the device.
    device: Option<M::Fields>,
    /// True while the state is what the device holds.
    is_home: bool,
    /// True while [`Method::read_rest`] has nothing to bring.
    rest_is_home: bool,
    /// What the next step fails with, where something could not be copied to the host.
    failed: Option<CudaError>,
}

impl<const D: usize, M: Method<D>> GpuRun<D, M> {
    /// The method, with its steps on `executor`.
    pub fn new(method: M, executor: Arc<dyn Executor>) -> Self {
        Self { method, executor, device: None, is_home: true, rest_is_home: true, failed: None }
    }

    /// Copies the rest to the host.
    fn bring_rest(&mut self) {
        let (false, Some(device)) = (self.rest_is_home, &self.device) else { return };
        self.failed = self.method.read_rest(&*self.executor, device).err();
        self.rest_is_home = true;
    }

    /// The state is ahead of the device from now on.
    fn forget(&mut self) {
        self.bring_rest();
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
        self.method.step(executor, device, state, dt)?;
        let summary = summarize(&mut self.method, executor, device, state);
        self.method.stopwatch().lap("report");
        summary.map_err(|error| error.in_phase(state, "report"))
    }

    /// Copies to the host all that shows what was wrong.
    fn fetch_all(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        self.fetch(state)?;
        let Some(device) = &self.device else { return Ok(()) };
        let read = self.method.read_chain(&*self.executor, device);
        read.map_err(|error| error.in_phase(state, "fetch"))?;
        self.bring_rest();
        Ok(())
    }
}

/// The summary of a step; the box of cells follows its content.
fn summarize<const D: usize, M: Method<D>>(
    method: &mut M,
    executor: &dyn Executor,
    device: &mut M::Fields,
    state: &State<D>,
) -> Result<Summary, CudaError> {
    let Common { fluid, walls, v2, gain2, lost, reduce, summaries, walls_packed, .. } = M::common(device);
    let cells = [&fluid.cells, &walls.cells];
    let judged = Judged { rho: &fluid.rho, rho_0: state.rest.rho_0, v2, a2: gain2, lost, cells };
    let summary = summaries.of(executor, &judged, fluid.n)?;
    let (room, radius) = method.room();
    let frame = Frame { radius, domain: &state.domain };
    if room.follow(executor, frame, Content { fluid, walls, reduce }, &summary)? {
        *walls_packed = false;
        M::refit(executor, device)?;
    }
    Ok(summary)
}

/// Copies to the host what a run shows and remembers.
fn read<const D: usize, M: Method<D>>(
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
    state.bodies.place_samples(&mut state.walls);
    method.read(executor, device)
}

impl<const D: usize, M: Method<D>> Solver<D> for GpuRun<D, M> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        if let Some(error) = self.failed.take() {
            return Err(error.in_phase(state, "fetch"));
        }
        let mut device = match self.device.take() {
            Some(device) => device,
            None => {
                let made = self.method.upload(&*self.executor, state);
                made.map_err(|error| error.in_phase(state, "upload"))?
            }
        };
        (self.is_home, self.rest_is_home) = (false, false);
        let summary = self.step_on(&mut device, state, dt);
        self.method.learn(&mut device, summary.as_ref().ok());
        self.device = Some(device);
        match summary {
            Ok(summary) if summary.bad.min(summary.lost) == u64::from(NONE) => {
                Ok(self.method.report(&summary, state.fluid.len(), dt))
            }
            Ok(summary) => {
                self.fetch_all(state)?;
                Err(self.method.blame(state, &summary))
            }
            // An equation with numbers that are none has no solution, either.
            Err(error) if matches!(error.cause, Cause::NotConverged(_)) => {
                self.fetch_all(state)?;
                Err(self.method.explain(state).unwrap_or(error))
            }
            Err(error) => Err(error),
        }
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        let (false, Some(device)) = (self.is_home, &mut self.device) else { return Ok(()) };
        let read = read(&mut self.method, &*self.executor, device, state);
        read.map_err(|error| error.in_phase(state, "fetch"))?;
        self.is_home = true;
        Ok(())
    }

    fn velocities_changed(&mut self) {
        self.forget();
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.bring_rest();
        self.method.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.forget();
        self.method.cpu_mut().fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.forget();
        self.method.cpu_mut().walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.check_parameter(name, value)?;
        self.forget();
        self.method.cpu_mut().set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        let room = take(self.method.room().0);
        self.method.cpu_mut().restored(state);
        *self.method.room().0 = room;
        // What a failure has left is none of this moment.
        self.method.forget_chain();
        (self.device, self.is_home, self.rest_is_home) = (None, true, true);
    }

    fn name(&self) -> &'static str {
        self.method.cpu().name()
    }

    fn support_radius(&self) -> Real {
        self.method.cpu().support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.method.cpu_mut().max_dt(state)
    }

    fn moves_bodies(&self) -> bool {
        self.method.cpu().moves_bodies()
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.method.cpu().chain(state)
    }

    fn sound_speed(&self) -> Option<f64> {
        self.method.cpu().sound_speed()
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.method.cpu().field(name)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        self.method.cpu().fields()
    }

    fn residuals(&self) -> &[f64] {
        self.method.cpu().residuals()
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.method.cpu().neighbors()
    }

    fn internal_energy(&self, rho: f64) -> f64 {
        self.method.cpu().internal_energy(rho)
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.method.cpu().derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.method.cpu().stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.method.cpu_mut().reset_stopwatch();
    }
}
