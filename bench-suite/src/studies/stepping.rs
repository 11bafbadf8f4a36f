//! Steps of the dam break of the reference codes, timed as a whole and by phase.

use crate::{
    run,
    system::{machine, processor::Processor},
};
use cuda_kernels::device::counts;
use serde::Serialize;
use sph_core::{
    error::Error,
    geometry::{
        sampling::{Lattice, Side},
        shape::{Block, Shape},
    },
    method::{report::StepReport, state::State},
    run::simulation::Simulation,
    scene::{Counts, Fluid, Scene, Slip, SolverSettings, Wall},
};
use std::{collections::BTreeMap, f64::consts::PI, time::Instant};

/// What to time.
#[derive(Clone, Debug)]
pub struct Options {
    /// The scene: [`scene`], or that of another method.
    pub scene: Scene,
    /// Steps before the clock starts.
    pub warmup: u64,
    /// Steps timed, each by itself.
    pub steps: u64,
    /// Where and how steps run.
    pub processor: Processor,
    /// True to time each kernel by events, which slows the steps down.
    pub kernels: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Timing {
    /// Fluid particles.
    pub particles: usize,
    /// Wall samples.
    pub walls: usize,
    /// Threads.
    pub threads: usize,
    /// Instruction set.
    pub isa: String,
    /// Where the steps ran.
    pub backend: String,
    /// Median, `[ms]`.
    pub ms_per_step: f64,
    /// Fastest step, `[ms]`.
    pub ms_min: f64,
    /// Million particle-steps a second, of the median.
    pub million_per_second: f64,
    /// Neighbors within the support on a lattice at rest.
    pub mean_neighbors: f64,
    /// Planned memory of what holds the steps where they do not run on the processor, `[B]`.
    pub backend_bytes: Option<f64>,
    /// Memory of a GPU that the run took, `[B]`.
    pub backend_bytes_used: Option<f64>,
    /// What a step asks of a GPU, or of the emulator; zeros on the CPU.
    pub per_step: PerStep,
    /// Kernels by the time that they take, the longest first.
    pub kernels: Vec<KernelTiming>,
    /// Peak memory of the process over the particles, `[B]`.
    pub bytes_per_particle: f64,
    /// Peak memory of the process, `[MiB]`.
    pub peak_rss_mib: f64,
    /// Sort and lists, `[ns]` a particle and step.
    pub ns_per_particle_neighbors: f64,
    /// Mean time of each phase, `[ns]` a particle and step.
    pub phases: BTreeMap<&'static str, f64>,
    /// Mean number of iterations of a step; null for methods without.
    pub iterations: Option<f64>,
    /// The fluid at the end: time, density error, speed, front, and energies, the potential one over that of the start.
    pub physics: BTreeMap<&'static str, f64>,
}

/// Means over the timed steps.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PerStep {
    /// Launches of kernels.
    pub launches: f64,
    /// Copies to the host.
    pub reads: f64,
    /// Times that the host waits.
    pub waits: f64,
}

/// Time of a kernel by events.
#[derive(Clone, Debug, Serialize)]
pub struct KernelTiming {
    /// Its name.
    pub kernel: &'static str,
    /// Launches a step.
    pub launches_per_step: f64,
    /// Time, `[ns]` a particle and step.
    pub ns_per_particle: f64,
}

/// The reference codes' case, 2m × 2m × m particles shaken by up to `jitter` spacings: a block of 1 × 1 × 0.5 m in a
/// tank of 2 × 2 × 0.5 m, one layer of walls.
pub fn scene(m: usize, jitter: f64) -> Scene {
    let d = 0.5 / m as f64;
    let block = |max: [f64; 3]| Shape::Block(Block { min: vec![0.0; 3], max: max.to_vec() });
    let mut scene = Scene::new(3, d, 10.0);
    scene.title = "Dam break of the reference codes".into();
    scene.mass_mode = sph_core::scene::MassMode::Volume;
    scene.fluid = vec![Fluid { lattice: Lattice::Cartesian, jitter, ..Fluid::new(block([1.0, 1.0, 0.5])) }];
    // The walls of the reference codes have no friction.
    let tank = Wall::new(block([2.0, 2.0, 0.5]), Side::Inside);
    scene.wall = vec![Wall { layers: 1, offset: 0.7, slip: Slip::FreeSlip, ..tank }];
    scene.solver.set("name", "wcsph");
    scene.solver.set("preset", "graphics");
    scene.solver.set("sound_speed", 44.294_469);
    // The reference codes' "standard" viscosity of 0.01 m²/s is this model at 10 Pa s.
    scene.solver.set("viscosity_model", "solenoidal");
    scene.solver.set("dynamic_viscosity", 10.0);
    scene.solver.set("viscosity_calibration", false);
    scene.run.time_step = Some(0.01 * d);
    scene
}

/// When Position Based Fluids end their iterations.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After so many.
    Iterations(u32),
    /// At this mean density error, `[-]`, but not before the second: at these steps one alone stirs the fluid up.
    Error(f64),
}

/// The same by Position Based Fluids, with the constraint alone.
pub fn scene_of_pbf(m: usize, jitter: f64, until: Until) -> Scene {
    const MOST: u32 = 500;
    let mut scene = scene(m, jitter);
    scene.solver = SolverSettings::named("pbf");
    scene.solver.set("preset", "fluid_demo");
    let (least, most, error) = match until {
        Until::Iterations(n) => (n, n, 1e-9),
        Until::Error(error) => (2, MOST, error),
    };
    scene.solver.set("min_iterations", i64::from(least));
    scene.solver.set("solver_iterations", i64::from(most));
    scene.solver.set("density_tolerance", error);
    scene.run.time_step = Some(0.1 * scene.spacing);
    scene
}

/// The same by double density relaxation, with springs or without.
pub fn scene_of_viscoelastic(m: usize, jitter: f64, mode: &str, springs: bool) -> Scene {
    let mut scene = scene(m, jitter);
    scene.solver = SolverSettings::named("viscoelastic");
    scene.solver.set("relax_mode", mode);
    if springs {
        scene.solver.set("spring_stiffness", 1000.0);
    }
    scene.run.time_step = None;
    scene
}

/// The same by the staggered projection, with walls as thick as its support.
pub fn scene_of_projection(m: usize, jitter: f64) -> Scene {
    let mut scene = scene(m, jitter);
    scene.mass_mode = sph_core::scene::MassMode::Calibrated;
    scene.solver = SolverSettings::named("projection");
    for wall in &mut scene.wall {
        (wall.layers, wall.offset) = (3, 0.5);
    }
    scene.run.time_step = None;
    scene
}

/// Runs and times the steps.
///
/// # Errors
/// When the scene is refused or a step fails: a time counts only if the physics went through. When kernels shall be
/// timed and the backend is no GPU.
pub fn time(options: &Options) -> Result<Timing, Failure> {
    if options.scene.dim == 2 { time_in::<2>(options) } else { time_in::<3>(options) }
}

/// Why steps were not timed.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Steps that were timed one by one.
struct Steps {
    /// Times, ascending, `[ms]`.
    ms: Vec<f64>,
    iterations: u32,
    last: StepReport,
    per_step: PerStep,
    kernels: Vec<KernelTiming>,
}

fn time_in<const D: usize>(options: &Options) -> Result<Timing, Failure> {
    machine::reset_peak_memory();
    let backend = &options.processor.backend;
    let free = backend.gpu_memory()?;
    let mut simulation = run::simulation::<D>(&options.scene, &options.processor)?;
    let gravity = options.scene.gravity_vector::<D>()?;
    let potential_at_start = potential_energy(&simulation.state, gravity);
    for _ in 0..options.warmup {
        simulation.step(f64::INFINITY)?;
    }
    simulation.solver.reset_stopwatch();
    let Steps { ms, iterations, last, per_step, kernels } = steps(options, &mut simulation)?;
    let used = free.zip(backend.gpu_memory()?).map(|(before, after)| before.saturating_sub(after) as f64);
    simulation.fetch()?;
    let state = &simulation.state;
    let n = state.fluid.len();
    let per_particle = |seconds: f64| seconds * 1e9 / (n as f64 * options.steps as f64);
    let phases: BTreeMap<_, _> =
        simulation.solver.stopwatch().phases().iter().map(|p| (p.name, per_particle(p.seconds))).collect();
    let median = ms[ms.len() / 2];
    let peak = machine::peak_memory_bytes().unwrap_or(0) as f64;
    let support = f64::from(simulation.solver.support_radius() / state.rest.spacing);
    Ok(Timing {
        particles: n,
        walls: state.walls.len(),
        threads: rayon::current_num_threads(),
        isa: options.processor.isa.to_string(),
        backend: options.processor.name(),
        ms_per_step: median,
        ms_min: ms[0],
        million_per_second: n as f64 / median * 1e-3,
        mean_neighbors: PI * if D == 2 { support.powi(2) } else { 4.0 / 3.0 * support.powi(3) },
        backend_bytes: backend_bytes(options, state)?,
        backend_bytes_used: used,
        per_step,
        kernels,
        bytes_per_particle: peak / n as f64,
        peak_rss_mib: peak / f64::from(1 << 20),
        ns_per_particle_neighbors: phases.get("find_neighbors").copied().unwrap_or(0.0),
        phases,
        iterations: (iterations > 0).then(|| f64::from(iterations) / options.steps as f64),
        physics: BTreeMap::from([
            ("t", state.t),
            ("density_error_mean", last.density_error_mean),
            ("density_error_max", last.density_error_max),
            ("max_speed", last.max_speed),
            ("kinetic_energy", kinetic_energy(state)),
            ("front", front(state)),
            ("potential_energy", potential_energy(state, gravity) - potential_at_start),
        ]),
    })
}

/// The steps that count.
fn steps<const D: usize>(options: &Options, simulation: &mut Simulation<D>) -> Result<Steps, Failure> {
    let backend = &options.processor.backend;
    if options.kernels {
        backend.start_profile()?;
    }
    let before = counts::now();
    let (mut ms, mut iterations, mut last) = (Vec::new(), 0, StepReport::default());
    for _ in 0..options.steps {
        let start = Instant::now();
        last = simulation.step(f64::INFINITY)?;
        ms.push(start.elapsed().as_secs_f64() * 1e3);
        iterations += last.iterations;
    }
    let (done, n) = (counts::now() - before, options.steps as f64);
    let mean = |count: u64| count as f64 / n;
    let per_step =
        PerStep { launches: mean(done.launches), reads: mean(done.reads), waits: mean(done.waits) };
    let profile = if options.kernels { backend.take_profile()? } else { Vec::new() };
    let particles = simulation.state.fluid.len() as f64;
    let mut kernels: Vec<_> = profile
        .iter()
        .map(|time| KernelTiming {
            kernel: time.kernel,
            launches_per_step: mean(time.launches),
            ns_per_particle: 1e9 * time.seconds / (particles * n),
        })
        .collect();
    kernels.sort_by(|a, b| b.ns_per_particle.total_cmp(&a.ns_per_particle));
    ms.sort_by(f64::total_cmp);
    Ok(Steps { ms, iterations, last, per_step, kernels })
}

/// Planned memory on a GPU, `[B]`.
fn backend_bytes<const D: usize>(options: &Options, state: &State<D>) -> Result<Option<f64>, Error> {
    if options.processor.backend.is_cpu() {
        return Ok(None);
    }
    let counts = Counts { fluid: state.fluid.len() as f64, walls: state.walls.len() as f64 };
    run::memory_plan(&options.scene, counts, &options.processor).map(|plan| Some(plan.total()))
}

/// Kinetic energy of the fluid, `[J]`.
fn kinetic_energy<const D: usize>(state: &State<D>) -> f64 {
    let fluid = &state.fluid;
    let squares =
        (0..fluid.len()).map(|i| fluid.velocity(i).iter().map(|&v| f64::from(v).powi(2)).sum::<f64>());
    0.5 * f64::from(state.rest.m) * squares.sum::<f64>()
}

/// Energy of the fluid in a field of gravity `[m/s²]`, 0 at the origin, `[J]`.
fn potential_energy<const D: usize>(state: &State<D>, gravity: [f64; D]) -> f64 {
    let along = |a: usize| gravity[a] * state.fluid.x[a].iter().map(|&x| f64::from(x)).sum::<f64>();
    -f64::from(state.rest.m) * (0..D).map(along).sum::<f64>()
}

/// The x that 99.9 % of the particles lie below, `[m]`.
fn front<const D: usize>(state: &State<D>) -> f64 {
    let mut x: Vec<f64> = state.fluid.x[0].iter().map(|&x| f64::from(x)).collect();
    x.sort_by(f64::total_cmp);
    x[x.len() - 1 - x.len() / 1000]
}
