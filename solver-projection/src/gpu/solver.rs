//! The method whose steps run on a card.

use super::{
    Gpu,
    card::{Card, Sizes, first_cells, first_sizes},
    constants::constants,
    device_error,
};
use crate::{Projection, setup, step};
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
    kernel::Kernel,
    lane::Isa,
    neighbors::Neighbors,
    particles::fit,
    scene::Scene,
    simulation::Simulation,
    solver::{BEFORE, Cause, Clock, Derived, FieldInfo, Memory, Solver, StepError, StepReport, Stopwatch},
    state::State,
};
use std::{any::Any, mem::take, sync::Arc};

/// The staggered projection on a card, or wherever else kernels run.
///
/// The state that it is handed is that of the last [`Solver::fetch`]: steps go on with what is on the card. Whatever
/// changes the state in between, says so by the methods of [`Solver`]; the next step then takes all from there again.
pub struct GpuProjection<const D: usize> {
    /// Parameters, constants, and the fields of the last fetch.
    method: Projection<D>,
    executor: Arc<dyn Executor>,
    /// `None` while the state is ahead of the card.
    card: Option<Card<D>>,
    /// True while the state is what the card holds.
    is_home: bool,
    /// Memory that rows have needed so far.
    sizes: Sizes,
}

impl<const D: usize> GpuProjection<D> {
    /// The same method, with its steps on `executor`.
    pub(crate) fn new(method: Projection<D>, executor: Arc<dyn Executor>) -> Self {
        let sizes = first_sizes::<D>(f64::from(method.params.support_ratio));
        Self { method, executor, card: None, is_home: true, sizes }
    }

    /// Residuals `‖r‖₂/‖b‖₂` after each iteration of the last step, `[-]`.
    pub fn residuals(&self) -> &[f64] {
        self.method.residuals()
    }

    /// Takes the state to the card.
    fn upload(&mut self, state: &State<D>) -> Result<Card<D>, CudaError> {
        let grid = self.method.fields.room.grid(self.method.kernel.support_radius(), state)?;
        let of_method = (grid, self.method.constants.needs);
        fit(&mut self.method.fields.p, state.fluid.len(), 0.0);
        let n_level_cells = first_cells::<D>(&self.method.params, state.fluid.len());
        Card::new(&*self.executor, state, &self.method.fields.p, of_method, self.sizes, n_level_cells)
    }

    /// The step on the card, and what it is judged by.
    fn step_on(&mut self, card: &mut Card<D>, state: &mut State<D>, dt: f64) -> Result<Summary, StepError> {
        let executor = &*self.executor;
        let cleared = executor.clear(&mut card.lost).and_then(|()| executor.clear(&mut card.gain2));
        cleared.map_err(|error| device_error(state, "clear", error))?;
        let (constants, end) = (constants(&self.method, state), state.t);
        let mut gpu = Gpu {
            method: &mut self.method,
            executor,
            card: &mut *card,
            state: &mut *state,
            constants,
            end,
            softness: 1.0,
        };
        step::step(&mut gpu, dt)?;
        let judged = Judged {
            rho: &card.fluid.rho,
            rho_0: state.rest.rho_0,
            v2: &card.v2,
            a2: &card.gain2,
            lost: &card.lost,
            cells: [&card.fluid.cells, &card.walls.cells],
        };
        let summary = card.summaries.of(executor, &judged, card.fluid.n).and_then(|summary| {
            let frame = Frame { radius: self.method.kernel.support_radius(), domain: &state.domain };
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
            let (phase, field) = match summary.bad == first {
                true => ("correct_velocities", "velocity"),
                false => ("update_positions", "position"),
            };
            let id = |state: &State<D>| state.fluid.id.get(first as usize).copied();
            return Err(self
                .blame(state)
                .unwrap_or_else(|| StepError::new(state, phase, id(state), Cause::NotFinite { field })));
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

    /// The first failure that shows in the fields of the card, in the order of cause and effect. What is the card's
    /// is at home then.
    fn blame(&mut self, state: &mut State<D>) -> Option<StepError> {
        let fetched = self.fetch(state).and_then(|()| {
            let (Some(card), fields) = (&self.card, &mut self.method.fields) else { return Ok(()) };
            let read = card.read_chain(&*self.executor, fields);
            read.map_err(|error| device_error(state, "fetch", error))
        });
        if let Err(error) = fetched {
            return Some(error);
        }
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
        let crowd = fields.crowd.iter().position(|record| record.iter().any(|x| !x.is_finite()));
        let chain = [
            ("compute_alpha", crowd, "density"),
            ("compute_alpha", bad(&fluid.rho), "density"),
            ("classify_surface", bad(&fields.equation.b), "right side"),
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
}

impl<const D: usize> Solver<D> for GpuProjection<D> {
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
        let mut card = match self.card.take() {
            Some(card) => card,
            None => self.upload(state).map_err(|error| device_error(state, "upload", error))?,
        };
        self.is_home = false;
        let summary = self.step_on(&mut card, state, dt);
        self.sizes = card.sizes();
        self.card = Some(card);
        match summary {
            Ok(summary) => self.judge(state, summary, dt),
            // An equation with numbers that are none has no solution, either.
            Err(error) if matches!(error.cause, Cause::NotConverged(_)) => {
                Err(self.blame(state).unwrap_or(error))
            }
            Err(error) => Err(error),
        }
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        let (false, Some(card)) = (self.is_home, &self.card) else { return Ok(()) };
        let read = card.read(&*self.executor, state, &mut self.method.fields);
        read.map_err(|error| device_error(state, "fetch", error))?;
        self.is_home = true;
        Ok(())
    }

    fn velocities_changed(&mut self) {
        self.card = None;
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.method.fields.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.method.fluid_changed();
        self.card = None;
    }

    fn walls_changed(&mut self) {
        self.method.walls_changed();
        self.card = None;
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.set_parameter(name, value)?;
        self.card = None;
        Ok(())
    }

    fn restored(&mut self, state: &State<D>) {
        let room = take(&mut self.method.fields.room);
        self.method.restored(state);
        self.method.fields.room = room;
        // What a failure has left is none of this moment.
        let fields = &mut self.method.fields;
        (fields.crowd, fields.sums, fields.equation.b) = (Vec::new(), Vec::new(), Vec::new());
        (self.card, self.is_home) = (None, true);
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

    fn residuals(&self) -> &[f64] {
        self.method.residuals()
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

/// A run of the scene with the staggered projection whose steps run on `executor`, in two or three dimensions.
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
    run.map(|run| *run).map_err(|_| Error::invalid("dim", "projection runs in 2 or 3 dimensions").value(D))
}

fn build<const D: usize>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let (state, method) = setup::method::<D>(scene, Isa::best(), clock)?;
    Simulation::new(scene, state, Box::new(GpuProjection::new(method, executor)))
}
