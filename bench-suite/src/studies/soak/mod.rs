//! A column of water at rest for many steps: drift of energy, memory and open files.

pub mod page;

use crate::{
    cases::{Case, column::Column},
    run,
    system::{
        machine::{self, Machine},
        processor::Processor,
    },
};
use serde::Serialize;
use sph_core::{
    error::Error,
    method::{observer::View, state::State},
    numerics::parallel::{self, Sum},
    scene::Scene,
    watch::penetration::PenetrationMonitor,
};
use std::time::Instant;

/// Kinetic energy of a column at rest, over its weight times its depth: the band of the validation, `[-]`.
pub const MOST_ENERGY: f64 = 1e-5;
/// Growth of resident memory after the warm-up, `[bytes]`.
pub const MOST_GROWTH: u64 = 1 << 20;
/// Looks in a run.
const SAMPLES: u64 = 200;
/// Depth of the column, `[m]`.
const DEPTH: f64 = 1.0;

/// How long, and how large.
#[derive(Clone, Debug)]
pub struct Options {
    /// Steps.
    pub steps: u64,
    /// Fluid particles, about.
    pub particles: u64,
    /// Where and how steps run.
    pub processor: Processor,
}

/// What was seen at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Steps done.
    pub step: u64,
    /// Time, `[s]`.
    pub t: f64,
    /// Kinetic energy over weight times depth, `[-]`.
    pub energy: f64,
    /// Largest speed, `[m/s]`.
    pub max_speed: f64,
    /// Mean density error, `[-]`.
    pub density_error: f64,
    /// Resident memory, where the system tells, `[bytes]`.
    pub memory: Option<u64>,
    /// Open file handles, where the system tells.
    pub handles: Option<u64>,
    /// Steps a second since the sample before.
    pub steps_per_s: f64,
}

/// A soak, finished or stopped.
#[derive(Clone, Debug, Serialize)]
pub struct Soak {
    /// When it ended, UTC.
    pub created: String,
    /// Commit of the source.
    pub commit: String,
    /// The machine.
    pub machine: Machine,
    /// `f32` or `f64`.
    pub precision: &'static str,
    /// Threads.
    pub threads: usize,
    /// Where the steps ran.
    pub backend: String,
    /// Fluid particles.
    pub particles: usize,
    /// Wall samples.
    pub walls: usize,
    /// Steps asked for.
    pub steps: u64,
    /// Step from which on growth is counted and energy judged: a tenth of them.
    pub warm_up: u64,
    /// Wall-clock time, `[s]`.
    pub wall_s: f64,
    /// Particles that have passed a wall.
    pub escaped: usize,
    /// Deepest penetration of a wall, in spacings, `[-]`.
    pub deepest: f64,
    /// What was seen.
    pub samples: Vec<Sample>,
    /// Why it did not hold, if it did not.
    pub failure: Option<String>,
}

/// The column: a tank of 1 m × 0.5 m, filled to 1 m, as in the validation.
pub fn scene(options: &Options) -> Scene {
    // n · n · n/2 particles; an even n fits the half meter.
    let n = 2 * ((2.0 * options.particles as f64).cbrt() / 2.0).round().max(3.0) as usize;
    let mut scene = Column { dim: 3 }.scene(n);
    scene.title = "Column at rest for long".into();
    scene
}

/// Watches the run.
struct Watch<'a> {
    samples: Vec<Sample>,
    steps: u64,
    warm_up: u64,
    /// Weight of the column times its depth, `[J]`.
    scale: f64,
    last: (Instant, u64),
    progress: &'a dyn Fn(&[Sample]),
    failure: Option<String>,
}

/// Runs it; `progress` sees all samples whenever there is a new one.
///
/// # Errors
/// When the scene is refused, which would be a mistake here.
pub fn soak(options: &Options, progress: &dyn Fn(&[Sample])) -> Result<Soak, Error> {
    let mut simulation = run::simulation::<3>(&scene(options), &options.processor)?;
    let (particles, walls) = (simulation.state.fluid.len(), simulation.state.walls.len());
    let weight = 9.81 * f64::from(simulation.state.rest.m) * particles as f64;
    let start = Instant::now();
    let mut watch = Watch {
        // Capacity for all, so that the watch itself does not grow.
        samples: Vec::with_capacity(SAMPLES as usize + 2),
        steps: options.steps,
        warm_up: options.steps / 10,
        scale: weight * DEPTH,
        last: (start, 0),
        progress,
        failure: None,
    };
    let mut monitor = PenetrationMonitor::new(&simulation.state);
    let mut look = |view: &View<'_, 3>| watch.look(view);
    let ended = simulation.run(f64::INFINITY, options.steps, &mut [&mut look, &mut monitor]);
    let ended = ended.and_then(|()| simulation.fetch());
    monitor.measure(&simulation.state);
    let mut failure = watch.failure.or(ended.err().map(|error| error.to_string()));
    if let (None, Some(first)) = (&failure, monitor.escaped().first()) {
        failure = Some(format!("particle {first} has escaped"));
    }
    Ok(Soak {
        created: machine::utc_now(),
        commit: machine::git_commit(),
        machine: Machine::detect(),
        precision: if size_of::<sph_core::Real>() == 4 { "f32" } else { "f64" },
        threads: rayon::current_num_threads(),
        backend: options.processor.name(),
        particles,
        walls,
        steps: options.steps,
        warm_up: watch.warm_up,
        wall_s: start.elapsed().as_secs_f64(),
        escaped: monitor.escaped().len(),
        deepest: monitor.deepest().map_or(0.0, |p| p.depth),
        samples: watch.samples,
        failure,
    })
}

impl Watch<'_> {
    /// Takes a sample when one is due; false ends a run that does not hold.
    fn look(&mut self, view: &View<'_, 3>) -> bool {
        let step = view.state.step;
        let due = step.is_multiple_of((self.steps / SAMPLES).max(1)) || step == self.steps;
        if !due || step == 0 {
            return true;
        }
        let now = Instant::now();
        let seconds = now.duration_since(self.last.0).as_secs_f64();
        self.samples.push(Sample {
            step,
            t: view.state.t,
            energy: kinetic_energy(view.state) / self.scale,
            max_speed: view.report.max_speed,
            density_error: view.report.density_error_mean,
            memory: machine::memory_bytes(),
            handles: machine::open_handles(),
            steps_per_s: (step - self.last.1) as f64 / seconds,
        });
        self.last = (now, step);
        (self.progress)(&self.samples);
        self.failure = failure(&self.samples, self.warm_up);
        self.failure.is_none()
    }
}

/// The first sample after the warm-up: growth is counted from there.
pub fn warm(samples: &[Sample], warm_up: u64) -> Option<&Sample> {
    samples.iter().find(|sample| sample.step >= warm_up)
}

/// Growth of resident memory since the warm-up `[bytes]`; none before its end, or where the system does not tell.
pub fn growth(samples: &[Sample], warm_up: u64) -> Option<u64> {
    let (warm, last) = (warm(samples, warm_up)?, samples.last()?);
    Some(last.memory?.saturating_sub(warm.memory?))
}

/// Why the last sample does not hold, if it does not.
pub fn failure(samples: &[Sample], warm_up: u64) -> Option<String> {
    let (warm, last) = (warm(samples, warm_up)?, samples.last()?);
    if !last.energy.is_finite() {
        return Some(format!("step {}: the kinetic energy is not finite", last.step));
    }
    if last.energy > MOST_ENERGY {
        let (step, energy) = (last.step, last.energy);
        return Some(format!("step {step}: kinetic energy {energy:.2e} ρgHV, more than {MOST_ENERGY:e}"));
    }
    let grown = growth(samples, warm_up).unwrap_or(0);
    if grown >= MOST_GROWTH {
        return Some(format!(
            "step {}: memory has grown by {} KiB since the warm-up",
            last.step,
            grown >> 10
        ));
    }
    if warm.handles != last.handles {
        let (was, is) = (warm.handles.unwrap_or(0), last.handles.unwrap_or(0));
        return Some(format!("step {}: {is} open file handles, {was} after the warm-up", last.step));
    }
    None
}

/// Kinetic energy of the fluid, `[J]`.
fn kinetic_energy(state: &State<3>) -> f64 {
    let fluid = &state.fluid;
    let Sum(squares) = parallel::blocks(fluid.len(), (), |range, ()| {
        Sum(range.map(|i| fluid.velocity(i).iter().map(|&v| f64::from(v).powi(2)).sum::<f64>()).sum())
    });
    0.5 * f64::from(state.rest.m) * squares
}
