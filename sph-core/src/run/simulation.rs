//! The run loop: step size, solver, observers.

use crate::{
    compiled_here,
    error::Error,
    fluid::particles::Particles,
    method::{
        failure::{BEFORE, Cause, StepError},
        observer::{Observer, View},
        report::StepReport,
        sample::Search,
        solver::Solver,
        state::State,
    },
    run::{
        interaction::{Interaction, Subject},
        recovery::{Guard, Policy},
    },
    scene::{Change, Command, Scene},
    watch::{diagnosis, measure::Measures},
};
use std::any::Any;

/// A state and the method that advances it.
pub struct Simulation<const D: usize> {
    /// The state. Of a method that works in another memory it is that of the last [`Simulation::fetch`], but for time,
    /// step, dynamic bodies, and the samples of walls that a measure has looked at.
    pub state: State<D>,
    /// The method.
    pub solver: Box<dyn Solver<D>>,
    /// A step size that replaces the adaptive one, `[s]`.
    pub fixed_dt: Option<f64>,
    /// What is done to the run between its steps.
    pub interaction: Interaction<D>,
    /// What it does about failures.
    pub guard: Guard<D>,
    /// What is measured, and the samples so far.
    pub measures: Measures<D>,
}

impl<const D: usize> Simulation<D> {
    /// The run of a scene, with a state and a method that were made of it.
    ///
    /// # Errors
    /// When a command of the scene changes a parameter that the method does not have, or gives it a value that
    /// the method refuses; when a measure reads a place out of the domain, or a field that the method does not have.
    pub fn new(scene: &Scene, state: State<D>, solver: Box<dyn Solver<D>>) -> Result<Self, Error> {
        compiled_here!(
            D,
            Simulation::of_parts as fn(&Scene, State<D>, Box<dyn Solver<D>>) -> Result<Simulation<D>, Error>
        )(scene, state, solver)
    }

    fn of_parts(scene: &Scene, state: State<D>, solver: Box<dyn Solver<D>>) -> Result<Self, Error> {
        scene.command.iter().try_for_each(|command| check_change(scene, command, &state, &*solver))?;
        let measures = Measures::of(scene, &state, &*solver).map_err(|error| scene.locate(error))?;
        let interaction = Interaction::of(scene, state.forces.gravity);
        let guard = Guard::new(Policy::from(&scene.run));
        Ok(Self { state, solver, fixed_dt: scene.run.time_step, interaction, guard, measures })
    }

    /// The run that `two` or `three` makes of `input`, by the dimension. Methods hand in functions that are not generic: they
    /// are then compiled once, into the crate of the method, and not again into everything that uses it.
    ///
    /// # Errors
    /// Those of the function, and in other dimensions than two and three.
    pub fn of_dimension<I>(
        input: I,
        two: impl FnOnce(I) -> Result<Simulation<2>, Error>,
        three: impl FnOnce(I) -> Result<Simulation<3>, Error>,
    ) -> Result<Self, Error> {
        let run: Box<dyn Any> = if D == 2 { Box::new(two(input)?) } else { Box::new(three(input)?) };
        let run = run.downcast::<Self>();
        run.map(|run| *run).map_err(|_| Error::range("dim", D, "[2, 3]"))
    }

    /// Checks a command for a run of the scene, as those of its script are checked before the first step.
    ///
    /// # Errors
    /// When it names what the scene does not have, or changes a parameter in a way that the method refuses.
    pub fn check(&self, scene: &Scene, command: &Command) -> Result<(), Error> {
        command.check::<D>(scene)?;
        check_change(scene, command, &self.state, &*self.solver)
    }

    /// Does a command now, between two steps.
    ///
    /// # Errors
    /// When it cannot be done; nothing has changed then.
    pub fn command(&mut self, command: &Command) -> Result<(), Error> {
        compiled_here!(D, Simulation::act as fn(&mut Simulation<D>, &Command) -> Result<(), Error>)(
            self, command,
        )
    }

    fn act(&mut self, command: &Command) -> Result<(), Error> {
        self.fetch().map_err(|error| Error::new(error.line()))?;
        let (interaction, mut run) = self.parts();
        interaction.command(command, &mut run)?;
        self.guard.forget();
        Ok(())
    }

    /// Brings what the steps have left in another memory into the state and the fields of the method.
    ///
    /// # Errors
    /// When the copy fails.
    pub fn fetch(&mut self) -> Result<(), StepError> {
        self.solver.fetch(&mut self.state)
    }

    /// The particles that are looked for, without bringing all of them. The walls in the state are then those of now.
    ///
    /// # Errors
    /// When a copy fails.
    pub fn find(&mut self, search: &dyn Search<D>) -> Result<Particles<D>, StepError> {
        self.solver.find(&mut self.state, search)
    }

    /// A failure that was found beside the steps, with its likely cause.
    pub fn explain(&self, error: StepError) -> StepError {
        compiled_here!(D, Simulation::with_cause as fn(&Simulation<D>, StepError) -> StepError)(self, error)
    }

    fn with_cause(&self, error: StepError) -> StepError {
        diagnosis::explain(error, &self.state, &*self.solver, self.guard.facts())
    }

    /// The interaction, and the run that it acts on.
    pub(crate) fn parts(&mut self) -> (&mut Interaction<D>, Subject<'_, D>) {
        let run = Subject { state: &mut self.state, solver: &mut *self.solver, fixed_dt: &mut self.fixed_dt };
        (&mut self.interaction, run)
    }

    /// What is due between the steps.
    fn interact(&mut self) -> Result<(), StepError> {
        if self.interaction.is_idle(self.state.step, self.state.t) {
            return Ok(());
        }
        self.fetch()?;
        let done = self.interaction.history().len();
        let (interaction, mut run) = self.parts();
        let acted = interaction.before_step(&mut run);
        if self.interaction.history().len() > done {
            self.guard.forget();
        }
        acted.map_err(|error| StepError::new(&self.state, BEFORE, None, Cause::Command(error)))
    }

    /// Does one step, no further than `end`, `[s]`, after the commands that are due. After a failure that the
    /// policy answers with smaller steps it goes back, and on until it has passed the failed step's start:
    /// time never runs backwards for the caller.
    ///
    /// # Errors
    /// What the solver found, explained, or why a command of the script could not be done. The state is then
    /// the one that failed.
    pub fn step(&mut self, end: f64) -> Result<StepReport, StepError> {
        compiled_here!(
            D,
            Simulation::step_or_go_back as fn(&mut Simulation<D>, f64) -> Result<StepReport, StepError>
        )(self, end)
    }

    fn step_or_go_back(&mut self, end: f64) -> Result<StepReport, StepError> {
        let (seen, before) = (self.state.t, self.guard.retries.len());
        loop {
            match self.attempt(end) {
                Ok(mut report) => {
                    self.guard.succeed();
                    report.retries = (self.guard.retries.len() - before) as u32;
                    if report.retries == 0 || self.state.t > seen {
                        return Ok(report);
                    }
                    self.measure(&report)?;
                }
                Err(error) => {
                    // What cannot be fetched is not explained, but the failure is told all the same.
                    let _ = self.fetch();
                    let error = self.explain(error);
                    let (guard, interaction) = (&mut self.guard, &mut self.interaction);
                    guard.recover(error, &mut self.state, &mut *self.solver, interaction)?;
                    self.measures.go_back(self.state.t);
                }
            }
        }
    }

    /// One step that may fail.
    fn attempt(&mut self, end: f64) -> Result<StepReport, StepError> {
        self.guard.settle(f64::NAN);
        self.interaction.accelerate(&mut self.state);
        diagnosis::check_inputs(&self.state)?;
        self.interact()?;
        if self.guard.keeps_now(self.state.step) {
            self.fetch()?;
        }
        let largest = self.guard.begin(&self.state, &mut *self.solver, &self.interaction, self.fixed_dt)?;
        let left = end - self.state.t;
        // The last steps share what is left, rather than leave a sliver.
        let dt = match left / largest {
            steps if steps < 1.0 + 1e-9 => left,
            steps if steps < 2.0 && self.fixed_dt.is_none() => 0.5 * left,
            _ => largest,
        };
        self.guard.settle(dt);
        if !dt.is_finite() {
            return Err(StepError::new(&self.state, BEFORE, None, Cause::NotFinite { field: "dt" }));
        }
        let (interaction, mut run) = self.parts();
        if interaction.push(&mut run, dt) {
            self.solver.velocities_changed();
        }
        // Landing on `end` by name, not by sum: a run then has as many steps as its step sizes say.
        let then = if dt == left { end } else { self.state.t + dt };
        self.state.begin_loads(self.measures.loads_due(then));
        let report = self.solver.step(&mut self.state, dt)?;
        self.guard.judge(&self.state, &report)?;
        if let Some(body) = self.state.bodies.outside(&self.state.domain) {
            let cause = Cause::BodyEscaped { name: body.form.name.clone() };
            return Err(StepError::new(&self.state, "drift", None, cause));
        }
        self.state.t = then;
        self.state.step += 1;
        Ok(report)
    }

    /// Takes the samples of measures that are due, after a step that did `report`; no bit of the run depends on it. Call it
    /// before the first step and after every one.
    ///
    /// # Errors
    /// When what they read cannot be copied to the host.
    pub fn measure(&mut self, report: &StepReport) -> Result<(), StepError> {
        compiled_here!(D, Simulation::sample as fn(&mut Simulation<D>, &StepReport) -> Result<(), StepError>)(
            self, report,
        )
    }

    fn sample(&mut self, report: &StepReport) -> Result<(), StepError> {
        if self.measures.is_due(self.state.t) {
            let Self { state, solver, measures, .. } = self;
            let picked = solver.pick(state, &measures.wanted(state.t))?;
            measures.sample(&View { state, solver: &**solver, report }, picked.as_ref());
        }
        Ok(())
    }

    /// What an observer sees, after a step that did `report`.
    pub fn view<'a>(&'a self, report: &'a StepReport) -> View<'a, D> {
        View { state: &self.state, solver: &*self.solver, report }
    }

    /// Runs to `end`, `[s]`, or until `max_steps` are done or an observer ends it.
    ///
    /// # Errors
    /// What the solver found.
    pub fn run(
        &mut self,
        end: f64,
        max_steps: u64,
        observers: &mut [&mut dyn Observer<D>],
    ) -> Result<(), StepError> {
        compiled_here!(
            D,
            Simulation::run_until
                as fn(&mut Simulation<D>, f64, u64, &mut [&mut dyn Observer<D>]) -> Result<(), StepError>
        )(self, end, max_steps, observers)
    }

    fn run_until(
        &mut self,
        end: f64,
        max_steps: u64,
        observers: &mut [&mut dyn Observer<D>],
    ) -> Result<(), StepError> {
        let mut report = StepReport::default();
        loop {
            self.measure(&report)?;
            if observers.iter().any(|observer| observer.is_due(&self.view(&report))) {
                self.fetch()?;
            }
            let view = self.view(&report);
            // All observers see the last state, also when an earlier one ends the run.
            let mut go_on = true;
            for observer in &mut *observers {
                go_on &= observer.observe(&view);
            }
            if !go_on || self.state.t >= end || self.state.step >= max_steps {
                return self.fetch();
            }
            report = self.step(end)?;
        }
    }
}

/// Refuses a change of a parameter that the method does not have, or a value that it refuses.
fn check_change<const D: usize>(
    scene: &Scene,
    command: &Command,
    state: &State<D>,
    solver: &dyn Solver<D>,
) -> Result<(), Error> {
    let Some(set) = &command.set else { return Ok(()) };
    let key = format!("{}.set", command.key());
    let checked = set.change::<D>(&key).and_then(|change| match change {
        Change::Gravity(_) => Ok(()),
        Change::TimeStep(dt) => scene.check_step(dt, &solver.derived(state)),
        Change::Solver(name) => solver.check_parameter(name, &set.value.0),
    });
    checked.map_err(|error| command.locate(error.under(format!("{key}.value"))))
}
