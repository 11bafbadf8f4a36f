//! The method whose steps run on a card.

use super::{
    Gpu,
    card::{Card, Sizes},
    constants::constants,
    device_error,
};
use crate::{Params, Viscoelastic, params::RelaxMode, setup, step};
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

/// Most particles that a GPU relaxes one after the other. One warp does it, which waits for memory several times a particle:
/// about ten microseconds, so that a step of so many takes a fifth of a second, and one of a million ten seconds.
pub const MOST_SEQUENTIAL: usize = 20_000;

/// Refuses the order of the reference on a GPU for more particles than [`MOST_SEQUENTIAL`].
///
/// # Errors
/// When there are more than that.
pub fn check_order(params: &Params, n: usize) -> Result<(), Error> {
    if params.relax_mode != RelaxMode::Sequential || n <= MOST_SEQUENTIAL {
        return Ok(());
    }
    let message =
        format!("runs on one warp of a GPU: too slow for {n} particles, {MOST_SEQUENTIAL} are allowed");
    let error = Error::invalid("solver.relax_mode", message).value("\"sequential\"");
    Err(error.hint("use solver.relax_mode = \"colored\", or the CPU backend"))
}

/// The viscoelastic fluid on a card, or wherever else kernels run.
///
/// The state that it is handed is that of the last [`Solver::fetch`]: steps go on with what is on the card. Whatever
/// changes the state in between, says so by the methods of [`Solver`]; the next step then takes all from there again.
pub struct GpuViscoelastic<const D: usize> {
    /// Parameters, constants, and the fields of the last fetch.
    method: Viscoelastic<D>,
    executor: Arc<dyn Executor>,
    /// `None` while the state is ahead of the card.
    card: Option<Card<D>>,
    /// True while the state is what the card holds.
    is_home: bool,
    /// True while the springs at home are those of the card. They are many, and only restarts and changes ask for them.
    springs_are_home: bool,
    /// What the next step fails with, where springs could not be brought home.
    failed: Option<CudaError>,
    /// Memory that rows have needed so far.
    sizes: Sizes,
    /// Number of particles of the last upload, or at the start.
    n: usize,
}

impl<const D: usize> GpuViscoelastic<D> {
    /// The same method, with its steps on `executor`.
    pub(crate) fn new(method: Viscoelastic<D>, executor: Arc<dyn Executor>, n: usize) -> Self {
        let sizes = Sizes::of_lattice::<D>(f64::from(method.params.support_ratio));
        Self { method, executor, card: None, is_home: true, springs_are_home: true, failed: None, sizes, n }
    }

    /// Brings the springs home.
    fn bring_springs(&mut self) {
        let (false, Some(card)) = (self.springs_are_home, &self.card) else { return };
        self.failed = card.read_springs(&*self.executor, &mut self.method.fields.springs).err();
        self.springs_are_home = true;
    }

    /// The state is ahead of the card from now on.
    fn forget(&mut self) {
        self.bring_springs();
        self.card = None;
    }

    /// Takes the state to the card.
    fn upload(&mut self, state: &State<D>) -> Result<Card<D>, CudaError> {
        let h = self.method.constants.h;
        self.n = state.fluid.len();
        let of_method = (self.method.fields.room.grid(h, state)?, h, self.method.constants.needs);
        Card::new(&*self.executor, state, &mut self.method.fields.springs, of_method, self.sizes)
    }

    /// The step on the card, and what it is judged by.
    fn step_on(&mut self, card: &mut Card<D>, state: &mut State<D>, dt: f64) -> Result<Summary, StepError> {
        let executor = &*self.executor;
        let cleared = executor.clear(&mut card.lost);
        cleared.map_err(|error| device_error(state, "clear", error))?;
        let constants = constants(&self.method, state, dt);
        let end = state.t + dt;
        let mut gpu = Gpu {
            method: &mut self.method,
            executor,
            card: &mut *card,
            state: &mut *state,
            constants,
            dt,
            end,
        };
        step::step(&mut gpu, dt)?;
        let way = card.longest_way(executor);
        let way = way.map_err(|error| device_error(state, "report", error))?;
        self.method.fields.report.residual = way / f64::from(self.method.constants.h);
        let judged = Judged {
            rho: &card.fluid.rho,
            rho_0: state.rest.rho_0,
            v2: &card.v2,
            a2: &card.gain2,
            lost: &card.lost,
            cells: [&card.fluid.cells, &card.walls.cells],
        };
        let summary = card.summaries.of(executor, &judged, card.fluid.n).and_then(|summary| {
            let frame = Frame { radius: self.method.constants.h, domain: &state.domain };
            card.fit_cells(executor, &mut self.method.fields.room, frame, &summary).map(|()| summary)
        });
        self.method.stopwatch.lap("report");
        summary.map_err(|error| device_error(state, "report", error))
    }

    /// What the step did, in the words of a report; fails where a phase has found a particle unhealthy.
    fn judge(&mut self, state: &mut State<D>, summary: Summary, dt: f64) -> Result<StepReport, StepError> {
        let n = state.fluid.len();
        let first = summary.bad.min(summary.lost);
        if first != u64::from(reduce::NONE) {
            return Err(self.blame(state, first as usize, summary.bad == first));
        }
        let fields = &mut self.method.fields;
        fields.max_speed = summary.v2.sqrt();
        Ok(StepReport {
            dt,
            density_error_mean: summary.excess / n.max(1) as f64,
            density_error_max: if n == 0 { 0.0 } else { summary.largest },
            max_speed: fields.max_speed,
            max_acceleration: summary.a2.sqrt() / dt,
            ..fields.report
        })
    }

    /// A failure of the particle at a place on the card, in its density or velocity or before. Where it began is for the
    /// diagnosis to find, which looks at all fields at home.
    fn blame(&mut self, state: &mut State<D>, i: usize, in_summary: bool) -> StepError {
        let fetched = self.fetch(state).and_then(|()| {
            let (Some(card), fields) = (&self.card, &mut self.method.fields) else { return Ok(()) };
            let read = card.read_chain(&*self.executor, fields);
            read.map_err(|error| device_error(state, "fetch", error))
        });
        if let Err(error) = fetched {
            return error;
        }
        self.bring_springs();
        let (fluid, domain) = (&state.fluid, &state.domain);
        let bad = |x: &[Vec<Real>; D]| (0..fluid.len()).find(|&k| x.iter().any(|axis| !axis[k].is_finite()));
        let of = |phase, k: usize, field| {
            StepError::new(state, phase, fluid.id.get(k).copied(), Cause::NotFinite { field })
        };
        for (x, field) in [(&fluid.x, "position"), (&fluid.v, "velocity")] {
            // Phases leave what was there where something new is not finite.
            if let Some(k) = bad(x) {
                return of(BEFORE, k, field);
            }
        }
        if let Some(owner) = self.method.fields.springs.first_spoilt() {
            let cause = Cause::NotFinite { field: "rest length" };
            return StepError::new(state, BEFORE, Some(owner), cause);
        }
        if let Some(far) = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k))) {
            return StepError::new(state, "update_velocities", Some(fluid.id[far]), Cause::Escaped);
        }
        let place = self.method.fields.place.get(i);
        match (fluid.rho[i].is_finite(), place.is_none_or(|x| x.iter().all(|x| x.is_finite()))) {
            (false, _) => of("double_density_relaxation", i, "density"),
            (_, false) => of("double_density_relaxation", i, "position"),
            _ if in_summary => of("update_velocities", i, "velocity"),
            _ => of("predict_positions", i, "position"),
        }
    }
}

impl<const D: usize> Solver<D> for GpuViscoelastic<D> {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn support_radius(&self) -> Real {
        self.method.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.method.max_dt(state)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        self.method.fields.report = StepReport::default();
        if let Some(error) = self.failed.take() {
            return Err(device_error(state, "fetch", error));
        }
        let mut card = match self.card.take() {
            Some(card) => card,
            None => self.upload(state).map_err(|error| device_error(state, "upload", error))?,
        };
        (self.is_home, self.springs_are_home) = (false, false);
        let summary = self.step_on(&mut card, state, dt);
        self.sizes = card.sizes();
        self.card = Some(card);
        self.judge(state, summary?, dt)
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        let (false, Some(card)) = (self.is_home, &self.card) else { return Ok(()) };
        let read = card.read(&*self.executor, state);
        read.map_err(|error| device_error(state, "fetch", error))?;
        self.is_home = true;
        Ok(())
    }

    fn velocities_changed(&mut self) {
        self.forget();
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.bring_springs();
        self.method.fields.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.forget();
        self.method.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.forget();
        self.method.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        let params = self.method.changed(name, value)?;
        check_order(&params, self.n)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.check_parameter(name, value)?;
        self.forget();
        self.method.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        let room = take(&mut self.method.fields.room);
        self.method.restored(state);
        self.method.fields.room = room;
        // What a failure has left is none of this moment.
        self.method.fields.place = Vec::new();
        (self.card, self.is_home, self.springs_are_home) = (None, true, true);
    }

    fn moves_bodies(&self) -> bool {
        self.method.moves_bodies()
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.method.chain(state)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.method.field(name)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        self.method.fields()
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.method.neighbors()
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.method.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.method.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.method.reset_stopwatch();
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
    let run: Box<dyn Any> = if D == 2 {
        Box::new(build::<2>(scene, executor, clock)?)
    } else {
        Box::new(build::<3>(scene, executor, clock)?)
    };
    let run = run.downcast::<Simulation<D>>();
    run.map(|run| *run).map_err(|_| Error::invalid("dim", "viscoelastic runs in 2 or 3 dimensions").value(D))
}

fn build<const D: usize>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let (state, method) = setup::method::<D>(scene, Isa::best(), clock)?;
    let n = state.fluid.len();
    check_order(&method.params, n).map_err(|error| scene.locate(error))?;
    Simulation::new(scene, state, Box::new(GpuViscoelastic::new(method, executor, n)))
}
