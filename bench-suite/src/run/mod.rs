//! Runs a scene: the one place where dimension and solver, types everywhere else, become run-time choices.

pub mod checkpoints;
mod failure;
pub mod ranks;
pub mod solved;
mod start;
mod watch;

pub use failure::FAILURE_FILE;

use self::watch::Watch;
use crate::{
    metrics::{Metric, penetration},
    output::{self, OutputError, Stream, measures},
    result::{Phase, RunResult, failure::Failure, start::Start},
    run::checkpoints::Checkpoints,
    scenes::methods::solver_of,
    system::{
        clock::SystemClock,
        machine,
        processor::{Backend, Processor},
    },
};
use sph_core::{
    Real,
    error::Error,
    method::{failure::StepError, observer::Observer, report::StepReport},
    run::{checkpoint::Checkpoint, simulation::Simulation},
    scene::{Counts, Scene},
    watch::{measure::Series, penetration::PenetrationMonitor, plan::MemoryPlan},
};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// How to run, and what to keep.
pub struct Options<'a> {
    /// Name of the case or scene.
    pub case: String,
    /// Human label of the method and its settings.
    pub variant: String,
    /// Particles across the case's reference length, 0 for a scene file.
    pub particles_across: usize,
    /// Where and how steps run.
    pub processor: Processor,
    /// Moments of pictures, `[s]`.
    pub pictures: Vec<f64>,
    /// Frames to write while the run goes on.
    pub output: Option<output::Settings>,
    /// Called about ten times a second with the part done, steps and time.
    pub progress: Option<&'a dyn Fn(Progress)>,
    /// Called once before the first step, with what the scene has become.
    pub started: Option<&'a dyn Fn(&Start)>,
    /// Where checkpoints go, if there are any.
    pub checkpoints: Option<Keep<'a>>,
    /// Becomes true when the run shall end before its time.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Checkpoints of a run: after every so many steps if there is a number, and when the run is interrupted.
#[derive(Clone, Copy)]
pub struct Keep<'a> {
    /// Where they go.
    pub to: &'a Checkpoints<'a>,
    /// Steps from one to the next.
    pub every: Option<u64>,
    /// The one that the run goes on from.
    pub from: Option<&'a Path>,
    /// Removes those of an earlier run, once the scene is accepted.
    pub fresh: bool,
}

/// Where a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time, `[s]`.
    pub t: f64,
    /// End of the run, `[s]`.
    pub end: f64,
    /// Steps done.
    pub steps: u64,
    /// Wall-clock time, `[s]`.
    pub wall: f64,
}

/// The final particles of a run, for files.
pub enum Final {
    /// In two dimensions.
    Two(Box<Simulation<2>>),
    /// In three.
    Three(Box<Simulation<3>>),
}

impl Final {
    /// The series of its measures.
    pub fn measured(&self) -> Vec<&Series> {
        match self {
            Self::Two(simulation) => simulation.measures.series().collect(),
            Self::Three(simulation) => simulation.measures.series().collect(),
        }
    }
}

/// A run that has ended.
pub struct Ran {
    /// What it left behind.
    pub result: RunResult,
    /// Its last state.
    pub last: Final,
    /// True when it was interrupted.
    pub interrupted: bool,
    /// The last checkpoint that was written.
    pub checkpoint: Option<PathBuf>,
}

/// Runs a scene to its end, from a checkpoint if there is one. A run that fails is a result too, with its
/// reason.
///
/// # Errors
/// When the scene, or the checkpoint for it, is refused before the first step.
pub fn run(
    scene: &Scene,
    metrics: Vec<Box<dyn Metric>>,
    resume: Option<Checkpoint>,
    options: &Options<'_>,
) -> Result<Ran, Error> {
    if scene.dim == 2 {
        run_in::<2>(scene, metrics, resume, options, |run| Final::Two(Box::new(run)))
    } else {
        run_in::<3>(scene, metrics, resume, options, |run| Final::Three(Box::new(run)))
    }
}

/// The run of a scene with the solver that it names.
///
/// # Errors
/// When the solver is unknown or refuses the scene, when the scene needs more memory than is free, or fixes a step
/// that is not stable.
pub fn simulation<const D: usize>(scene: &Scene, processor: &Processor) -> Result<Simulation<D>, Error> {
    check_memory(scene, processor)?;
    let (method, clock) = (solver_of(scene)?, Box::new(SystemClock::default()));
    let simulation = match &processor.backend {
        Backend::Cpu if processor.ranks.count() > 1 => ranks::simulation(scene, processor),
        Backend::Cpu => method.simulation(scene, processor.isa, clock),
        #[cfg(feature = "cuda")]
        Backend::Cuda(device) => method.simulation_on(scene, device.clone(), clock),
        #[cfg(feature = "host")]
        Backend::Emulator(emulator) => method.simulation_on(scene, emulator.clone(), clock),
    }?;
    scene.check_time_step(&simulation.solver.derived(&simulation.state))?;
    Ok(simulation)
}

/// Refuses a scene that needs more than what is free, before anything is made.
///
/// # Errors
/// As said, and when a shape or a parameter is refused.
pub fn check_memory(scene: &Scene, processor: &Processor) -> Result<(), Error> {
    let plan = memory_plan(scene, scene.estimate()?, processor)?;
    let free = processor.backend.free_memory().map_err(|error| Error::new(error.to_string()))?;
    free.map_or(Ok(()), |free| plan.check_in(&processor.backend.memory_name(), scene, free as f64))
}

/// The memory that a run of the scene needs where its steps run, on the threads of this call.
///
/// # Errors
/// When the solver is unknown or refuses its parameters.
pub fn memory_plan(scene: &Scene, counts: Counts, processor: &Processor) -> Result<MemoryPlan, Error> {
    let method = solver_of(scene)?;
    match processor.backend.is_cpu() {
        true => (method.memory)(scene, counts, rayon::current_num_threads()),
        false => (method.gpu_memory)(scene, counts),
    }
}

fn run_in<const D: usize>(
    scene: &Scene,
    metrics: Vec<Box<dyn Metric>>,
    resume: Option<Checkpoint>,
    options: &Options<'_>,
    wrap: impl FnOnce(Simulation<D>) -> Final,
) -> Result<Ran, Error> {
    machine::reset_peak_memory();
    let before = machine::peak_memory_bytes();
    let mut simulation = simulation::<D>(scene, &options.processor)?;
    let resumed = resume.is_some();
    if let Some(checkpoint) = resume {
        checkpoint.restore(&mut simulation)?;
    }
    let scene = &scene.clone().in_flow(simulation.solver.derived(&simulation.state).flow);
    let begun = Start::of(scene, &simulation, &options.processor)?;
    if let Some(keep) = options.checkpoints.filter(|keep| keep.fresh) {
        keep.to.remove_all().map_err(|error| Error::new(error.to_string()))?;
    }
    let mut stream =
        options.output.as_ref().map(|settings| Stream::start(settings, &simulation)).transpose()?;
    options.started.iter().for_each(|started| started(&begun));
    let mut result = RunResult {
        n_fluid: simulation.state.fluid.len() as u64,
        start: Some(begun),
        scene_toml: resolved(scene)?,
        ..about(scene, &simulation, options)
    };
    let first = simulation.state.step;
    let mut watch = Watch::of(scene, metrics, simulation.state.t, options);
    let mut monitor = PenetrationMonitor::new(&simulation.state).with_limit(scene.run.escape_limit);
    let start = Instant::now();
    let ended = drive(&mut simulation, &mut watch, (&mut stream, &mut monitor), &result.scene_toml, resumed);
    let frames = stream.as_ref().map_or(0.0, Stream::seconds);
    result.wall_s = start.elapsed().as_secs_f64() - watch.looking - frames;
    let unwritten = stream.and_then(|stream| stream.finish().err());
    // If the state cannot be copied to the host, that of the last fetch stays; the fault was reported by a step before.
    let unfetched = simulation.fetch().err();
    monitor.measure(&simulation.state);
    take_memory(&mut result, before);
    result.steps = simulation.state.step - first;
    result.simulated_s = simulation.state.t;
    result.n_walls = simulation.state.walls.len() as u64;
    result.phases = phases(&simulation);
    result.state_hash = format!("{:016x}", simulation.state.hash());
    let ended = ended.judged(unfetched, &monitor, &simulation);
    result.failure = ended.failure(&simulation, unwritten.as_ref());
    result.failure_report = ended.report(watch.checkpoint.as_deref(), unwritten.as_ref());
    result.retries = std::mem::take(&mut simulation.guard.retries);
    take_measured(&mut result, &watch, &simulation);
    result.scores.extend(penetration::scores(&monitor, first));
    if result.failure.is_none() {
        result.warnings = penetration::warning(&monitor).into_iter().chain(watch.solved.warning()).collect();
    }
    result.frames = watch.frames;
    let interrupted = matches!(ended, Ended::Interrupted);
    Ok(Ran { result, interrupted, checkpoint: watch.checkpoint, last: wrap(simulation) })
}

/// What is known of a run before it steps.
fn about<const D: usize>(scene: &Scene, simulation: &Simulation<D>, options: &Options<'_>) -> RunResult {
    RunResult {
        case: options.case.clone(),
        solver: simulation.solver.name().into(),
        variant: options.variant.clone(),
        dim: D as u8,
        particles_across: options.particles_across as u64,
        spacing: scene.spacing,
        precision: if size_of::<Real>() == 4 { "f32" } else { "f64" }.into(),
        threads: rayon::current_num_threads() as u64,
        isa: options.processor.isa.to_string(),
        backend: options.processor.name(),
        ..RunResult::default()
    }
}

/// Takes what was measured while the run went on.
fn take_measured<const D: usize>(result: &mut RunResult, watch: &Watch<'_, '_>, simulation: &Simulation<D>) {
    result.iterations = watch.solved.mean(result.steps);
    for outcome in watch.metrics.iter().map(|s| s.metric.finish()) {
        result.scores.extend(outcome.scores);
        result.series.extend(outcome.series);
        result.fits.extend(outcome.fits);
    }
    result.series.extend(simulation.measures.series().flat_map(measures::curves));
    result.series.extend(watch.solved.series(simulation.solver.residuals()));
}

/// Takes the peak of the process's memory, and what of it came after `before`, `[B]`.
fn take_memory(result: &mut RunResult, before: Option<u64>) {
    let peak = machine::peak_memory_bytes();
    let held = peak.zip(before).map(|(peak, before)| peak.saturating_sub(before) as f64);
    result.memory_bytes_peak = peak;
    result.bytes_per_particle = held.map(|held| held / result.n_fluid.max(1) as f64);
}

/// How a run ended.
enum Ended {
    Done,
    Interrupted,
    Failed(Box<StepError>),
    /// A checkpoint could not be written.
    NotKept(String),
    /// A frame could not be written; the stream knows why.
    NotStreamed,
}

impl Ended {
    /// The end of a run whose last state may not have come to the host, or have particles behind walls.
    fn judged<const D: usize>(
        self,
        unfetched: Option<StepError>,
        monitor: &PenetrationMonitor<D>,
        simulation: &Simulation<D>,
    ) -> Self {
        match (self, unfetched) {
            (Self::Done | Self::Interrupted, Some(error)) => Self::Failed(Box::new(error)),
            (Self::Done, None) => match monitor.failure(&simulation.state) {
                Some(error) => Self::Failed(Box::new(simulation.explain(error))),
                None => Self::Done,
            },
            (ended, _) => ended,
        }
    }

    /// Why it ended early, if it did, and why not all frames could be written.
    fn failure<const D: usize>(
        &self,
        run: &Simulation<D>,
        unwritten: Option<&OutputError>,
    ) -> Option<String> {
        let place = format!("after step {}, t = {:.6} s", run.state.step, run.state.t);
        let why = match self {
            Self::Done => None,
            Self::NotStreamed => Some(format!("ended {place}")),
            Self::Interrupted => Some(format!("interrupted {place}")),
            Self::Failed(error) => Some(error.line()),
            Self::NotKept(why) => Some(format!("ended {place}: {why}")),
        };
        let all: Vec<_> = why.into_iter().chain(unwritten.map(ToString::to_string)).collect();
        if all.is_empty() { None } else { Some(all.join("; ")) }
    }

    /// What is known of a failed step.
    fn report(&self, checkpoint: Option<&Path>, unwritten: Option<&OutputError>) -> Option<Failure> {
        let Self::Failed(error) = self else { return None };
        let mut failure = Failure::of(error);
        failure.last_checkpoint = checkpoint.map(Path::to_owned);
        if let Some(error) = unwritten {
            failure.text += &format!("\n  frames are missing: {error}");
        }
        Some(failure)
    }
}

/// Steps to the end of the run; between the steps it is observed, written, and kept. A run that was resumed
/// has done so with its first state already.
fn drive<const D: usize>(
    run: &mut Simulation<D>,
    watch: &mut Watch<'_, '_>,
    (stream, monitor): (&mut Option<Stream<D>>, &mut PenetrationMonitor<D>),
    scene: &str,
    resumed: bool,
) -> Ended {
    let mut report = StepReport::default();
    let first = run.state.step;
    loop {
        let old = resumed && run.state.step == first;
        let entered = Instant::now();
        if let Err(error) = run.measure(&report) {
            return Ended::Failed(Box::new(error));
        }
        watch.looking += entered.elapsed().as_secs_f64();
        if let Err(error) = fetch(run, watch, stream, &report) {
            return Ended::Failed(Box::new(error));
        }
        watch.look(&run.view(&report));
        let entered = Instant::now();
        let inside = match are_inside(run, monitor, &report) {
            Ok(inside) => inside,
            Err(error) => return Ended::Failed(Box::new(error)),
        };
        watch.looking += entered.elapsed().as_secs_f64();
        if let Some(stream) = stream.as_mut()
            && !stream.observe(&run.view(&report))
        {
            return Ended::NotStreamed;
        }
        if let Some(error) = monitor.failure(&run.state).filter(|_| !inside) {
            // What cannot be fetched is not explained, but the failure is told all the same.
            let _ = run.fetch();
            return Ended::Failed(Box::new(run.explain(error)));
        }
        if run.state.t >= watch.end || run.state.step >= watch.max_steps {
            return Ended::Done;
        }
        let interrupted = watch.options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted || !old && watch.is_due(run.state.step) {
            // A checkpoint promises that the frames up to it are there.
            if stream.as_mut().is_some_and(|stream| !stream.settle()) {
                return Ended::NotStreamed;
            }
            if let Err(error) = watch.keep(run, scene) {
                return Ended::NotKept(error.to_string());
            }
        }
        if interrupted {
            return Ended::Interrupted;
        }
        match run.step(watch.end) {
            Ok(done) => report = watch.count(done),
            Err(error) => return Ended::Failed(Box::new(error)),
        }
    }
}

/// Whether no more particles have escaped than may, as far as the monitor knows. It gets those that it looks for.
fn are_inside<const D: usize>(
    run: &mut Simulation<D>,
    monitor: &mut PenetrationMonitor<D>,
    report: &StepReport,
) -> Result<bool, StepError> {
    if monitor.count(&run.view(report)) {
        let found = run.find(monitor.search())?;
        monitor.judge(&run.state, &found);
    }
    Ok(!monitor.is_over(run.state.fluid.len()))
}

/// Copies the state to the host if an observer is due now.
fn fetch<const D: usize>(
    run: &mut Simulation<D>,
    watch: &Watch<'_, '_>,
    stream: &Option<Stream<D>>,
    report: &StepReport,
) -> Result<(), StepError> {
    let view = run.view(report);
    let due = watch.is_looking(view.state.t, view.state.step)
        || stream.as_ref().is_some_and(|stream| stream.is_due(&view));
    if due { run.fetch() } else { Ok(()) }
}

/// The scene with every default written out, those of its solver too: it gives the same run when they change.
///
/// # Errors
/// When the solver refuses its parameters.
pub fn resolved(scene: &Scene) -> Result<String, Error> {
    let mut all = scene.clone();
    (solver_of(scene)?.resolve)(scene, &mut all.solver)?;
    all.measure.iter_mut().for_each(|measure| measure.interval = Some(measure.interval_in(scene)));
    all.to_toml()
}

fn phases<const D: usize>(simulation: &Simulation<D>) -> Vec<Phase> {
    let phases = simulation.solver.stopwatch().phases().iter();
    phases.map(|p| Phase { name: p.name.into(), seconds: p.seconds, calls: p.calls }).collect()
}
