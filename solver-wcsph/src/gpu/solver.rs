//! The method whose steps run on a card.

use super::{
    Gpu,
    card::{Card, Demand},
    constants::constants,
    device_error,
};
use crate::{Wcsph, setup, step};
use cuda_kernels::{
    error::CudaError,
    executor::Executor,
    reduce,
    resident::{read, read_axes},
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
    solver::{Cause, Clock, Derived, FieldInfo, Memory, Solver, StepError, StepReport, Stopwatch},
    state::State,
};
use std::{any::Any, mem::take, sync::Arc};

/// Weakly compressible SPH on a card, or wherever else kernels run.
///
/// The state that it is handed is that of the last [`Solver::fetch`]: steps go on with what is on the card. Whatever
/// changes the state in between, says so by the methods of [`Solver`]; the next step then takes all from there again.
pub struct GpuWcsph<const D: usize> {
    /// Parameters, constants, and the fields of the last fetch.
    wcsph: Wcsph<D>,
    executor: Arc<dyn Executor>,
    /// `None` while the state is ahead of the card.
    card: Option<Card<D>>,
    /// True while the state is what the card holds.
    is_home: bool,
}

impl<const D: usize> GpuWcsph<D> {
    /// The same method, with its steps on `executor`.
    pub(crate) fn new(wcsph: Wcsph<D>, executor: Arc<dyn Executor>) -> Self {
        Self { wcsph, executor, card: None, is_home: true }
    }

    /// Edge of the cells, `[m]`.
    fn edge(&self) -> Real {
        self.wcsph.kernel.support_radius() * self.executor.variant().walk.edge()
    }

    /// Takes the state to the card.
    fn upload(&mut self, state: &State<D>) -> Result<Card<D>, CudaError> {
        let grid = self.wcsph.fields.room.grid(self.edge(), state)?;
        let fields = &self.wcsph.fields;
        let demand = Demand {
            grid,
            radius: self.wcsph.kernel.support_radius(),
            needs: self.wcsph.constants.needs,
            dummy: self.wcsph.constants.wall.is_dummy(),
        };
        Card::new(&*self.executor, state, [&fields.a, &fields.w], demand)
    }

    /// Brings the particles, the walls and the method's fields home.
    fn read(&mut self, state: &mut State<D>) -> Result<(), CudaError> {
        let (Some(card), fields) = (&self.card, &mut self.wcsph.fields) else { return Ok(()) };
        let executor = &*self.executor;
        card.fluid.read(executor, &mut state.fluid)?;
        if card.walls_sorted {
            card.walls.read(executor, &mut state.walls)?;
        }
        state.bodies.place_samples(&mut state.walls);
        read_axes(executor, &card.a, &mut fields.a)?;
        read_axes(executor, &card.w, &mut fields.w)?;
        read(executor, &card.p, &mut fields.p)
    }

    /// What the step did, in the words of a report; fails where a number is not finite or a particle is lost.
    fn judge(&mut self, state: &mut State<D>, summary: Summary) -> Result<StepReport, StepError> {
        let n = state.fluid.len();
        let fields = &mut self.wcsph.fields;
        (fields.max_speed, fields.max_acceleration) = (summary.v2.sqrt(), summary.a2.sqrt());
        let none = u64::from(reduce::NONE);
        if summary.bad != none {
            return Err(self.blame(state, summary.bad, "kick", Cause::NotFinite { field: "velocity" }));
        }
        if summary.lost != none {
            return Err(self.blame(state, summary.lost, "drift", Cause::Escaped));
        }
        Ok(StepReport {
            density_error_mean: summary.excess / n.max(1) as f64,
            density_error_max: if n == 0 { 0.0 } else { summary.largest },
            max_speed: summary.v2.sqrt(),
            max_acceleration: summary.a2.sqrt(),
            ..StepReport::default()
        })
    }

    /// A failure of the particle at a place on the card. Where it began is for the diagnosis to find, which looks at all
    /// fields at home.
    fn blame(&mut self, state: &mut State<D>, place: u64, phase: &'static str, cause: Cause) -> StepError {
        if let Err(error) = self.fetch(state) {
            return error;
        }
        let particle = state.fluid.id.get(place as usize).copied();
        StepError::new(state, phase, particle, cause)
    }
}

impl<const D: usize> Solver<D> for GpuWcsph<D> {
    fn name(&self) -> &'static str {
        self.wcsph.name()
    }

    fn support_radius(&self) -> Real {
        self.wcsph.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.wcsph.max_dt(state)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let mut card = match self.card.take() {
            Some(card) => card,
            None => self.upload(state).map_err(|error| device_error(state, "upload", error))?,
        };
        self.is_home = false;
        let (integrator, edge) = (self.wcsph.params.integrator, self.edge());
        let constants = constants(&self.wcsph, state);
        let executor = &*self.executor;
        let (wcsph, card_of_step) = (&mut self.wcsph, &mut card);
        let mut gpu = Gpu { wcsph, executor, card: card_of_step, state: &mut *state, constants, dt };
        let stepped = step::step(&mut gpu, integrator, dt);
        let summary = stepped.and_then(|_| {
            let judged = Judged {
                rho: &card.fluid.rho,
                rho_0: state.rest.rho_0,
                v2: &card.squares[0],
                a2: &card.squares[1],
                lost: &card.lost,
                cells: [&card.fluid.cells, &card.walls.cells],
            };
            let summary = card.summaries.of(executor, &judged, card.fluid.n).and_then(|summary| {
                let frame = Frame { radius: edge, domain: &state.domain };
                card.fit_cells(executor, &mut self.wcsph.fields.room, frame, &summary).map(|()| summary)
            });
            summary.map_err(|error| device_error(state, "report", error))
        });
        if let (Some(kept), Ok(summary)) = (&mut card.kept, &summary) {
            kept.travel.learn(summary);
        }
        self.wcsph.stopwatch.lap("report");
        self.card = Some(card);
        Ok(StepReport { dt, ..self.judge(state, summary?)? })
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        if self.is_home {
            return Ok(());
        }
        self.read(state).map_err(|error| device_error(state, "fetch", error))?;
        self.is_home = true;
        Ok(())
    }

    fn velocities_changed(&mut self) {
        self.card = None;
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.wcsph.fields.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.wcsph.fluid_changed();
        self.card = None;
    }

    fn walls_changed(&mut self) {
        self.wcsph.walls_changed();
        self.card = None;
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.wcsph.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.wcsph.set_parameter(name, value)?;
        self.card = None;
        Ok(())
    }

    fn restored(&mut self, state: &State<D>) {
        let room = take(&mut self.wcsph.fields.room);
        self.wcsph.restored(state);
        self.wcsph.fields.room = room;
        (self.card, self.is_home) = (None, true);
    }

    fn moves_bodies(&self) -> bool {
        self.wcsph.moves_bodies()
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.wcsph.chain(state)
    }

    fn sound_speed(&self) -> Option<f64> {
        self.wcsph.sound_speed()
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.wcsph.field(name)
    }

    fn fields(&self) -> &'static [FieldInfo] {
        self.wcsph.fields()
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.wcsph.neighbors()
    }

    fn internal_energy(&self, rho: f64) -> f64 {
        self.wcsph.internal_energy(rho)
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.wcsph.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.wcsph.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.wcsph.reset_stopwatch();
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
    let run: Box<dyn Any> = if D == 2 {
        Box::new(build::<2>(scene, executor, clock)?)
    } else {
        Box::new(build::<3>(scene, executor, clock)?)
    };
    let run = run.downcast::<Simulation<D>>();
    run.map(|run| *run).map_err(|_| Error::invalid("dim", "wcsph runs in 2 or 3 dimensions").value(D))
}

fn build<const D: usize>(
    scene: &Scene,
    executor: Arc<dyn Executor>,
    clock: Box<dyn Clock>,
) -> Result<Simulation<D>, Error> {
    let (state, wcsph) = setup::method::<D>(scene, Isa::best(), clock)?;
    Simulation::new(scene, state, Box::new(GpuWcsph::new(wcsph, executor)))
}
