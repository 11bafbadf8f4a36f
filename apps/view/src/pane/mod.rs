//! A run in a pane, of two or three dimensions.

mod particle;
mod picture;
mod record;
mod stats;

use crate::wire::{Interval, Message, Wanted, by_option};
use bench_suite::{
    output::{Fields, FrameData},
    run::{self, checkpoints::PROGRAM},
    system::{clock::Instant, processor::Processor},
};
pub use picture::Shown;
use picture::{Outlines, Solids};
use serde_json::{Value, json};
use sph_core::{
    error::Error,
    method::{
        failure::StepError,
        observer::Observer,
        report::{Number, StepReport},
    },
    numerics::lane::each,
    run::{
        checkpoint::{self, Checkpoint},
        simulation::Simulation,
    },
    scene::{Command, Fluid, Scene, Script},
    watch::penetration::PenetrationMonitor,
};
use stats::Stats;

/// A pane, whatever its dimension.
pub trait Pane {
    /// Simulated time, `[s]`.
    fn t(&self) -> f64;
    /// The diagnosis of a run that has failed, in words: it steps no more.
    fn failure(&self) -> Option<&str>;
    /// Particles that there are now.
    fn len(&self) -> usize;
    /// Does a step, which may fail.
    fn step(&mut self);
    /// Does a step, and gives the particles after each of its phases, up to one that fails.
    ///
    /// # Errors
    /// When it cannot be recorded.
    fn record(&mut self, pane: usize) -> Result<Vec<Message>, Error>;
    /// Does something to the run between two steps.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn command(&mut self, command: &Command) -> Result<(), Error>;
    /// Chooses what frames show.
    ///
    /// # Errors
    /// When there is no such field.
    fn show(&mut self, shown: Shown) -> Result<(), Error>;
    /// The particles now.
    ///
    /// # Errors
    /// When they cannot be copied to the host.
    fn frame(&mut self, pane: usize) -> Result<Message, Error>;
    /// The samples of walls, if they are not those of the last call.
    fn walls(&mut self, pane: usize) -> Option<Message>;
    /// What the page needs to know once.
    ///
    /// # Errors
    /// When the method refuses its parameters.
    fn about(&self) -> Result<Value, Error>;
    /// Chooses the particle to tell about.
    fn inspect(&mut self, id: Option<u64>);
    /// Chooses that nearest to a place.
    ///
    /// # Errors
    /// When the place has other dimensions.
    fn pick(&mut self, x: &[f64]) -> Result<(), Error>;
    /// What is told of the chosen particle.
    fn particle(&mut self, pane: usize) -> Option<Message>;
    /// The run as a checkpoint.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep(&mut self) -> Result<Vec<u8>, Error>;
    /// The same pane with its run as it was at a checkpoint.
    ///
    /// # Errors
    /// When it does not fit, or there is no memory for it.
    fn rewound(&self, kept: &[u8]) -> Result<Box<dyn Pane>, Error>;
    /// The scene as TOML, with every default written out.
    ///
    /// # Errors
    /// When it cannot be written.
    fn scene(&self) -> Result<String, Error>;
    /// What was done to the run by hand, as a script.
    ///
    /// # Errors
    /// When it cannot be written.
    fn script(&self) -> Result<String, Error>;
}

/// What a pane was opened with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What was asked for.
    pub wanted: Wanted,
    /// The text of the scene.
    pub text: String,
    /// What the page should know of how it came about.
    pub notes: Vec<String>,
    /// Particles that it may have.
    pub most_particles: usize,
}

/// A run, and how it is looked at.
struct Live<const D: usize> {
    setup: Setup,
    scene: Scene,
    processor: Processor,
    run: Simulation<D>,
    monitor: PenetrationMonitor<D>,
    report: StepReport,
    failure: Option<String>,
    bounds: [Interval; D],
    shown: Shown,
    frame: FrameData<D>,
    stats: Stats,
    outlines: Outlines<D>,
    /// Walls and bodies as they were sent, to tell whether they have moved.
    walls: Option<Solids<D>>,
    inspected: Option<u64>,
    /// Places in the history of what was done by hand.
    by_hand: Vec<usize>,
}

/// A pane with the run of a scene.
///
/// # Errors
/// When the scene is refused.
pub fn open(setup: Setup, scene: Scene, processor: &Processor) -> Result<Box<dyn Pane>, Error> {
    Ok(match scene.dim {
        2 => Box::new(Live::<2>::open(setup, scene, processor)?),
        _ => Box::new(Live::<3>::open(setup, scene, processor)?),
    })
}

impl<const D: usize> Live<D> {
    fn open(setup: Setup, scene: Scene, processor: &Processor) -> Result<Self, Error> {
        let mut run = run::simulation::<D>(&scene, processor)?;
        let scene = scene.in_flow(run.solver.derived(&run.state).flow);
        run.measure(&StepReport::default()).map_err(|error| Error::new(error.line()))?;
        Ok(Self::of(setup, scene, processor, run))
    }

    fn of(setup: Setup, scene: Scene, processor: &Processor, run: Simulation<D>) -> Self {
        Self {
            setup,
            monitor: PenetrationMonitor::new(&run.state).with_limit(scene.run.escape_limit),
            bounds: picture::bounds(&run.state),
            processor: processor.clone(),
            scene,
            run,
            report: StepReport::default(),
            failure: None,
            shown: Shown::default(),
            frame: FrameData::default(),
            stats: Stats::default(),
            outlines: Outlines::default(),
            walls: None,
            inspected: None,
            by_hand: Vec::new(),
        }
    }

    /// A run that has failed is as its last step left it in the middle: nothing follows from it.
    fn goes_on(&self) -> Result<(), Error> {
        match &self.failure {
            None => Ok(()),
            Some(_) => Err(Error::new("the run has failed").hint("go back, or reset it")),
        }
    }

    /// Refuses fluid for which there is no room among the particles that a pane may have.
    fn check_room(&self, body: &Fluid) -> Result<(), Error> {
        let mut alone = Scene::new(D as u8, self.scene.spacing, 1.0);
        alone.fluid.push(body.clone());
        let n = alone.estimate()?.fluid + self.run.state.fluid.len() as f64;
        if n > self.setup.most_particles as f64 {
            let message = format!("makes {n:.0} particles, more than {}", self.setup.most_particles);
            return Err(Error::invalid("command.add", message).hint(by_option("make it smaller")));
        }
        Ok(())
    }

    fn try_step(&mut self) -> Result<(), StepError> {
        let entered = Instant::now();
        let before = self.run.state.t;
        // Ends of runs shorten their last steps: this one has none.
        self.report = self.run.step(f64::INFINITY)?;
        self.run.measure(&self.report)?;
        let view = self.run.view(&self.report);
        if self.monitor.is_due(&view) {
            self.run.fetch()?;
        }
        let inside = self.monitor.observe(&self.run.view(&self.report));
        self.stats.count(self.run.state.t - before, entered.elapsed().as_secs_f64(), &self.report);
        match self.monitor.failure(&self.run.state).filter(|_| !inside) {
            Some(error) => Err(self.run.explain(error)),
            None => Ok(()),
        }
    }

    fn copy(&mut self, fields: &Fields) -> Result<(), Error> {
        fetched(self.run.fetch())?;
        self.frame.copy(fields, &self.run.state, &*self.run.solver);
        Ok(())
    }
}

impl<const D: usize> Pane for Live<D> {
    fn t(&self) -> f64 {
        self.run.state.t
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn len(&self) -> usize {
        self.run.state.fluid.len()
    }

    fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        self.failure = self.try_step().err().map(|error| error.to_string());
    }

    fn record(&mut self, pane: usize) -> Result<Vec<Message>, Error> {
        if !self.processor.backend.is_cpu() {
            return Err(Error::new("phases can be watched on the cpu alone").hint("choose the backend cpu"));
        }
        self.goes_on()?;
        let recording = record::begin(&mut self.run)?;
        self.step();
        self.run.solver.watch(None);
        Ok(recording.messages(pane))
    }

    fn command(&mut self, command: &Command) -> Result<(), Error> {
        self.goes_on()?;
        self.run.check(&self.scene, command)?;
        command.add.iter().try_for_each(|body| self.check_room(body))?;
        self.run.command(command)?;
        self.by_hand.push(self.run.interaction.history().len() - 1);
        Ok(())
    }

    fn show(&mut self, shown: Shown) -> Result<(), Error> {
        Fields::choose("show.field", shown.fields(), &*self.run.solver)?;
        self.shown = shown;
        Ok(())
    }

    fn frame(&mut self, pane: usize) -> Result<Message, Error> {
        let fields = Fields::choose("show.field", self.shown.fields(), &*self.run.solver)?;
        self.copy(&fields)?;
        let stats = self.stats.take(&self.run, &self.report);
        Ok(picture::frame(pane, &self.frame, &self.shown, &self.bounds, &stats))
    }

    fn walls(&mut self, pane: usize) -> Option<Message> {
        let now = self.outlines.walls(&self.run.state);
        if self.walls.as_ref() == Some(&now) {
            return None;
        }
        let message = picture::points(pane, &now, &self.bounds);
        self.walls = Some(now);
        Some(message)
    }

    fn about(&self) -> Result<Value, Error> {
        let (state, solver) = (&self.run.state, &*self.run.solver);
        let derived = solver.derived(state);
        let number =
            |number: &Number| json!({ "name": number.name, "value": number.value, "unit": number.unit });
        let numbers = |list: &[Number]| list.iter().map(number).collect::<Vec<_>>();
        let resolved: toml::Table =
            run::resolved(&self.scene)?.parse().map_err(|error| Error::new(format!("{error}")))?;
        let parameters = resolved.get("solver").cloned();
        let walls = self.scene.wall.iter().enumerate().map(|(k, wall)| wall.called(k));
        let warnings: Vec<_> = derived.warnings.iter().chain(&self.setup.notes).collect();
        Ok(json!({
            "scene": self.setup.wanted.scene,
            "toml": self.setup.text,
            "set": self.setup.wanted.set,
            "title": self.scene.title,
            "method": solver.name(),
            "dim": D,
            "backend": self.processor.name(),
            "spacing": self.scene.spacing,
            "support": f64::from(solver.support_radius()),
            "rest_density": f64::from(state.rest.rho_0),
            "low": each::<f64, D>(|a| self.bounds[a].low).to_vec(),
            "high": each::<f64, D>(|a| self.bounds[a].high).to_vec(),
            "n_fluid": state.fluid.len(),
            "gravity": state.forces.gravity.map(f64::from).to_vec(),
            "walls": walls.collect::<Vec<_>>(),
            "fields": picture::fields(solver),
            "parameters": parameters,
            "constants": numbers(&derived.constants),
            "step_limits": numbers(&derived.step_limits),
            "warnings": warnings,
        }))
    }

    fn inspect(&mut self, id: Option<u64>) {
        self.inspected = id;
    }

    fn pick(&mut self, x: &[f64]) -> Result<(), Error> {
        fetched(self.run.fetch())?;
        self.inspected = particle::nearest(&self.run.state, x)?;
        Ok(())
    }

    fn particle(&mut self, pane: usize) -> Option<Message> {
        let id = self.inspected?;
        self.copy(&Fields::every(&*self.run.solver)).ok()?;
        Some(particle::message(pane, id, &self.frame, &self.run))
    }

    fn keep(&mut self) -> Result<Vec<u8>, Error> {
        let scene = run::resolved(&self.scene)?;
        let mut kept = Vec::new();
        let written = checkpoint::write(&mut self.run, &scene, PROGRAM, &mut kept);
        written.map_err(|error| Error::new(error.to_string()))?;
        Ok(kept)
    }

    fn rewound(&self, kept: &[u8]) -> Result<Box<dyn Pane>, Error> {
        let mut run = run::simulation::<D>(&self.scene, &self.processor)?;
        Checkpoint::read(&mut &*kept, kept.len() as u64)?.restore(&mut run)?;
        let done = run.interaction.history().len();
        Ok(Box::new(Self {
            bounds: self.bounds,
            shown: self.shown.clone(),
            walls: self.walls.clone(),
            inspected: self.inspected,
            by_hand: self.by_hand.iter().copied().filter(|&k| k < done).collect(),
            ..Self::of(self.setup.clone(), self.scene.clone(), &self.processor, run)
        }))
    }

    fn scene(&self) -> Result<String, Error> {
        let mut scene = self.scene.clone();
        // Far from its end, which would shorten the last two steps.
        scene.run.end_time = scene.run.end_time.max(2.0 * self.run.state.t);
        run::resolved(&scene)
    }

    fn script(&self) -> Result<String, Error> {
        let history = self.run.interaction.history();
        Script { command: self.by_hand.iter().map(|&k| history[k].command.clone()).collect() }.to_toml()
    }
}

fn fetched(done: Result<(), StepError>) -> Result<(), Error> {
    done.map_err(|error| Error::new(error.line()))
}
