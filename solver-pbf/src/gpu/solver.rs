//! The method whose steps run on a card.

use super::{
    Gpu,
    card::{Card, Demand, Sizes, first_sizes},
    constants::constants,
    device_error,
};
use crate::{Pbf, memory::Fields, setup, step};
use cuda_kernels::{
    error::CudaError,
    executor::Executor,
    reduce,
    room::Frame,
    summary::{Judged, Summary},
};
use sph_core::{
    Real,
    diagnosis::Link,
    error::Error,
    lane::Isa,
    neighbors::Neighbors,
    scene::Scene,
    simulation::Simulation,
    solver::{BEFORE, Cause, Clock, Derived, FieldInfo, Memory, Solver, StepError, StepReport, Stopwatch},
    state::State,
};
use std::{any::Any, mem::take, sync::Arc};

/// Position Based Fluids on a card, or wherever else kernels run.
///
/// The state that it is handed is that of the last [`Solver::fetch`]: steps go on with what is on the card. Whatever
/// changes the state in between, says so by the methods of [`Solver`]; the next step then takes all from there again.
pub struct GpuPbf<const D: usize> {
    /// Parameters, constants, and the fields of the last fetch.
    pbf: Pbf<D>,
    executor: Arc<dyn Executor>,
    /// `None` while the state is ahead of the card.
    card: Option<Card<D>>,
    /// True while the state is what the card holds.
    is_home: bool,
    /// Memory that rows have needed so far.
    sizes: Sizes,
}

impl<const D: usize> GpuPbf<D> {
    /// The same method, with its steps on `executor`.
    pub(crate) fn new(pbf: Pbf<D>, executor: Arc<dyn Executor>) -> Self {
        let sizes = first_sizes::<D>(f64::from(pbf.params.support_ratio));
        Self { pbf, executor, card: None, is_home: true, sizes }
    }

    /// Takes the state to the card.
    fn upload(&mut self, state: &State<D>) -> Result<Card<D>, CudaError> {
        let needs = self.pbf.constants.needs;
        self.pbf.fields.resize_past(state.fluid.len(), needs.past);
        let grid = self.pbf.fields.room.grid(self.pbf.kernel.support_radius(), state)?;
        let demand = Demand { grid, needs, sizes: self.sizes };
        let Fields { way, gain, .. } = &self.pbf.fields;
        Card::new(&*self.executor, state, [way, gain], demand)
    }

    /// The step on the card, and what it is judged by.
    fn step_on(&mut self, card: &mut Card<D>, state: &mut State<D>, dt: f64) -> Result<Summary, StepError> {
        let (executor, iterations) = (&*self.executor, self.pbf.params.iterations());
        let cleared = executor.clear(&mut card.lost).and_then(|()| executor.clear(&mut card.gain2));
        cleared.map_err(|error| device_error(state, "clear", error))?;
        let constants = constants(&self.pbf, state);
        let mut gpu = Gpu {
            pbf: &mut self.pbf,
            executor,
            card: &mut *card,
            state: &mut *state,
            constants,
            dt: 0.0,
            per_way: 0.0,
            end: 0.0,
            corrections: 0,
            error: f64::INFINITY,
        };
        step::step(&mut gpu, iterations, dt)?;
        let judged = Judged {
            rho: &card.fluid.rho,
            rho_0: state.rest.rho_0,
            v2: &card.v2,
            a2: &card.gain2,
            lost: &card.lost,
            cells: [&card.fluid.cells, &card.walls.cells],
        };
        let summary = card.summaries.of(executor, &judged, card.fluid.n).and_then(|summary| {
            let frame = Frame { radius: self.pbf.kernel.support_radius(), domain: &state.domain };
            card.fit_cells(executor, &mut self.pbf.fields.room, frame, &summary).map(|()| summary)
        });
        self.pbf.stopwatch.lap("report");
        summary.map_err(|error| device_error(state, "report", error))
    }

    /// What the step did, in the words of a report; fails where a phase has found a particle unhealthy.
    fn judge(&mut self, state: &mut State<D>, summary: Summary, dt: f64) -> Result<StepReport, StepError> {
        let n = state.fluid.len();
        let first = summary.bad.min(summary.lost);
        if first != u64::from(reduce::NONE) {
            return Err(self.blame(state, first as usize, summary.bad == first));
        }
        let fields = &mut self.pbf.fields;
        fields.max_speed = summary.v2.sqrt();
        let error = summary.excess / n.max(1) as f64;
        Ok(StepReport {
            dt,
            residual: error,
            density_error_mean: error,
            density_error_max: if n == 0 { 0.0 } else { summary.largest },
            max_speed: fields.max_speed,
            max_acceleration: summary.a2.sqrt() * f64::from(self.pbf.params.substeps) / dt,
            ..fields.report
        })
    }

    /// A failure of the particle at a place on the card, in its velocity or before. Where it began is for the diagnosis
    /// to find, which looks at all fields at home.
    fn blame(&mut self, state: &mut State<D>, i: usize, in_velocity: bool) -> StepError {
        let fetched = self.fetch(state).and_then(|()| {
            let (Some(card), fields) = (&self.card, &mut self.pbf.fields) else { return Ok(()) };
            let read = card.read_chain(&*self.executor, fields);
            read.map_err(|error| device_error(state, "fetch", error))
        });
        if let Err(error) = fetched {
            return error;
        }
        let needs = self.pbf.constants.needs;
        let (fluid, domain) = (&state.fluid, &state.domain);
        let finite = |x: &[Vec<Real>; D]| x.iter().flatten().all(|x| x.is_finite());
        if !(finite(&fluid.x) && finite(&fluid.v)) {
            // Phases leave what was there where something new is not finite.
            let field = if finite(&fluid.x) { "velocity" } else { "position" };
            return StepError::new(state, BEFORE, fluid.id.get(i).copied(), Cause::NotFinite { field });
        }
        if let Some(far) = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k))) {
            return StepError::new(state, "update_positions", Some(fluid.id[far]), Cause::Escaped);
        }
        let (phase, field) = match in_velocity {
            // A velocity from before has taken the place of the one that is not finite.
            true if needs.velocities || needs.surface_forces => ("apply_vorticity_and_xsph", "velocity"),
            true => ("update_velocities", "velocity"),
            false => ("predict_positions", "position"),
        };
        let cause = Cause::NotFinite { field };
        StepError::new(state, phase, fluid.id.get(i).copied(), cause)
    }
}

impl<const D: usize> Solver<D> for GpuPbf<D> {
    fn name(&self) -> &'static str {
        self.pbf.name()
    }

    fn support_radius(&self) -> Real {
        self.pbf.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.pbf.max_dt(state)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        self.pbf.fields.report = StepReport::default();
        let mut card = match self.card.take() {
            Some(card) => card,
            None => self.upload(state).map_err(|error| device_error(state, "upload", error))?,
        };
        self.is_home = false;
        let summary = self.step_on(&mut card, state, dt);
        self.sizes = card.sizes();
        self.card = Some(card);
        self.judge(state, summary?, dt)
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        let (false, Some(card)) = (self.is_home, &self.card) else { return Ok(()) };
        let read = card.read(&*self.executor, state, &mut self.pbf.fields);
        read.map_err(|error| device_error(state, "fetch", error))?;
        self.is_home = true;
        Ok(())
    }

    fn velocities_changed(&mut self) {
        self.card = None;
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.pbf.fields.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.pbf.fluid_changed();
        self.card = None;
    }

    fn walls_changed(&mut self) {
        self.pbf.walls_changed();
        self.card = None;
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.pbf.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.pbf.set_parameter(name, value)?;
        self.card = None;
        Ok(())
    }

    fn restored(&mut self, state: &State<D>) {
        let room = take(&mut self.pbf.fields.room);
        self.pbf.restored(state);
        self.pbf.fields.room = room;
        // What a failure has left is none of this moment.
        let fields = &mut self.pbf.fields;
        (fields.equal.place, fields.delta) = (Vec::new(), Vec::new());
        (self.card, self.is_home) = (None, true);
    }

    fn moves_bodies(&self) -> bool {
        self.pbf.moves_bodies()
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.pbf.chain(state)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.pbf.field(name)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        self.pbf.fields()
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.pbf.neighbors()
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.pbf.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.pbf.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.pbf.reset_stopwatch();
    }
}

/// A run of the scene with Position Based Fluids whose steps run on `executor`, in two or three dimensions.
///
/// # Errors
/// When the scene or the solver's parameters are refused, or a fixed step explodes.
pub fn simulation<const D: usize>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let run: Box<dyn Any> = if D == 2 {
        Box::new(build::<2>(scene, executor, clock)?)
    } else {
        Box::new(build::<3>(scene, executor, clock)?)
    };
    let run = run.downcast::<Simulation<D>>();
    run.map(|run| *run).map_err(|_| Error::invalid("dim", "pbf runs in 2 or 3 dimensions").value(D))
}

fn build<const D: usize>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let (state, pbf) = setup::method::<D>(scene, Isa::best(), clock)?;
    Simulation::new(scene, state, Box::new(GpuPbf::new(pbf, executor)))
}
