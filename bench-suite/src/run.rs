//! Runs a scene: the one place where dimension and solver, types everywhere else, become run-time choices.

use crate::{
    case::{HostView, Metric},
    checkpoints::Checkpoints,
    clock::SystemClock,
    failure::Failure,
    machine,
    metrics::leak,
    output::{self, Stream},
    picture::{self, Cloud, Scale, Style},
    report::html::base64,
    result::{Frame, Image, Phase, RunResult},
    start::Start,
    write::WriteError,
};
use sph_core::{
    Real,
    checkpoint::Checkpoint,
    error::Error,
    lane::Isa,
    leak::LeakMeter,
    plan::{Counts, MemoryPlan},
    scene::Scene,
    simulation::{Observer, Simulation, View},
    solver::{StepError, StepReport},
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
    /// Instruction set.
    pub isa: Isa,
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
pub fn simulation<const D: usize>(scene: &Scene, isa: Isa) -> Result<Simulation<D>, Error> {
    let plan = memory_plan(scene, scene.estimate()?)?;
    if let Some(free) = machine::free_memory_bytes() {
        plan.check(scene, free as f64)?;
    }
    let clock = Box::new(SystemClock::default());
    let simulation = match solver_of(scene)? {
        Method::Wcsph => solver_wcsph::simulation(scene, isa, clock)?,
        Method::Pbf => solver_pbf::simulation(scene, isa, clock)?,
    };
    scene.check_time_step(&simulation.solver.derived(&simulation.state))?;
    Ok(simulation)
}

/// The memory that a run of the scene needs on the threads of this call.
///
/// # Errors
/// When the solver is unknown or refuses its parameters.
pub fn memory_plan(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    let threads = rayon::current_num_threads();
    match solver_of(scene)? {
        Method::Wcsph => solver_wcsph::memory_plan(scene, counts, threads),
        Method::Pbf => solver_pbf::memory_plan(scene, counts, threads),
    }
}

/// The solvers that a scene may name.
enum Method {
    Wcsph,
    Pbf,
}

fn solver_of(scene: &Scene) -> Result<Method, Error> {
    match scene.solver.name() {
        None | Some("wcsph") => Ok(Method::Wcsph),
        Some("pbf") => Ok(Method::Pbf),
        Some(other) => {
            let error = Error::invalid("solver.name", "is no solver").value(format!("{other:?}"));
            Err(scene.locate(error.hint("use \"wcsph\" or \"pbf\"")))
        }
    }
}

/// A metric, and when it looks next.
struct Scheduled {
    metric: Box<dyn Metric>,
    next: f64,
}

/// Metrics, pictures and progress of a run.
struct Watch<'a, 'b> {
    metrics: Vec<Scheduled>,
    frames: Vec<Frame>,
    pictures_done: usize,
    options: &'a Options<'b>,
    end: f64,
    max_steps: u64,
    start: Instant,
    last_progress: f64,
    /// The last checkpoint.
    checkpoint: Option<PathBuf>,
    /// Time spent looking and keeping, not stepping, `[s]`.
    looking: f64,
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
    let mut simulation = simulation::<D>(scene, options.isa)?;
    let resumed = resume.is_some();
    if let Some(checkpoint) = resume {
        checkpoint.restore(&mut simulation)?;
    }
    let (n, first) = (simulation.state.fluid.len(), simulation.state.step);
    let mut stream =
        options.output.as_ref().map(|settings| Stream::start(settings, &simulation)).transpose()?;
    let begun = Start::of(scene, &simulation)?;
    if let Some(started) = options.started {
        started(&begun);
    }
    let mut watch = Watch::of(scene, metrics, simulation.state.t, options);
    let mut leak = LeakMeter::new(&simulation.state);
    let scene_toml = resolved(scene)?;
    let start = Instant::now();
    let mut ended = drive(&mut simulation, &mut watch, (&mut stream, &mut leak), &scene_toml, resumed);
    let frames = stream.as_ref().map_or(0.0, Stream::seconds);
    let wall = start.elapsed().as_secs_f64() - watch.looking - frames;
    if let (Err(error), true) = (stream.map(Stream::finish).transpose(), !matches!(ended, Ended::Failed(_))) {
        ended = Ended::NotWritten(error.to_string());
    }
    leak.look(&simulation.state);
    let peak = machine::peak_memory_bytes();
    let held = peak.zip(before).map(|(peak, before)| peak.saturating_sub(before) as f64 / n.max(1) as f64);
    let mut result = RunResult {
        case: options.case.clone(),
        solver: simulation.solver.name().into(),
        variant: options.variant.clone(),
        dim: D as u8,
        particles_across: options.particles_across as u64,
        spacing: scene.spacing,
        n_fluid: n as u64,
        n_walls: simulation.state.walls.len() as u64,
        steps: simulation.state.step - first,
        simulated_s: simulation.state.t,
        wall_s: wall,
        precision: if size_of::<Real>() == 4 { "f32" } else { "f64" }.into(),
        threads: rayon::current_num_threads() as u64,
        isa: options.isa.to_string(),
        phases: phases(&simulation),
        memory_bytes_peak: peak,
        bytes_per_particle: held,
        frames: std::mem::take(&mut watch.frames),
        start: Some(begun),
        state_hash: format!("{:016x}", simulation.state.hash()),
        scene_toml,
        failure: ended.failure(simulation.state.step, simulation.state.t),
        failure_report: ended.report(watch.checkpoint.as_deref()),
        retries: std::mem::take(&mut simulation.guard.retries),
        ..RunResult::default()
    };
    for outcome in watch.metrics.iter().map(|s| s.metric.finish()) {
        result.scores.extend(outcome.scores);
        result.series.extend(outcome.series);
    }
    result.scores.extend(leak::scores(&leak));
    let interrupted = matches!(ended, Ended::Interrupted);
    Ok(Ran { result, interrupted, checkpoint: watch.checkpoint, last: wrap(simulation) })
}

/// How a run ended.
enum Ended {
    Done,
    Interrupted,
    Failed(Box<StepError>),
    /// A checkpoint or a frame could not be written.
    NotWritten(String),
}

impl Ended {
    /// Why it ended early, if it did.
    fn failure(&self, step: u64, t: f64) -> Option<String> {
        match self {
            Self::Done => None,
            Self::Interrupted => Some(format!("interrupted after step {step}, t = {t:.6} s")),
            Self::Failed(error) => Some(error.line()),
            Self::NotWritten(why) => Some(why.clone()),
        }
    }

    /// What is known of a failed step.
    fn report(&self, checkpoint: Option<&Path>) -> Option<Failure> {
        let Self::Failed(error) = self else { return None };
        Some(Failure { last_checkpoint: checkpoint.map(Path::to_owned), ..Failure::of(error) })
    }
}

/// Steps to the end of the run; between the steps it is looked at, written, and kept. A run that was resumed
/// has done so with its first state already.
fn drive<const D: usize>(
    run: &mut Simulation<D>,
    watch: &mut Watch<'_, '_>,
    (stream, leak): (&mut Option<Stream<D>>, &mut LeakMeter<D>),
    scene: &str,
    resumed: bool,
) -> Ended {
    let mut report = StepReport::default();
    let first = run.state.step;
    loop {
        let old = resumed && run.state.step == first;
        watch.look(&run.view(&report));
        let entered = Instant::now();
        leak.observe(&run.view(&report));
        watch.looking += entered.elapsed().as_secs_f64();
        if let Some(stream) = stream.as_mut()
            && !stream.observe(&run.view(&report))
        {
            return Ended::NotWritten(String::new());
        }
        if run.state.t >= watch.end || run.state.step >= watch.max_steps {
            return Ended::Done;
        }
        let interrupted = watch.options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted || !old && watch.is_due(run.state.step) {
            // A checkpoint promises that the frames up to it are there.
            if let Some(Err(error)) = stream.as_mut().map(Stream::settle) {
                return Ended::NotWritten(error.to_string());
            }
            if let Err(error) = watch.keep(run, scene) {
                return Ended::NotWritten(error.to_string());
            }
        }
        if interrupted {
            return Ended::Interrupted;
        }
        match run.step(watch.end) {
            Ok(done) => report = done,
            Err(error) => return Ended::Failed(Box::new(error)),
        }
    }
}

/// The scene with every default written out, those of its solver too: it gives the same run when they change.
///
/// # Errors
/// When the solver refuses its parameters.
pub fn resolved(scene: &Scene) -> Result<String, Error> {
    let mut all = scene.clone();
    match solver_of(scene)? {
        Method::Wcsph => all.solver.resolve(&solver_wcsph::parameters(scene)?)?,
        Method::Pbf => all.solver.resolve(&solver_pbf::parameters(scene)?)?,
    }
    all.to_toml()
}

fn phases<const D: usize>(simulation: &Simulation<D>) -> Vec<Phase> {
    let phases = simulation.solver.stopwatch().phases().iter();
    phases.map(|p| Phase { name: p.name.into(), seconds: p.seconds, calls: p.calls }).collect()
}

impl<'a, 'b> Watch<'a, 'b> {
    fn of(scene: &Scene, metrics: Vec<Box<dyn Metric>>, from: f64, options: &'a Options<'b>) -> Self {
        Self {
            metrics: metrics.into_iter().map(|metric| Scheduled { metric, next: 0.0 }).collect(),
            frames: Vec::new(),
            pictures_done: options.pictures.partition_point(|&at| at < from),
            options,
            end: scene.run.end_time,
            max_steps: scene.run.max_steps.unwrap_or(u64::MAX),
            start: Instant::now(),
            last_progress: 0.0,
            checkpoint: None,
            looking: 0.0,
        }
    }

    /// True when a checkpoint is due after so many steps.
    fn is_due(&self, step: u64) -> bool {
        let every = self.options.checkpoints.and_then(|keep| keep.every);
        step > 0 && every.is_some_and(|every| step.is_multiple_of(every))
    }

    /// Writes a checkpoint, if the run has a place for them.
    fn keep<const D: usize>(&mut self, run: &mut Simulation<D>, scene: &str) -> Result<(), WriteError> {
        let Some(keep) = self.options.checkpoints else { return Ok(()) };
        let entered = Instant::now();
        self.checkpoint = Some(keep.to.save(run, scene)?);
        self.looking += entered.elapsed().as_secs_f64();
        Ok(())
    }

    fn look<const D: usize>(&mut self, view: &View<'_, D>) {
        let entered = Instant::now();
        let t = view.state.t;
        let last = t >= self.end || view.state.step >= self.max_steps;
        if last || self.metrics.iter().any(|s| t >= s.next) {
            HostView::with(view, |host| {
                for s in self.metrics.iter_mut().filter(|s| last || t >= s.next) {
                    s.metric.observe(host);
                    s.next += s.metric.interval() * (1.0 + ((t - s.next) / s.metric.interval()).floor());
                }
            });
        }
        while self.options.pictures.get(self.pictures_done).is_some_and(|&at| t >= at) {
            self.frames.extend(picture_of(view));
            self.pictures_done += 1;
        }
        self.report_progress(t, view.state.step);
        self.looking += entered.elapsed().as_secs_f64();
    }

    fn report_progress(&mut self, t: f64, steps: u64) {
        let wall = self.start.elapsed().as_secs_f64();
        if let Some(progress) = self.options.progress
            && wall - self.last_progress > 0.1
        {
            self.last_progress = wall;
            progress(Progress { t, end: self.end, steps, wall });
        }
    }
}

/// A picture of the particles colored by speed; `None` when it cannot be drawn.
fn picture_of<const D: usize>(view: &View<'_, D>) -> Option<Frame> {
    let state = view.state;
    let speed = |i: usize| state.fluid.velocity(i).iter().map(|v| v * v).sum::<Real>().sqrt();
    let values: Vec<Real> = (0..state.fluid.len()).map(speed).collect();
    let top = values.iter().fold(0.0_f64, |top, &v| top.max(f64::from(v))).max(1e-6);
    let cloud = Cloud {
        fluid: state.fluid.x.each_ref().map(Vec::as_slice),
        values: &values,
        walls: state.walls.x.each_ref().map(Vec::as_slice),
        spacing: f64::from(state.rest.spacing),
        bounds: None,
    };
    let title = format!("t = {:.3} s", state.t);
    let mut style = Style::new(900, 420, &title, Scale::speed(top));
    // Gravity points along the second axis in both dimensions.
    style.up = 1;
    let png = picture::draw(&cloud, &style).ok()?;
    Some(Frame { t: state.t, caption: format!("{title}, colored by speed"), image: Image::Png(base64(&png)) })
}
