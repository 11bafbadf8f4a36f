//! Effect of preconditioner and warm start on iterations and time of the pressure solve.

use crate::{run, studies::stepping, system::processor::Processor};
use serde::Serialize;

/// What to time.
#[derive(Clone, Debug)]
pub struct Options {
    /// The block is 2m × 2m × m particles.
    pub m: usize,
    /// Random displacement of the lattice, in spacings.
    pub jitter: f64,
    /// Steps before those that count.
    pub warmup: u64,
    /// Steps that count.
    pub steps: u64,
    /// Residual over the right-hand side at which iterations end, `[-]`.
    pub tolerance: f64,
    /// Where and how steps run.
    pub processor: Processor,
}

/// One solver configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Solving {
    /// Value of `preconditioner`.
    pub preconditioner: &'static str,
    /// True when a step begins with the pressure of the last one.
    pub warm_start: bool,
    /// Fluid particles.
    pub particles: usize,
    /// Mean iterations of a step.
    pub iterations: f64,
    /// Mean time to find the pressure of a step, the preconditioner's own preparations included, `[ms]`.
    pub ms: f64,
    /// Million particle-iterations a second.
    pub million_per_second: f64,
    /// Largest residual of a step over its right-hand side, `[-]`.
    pub residual: f64,
}

/// The configurations that are compared.
const CONFIGURATIONS: [(&str, bool); 6] = [
    ("none", false),
    ("diagonal", false),
    ("multilevel", false),
    ("none", true),
    ("diagonal", true),
    ("multilevel", true),
];

/// Follows the dam break of [`stepping`] for equally many steps with each configuration.
///
/// # Errors
/// When a step fails, or ends its iterations without the pressure.
pub fn compare(options: &Options) -> Result<Vec<Solving>, Box<dyn std::error::Error + Send + Sync>> {
    CONFIGURATIONS
        .iter()
        .map(|&(preconditioner, warm_start)| time(options, preconditioner, warm_start))
        .collect()
}

fn time(
    options: &Options,
    preconditioner: &'static str,
    warm_start: bool,
) -> Result<Solving, Box<dyn std::error::Error + Send + Sync>> {
    const PHASE: &str = "solve_pressure";
    let mut scene = stepping::scene_of_projection(options.m, options.jitter);
    scene.solver.set("preconditioner", preconditioner);
    scene.solver.set("warm_start", warm_start);
    scene.solver.set("cg_tolerance", options.tolerance);
    scene.solver.set("cg_max_iter", 100_000);
    let mut simulation = run::simulation::<3>(&scene, &options.processor)?;
    for _ in 0..options.warmup {
        simulation.step(f64::INFINITY)?;
    }
    simulation.solver.reset_stopwatch();
    let (mut iterations, mut residual) = (0, 0.0_f64);
    for _ in 0..options.steps {
        let report = simulation.step(f64::INFINITY)?;
        iterations += report.iterations;
        residual = residual.max(report.residual);
    }
    let phases = simulation.solver.stopwatch().phases();
    let seconds: f64 = phases.iter().filter(|phase| phase.name == PHASE).map(|phase| phase.seconds).sum();
    let particles = simulation.state.fluid.len();
    let (steps, iterations) = (options.steps as f64, f64::from(iterations));
    Ok(Solving {
        preconditioner,
        warm_start,
        particles,
        iterations: iterations / steps,
        ms: 1e3 * seconds / steps,
        million_per_second: 1e-6 * particles as f64 * iterations / seconds,
        residual,
    })
}
