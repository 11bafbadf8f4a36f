//! Runs a scene: the one place where dimension and solver, types everywhere else, become run-time choices.

use crate::{
    case::{HostView, Metric},
    clock::SystemClock,
    machine,
    picture::{self, Cloud, Scale, Style},
    report::html::base64,
    result::{Frame, Image, Phase, RunResult},
    start::Start,
};
use sph_core::{
    Real,
    error::Error,
    lane::Isa,
    plan::{Counts, MemoryPlan},
    scene::Scene,
    simulation::{Simulation, View},
};
use std::time::Instant;

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
    /// Called about ten times a second with the part done, steps and time.
    pub progress: Option<&'a dyn Fn(Progress)>,
    /// Called once before the first step, with what the scene has become.
    pub started: Option<&'a dyn Fn(&Start)>,
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

/// Runs a scene to its end. A run that fails is a result too, with its reason.
///
/// # Errors
/// When the scene is refused before the first step.
pub fn run(
    scene: &Scene,
    metrics: Vec<Box<dyn Metric>>,
    options: &Options<'_>,
) -> Result<(RunResult, Final), Error> {
    if scene.dim == 2 {
        let (result, simulation) = run_in::<2>(scene, metrics, options)?;
        Ok((result, Final::Two(Box::new(simulation))))
    } else {
        let (result, simulation) = run_in::<3>(scene, metrics, options)?;
        Ok((result, Final::Three(Box::new(simulation))))
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
    };
    scene.check_time_step(&simulation.solver.derived(&simulation.state))?;
    Ok(simulation)
}

/// The memory that a run of the scene needs on the threads of this call.
///
/// # Errors
/// When the solver is unknown or refuses its parameters.
pub fn memory_plan(scene: &Scene, counts: Counts) -> Result<MemoryPlan, Error> {
    match solver_of(scene)? {
        Method::Wcsph => solver_wcsph::memory_plan(scene, counts, rayon::current_num_threads()),
    }
}

/// The solvers that a scene may name.
enum Method {
    Wcsph,
}

fn solver_of(scene: &Scene) -> Result<Method, Error> {
    match scene.solver.name() {
        None | Some("wcsph") => Ok(Method::Wcsph),
        Some(other) => {
            let error = Error::invalid("solver.name", "is no solver").value(format!("{other:?}"));
            Err(scene.locate(error.hint("use \"wcsph\"")))
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
    options: &'a Options<'b>,
    end: f64,
    max_steps: u64,
    start: Instant,
    last_progress: f64,
    /// Time spent looking, not stepping, `[s]`.
    looking: f64,
}

fn run_in<const D: usize>(
    scene: &Scene,
    metrics: Vec<Box<dyn Metric>>,
    options: &Options<'_>,
) -> Result<(RunResult, Simulation<D>), Error> {
    machine::reset_peak_memory();
    let before = machine::peak_memory_bytes();
    let mut simulation = simulation::<D>(scene, options.isa)?;
    let n = simulation.state.fluid.len();
    let begun = Start::of(scene, &simulation)?;
    if let Some(started) = options.started {
        started(&begun);
    }
    let mut watch = Watch {
        metrics: metrics.into_iter().map(|metric| Scheduled { metric, next: 0.0 }).collect(),
        frames: Vec::new(),
        options,
        end: scene.run.end_time,
        max_steps: scene.run.max_steps.unwrap_or(u64::MAX),
        start: Instant::now(),
        last_progress: 0.0,
        looking: 0.0,
    };
    let start = Instant::now();
    let ended = simulation.run(watch.end, watch.max_steps, &mut [&mut |view: &View<'_, D>| watch.look(view)]);
    let wall = start.elapsed().as_secs_f64() - watch.looking;
    let outcomes: Vec<_> = watch.metrics.iter().map(|s| s.metric.finish()).collect();
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
        steps: simulation.state.step,
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
        scene_toml: resolved(scene)?,
        failure: ended.err().map(|error| error.to_string()),
        ..RunResult::default()
    };
    for outcome in outcomes {
        result.scores.extend(outcome.scores);
        result.series.extend(outcome.series);
    }
    Ok((result, simulation))
}

/// The scene with every default written out, those of its solver too: it gives the same run when they change.
///
/// # Errors
/// When the solver refuses its parameters.
pub fn resolved(scene: &Scene) -> Result<String, Error> {
    let mut all = scene.clone();
    all.solver.resolve(&solver_wcsph::parameters(scene)?)?;
    all.to_toml()
}

fn phases<const D: usize>(simulation: &Simulation<D>) -> Vec<Phase> {
    let phases = simulation.solver.stopwatch().phases().iter();
    phases.map(|p| Phase { name: p.name.into(), seconds: p.seconds, calls: p.calls }).collect()
}

impl Watch<'_, '_> {
    fn look<const D: usize>(&mut self, view: &View<'_, D>) -> bool {
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
        while self.options.pictures.get(self.frames.len()).is_some_and(|&at| t >= at) {
            match picture_of(view) {
                Some(frame) => self.frames.push(frame),
                None => break,
            }
        }
        self.report_progress(t, view.state.step);
        self.looking += entered.elapsed().as_secs_f64();
        true
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
