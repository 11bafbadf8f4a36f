//! `sph bench step`.

use super::bench::{jitter, part};
use crate::program::{print::out, scene::SetArgs};
use bench_suite::{
    scenes,
    studies::stepping::{self, Options, Until},
    system::processor::Processor,
};
use clap::Args;
use sph_core::{error::Error as SceneError, scene::Scene};
use std::{error::Error, path::PathBuf, process::ExitCode};

/// What to step, and how often.
#[derive(Debug, Args)]
pub struct StepArgs {
    /// A scene file in place of the reference codes' case.
    #[arg(long, conflicts_with_all = ["solver", "m", "support"])]
    scene: Option<PathBuf>,
    #[command(flatten)]
    set: SetArgs,
    /// The method.
    #[arg(long, default_value = "wcsph", value_parser = ["wcsph", "pbf", "viscoelastic", "projection"])]
    solver: String,
    /// Iterations of a step, for `pbf`.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=500), conflicts_with = "error")]
    iterations: u32,
    /// Mean density error at which iterations end, for `pbf`.
    #[arg(long, value_parser = part)]
    error: Option<f64>,
    /// Order of the relaxation, for `viscoelastic`.
    #[arg(long, default_value = "colored", value_parser = ["sequential", "colored", "jacobi"])]
    mode: String,
    /// Springs between all neighbors, for `viscoelastic`.
    #[arg(long)]
    springs: bool,
    /// The block is 2m × 2m × m particles: 17, 29, 50 are 20, 98, 500 thousand.
    #[arg(long, default_value_t = 29, value_parser = clap::value_parser!(u16).range(2..=400))]
    m: u16,
    /// Support of the smoothing kernel, in spacings; that of the method if left out.
    #[arg(long)]
    support: Option<f64>,
    /// Times each kernel by events, on a GPU.
    #[arg(long)]
    kernels: bool,
    /// Steps before the clock starts.
    #[arg(long, default_value_t = 20)]
    warmup: u64,
    /// Steps timed.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Random displacement of the lattice, in spacings.
    #[arg(long, default_value_t = 0.15, value_parser = jitter)]
    jitter: f64,
}

impl StepArgs {
    fn scene(&self) -> Result<Scene, SceneError> {
        if let Some(file) = &self.scene {
            return scenes::read(file);
        }
        let (m, jitter) = (self.m.into(), self.jitter);
        let mut scene = match self.solver.as_str() {
            "pbf" => {
                let until = self.error.map_or(Until::Iterations(self.iterations), Until::Error);
                stepping::scene_of_pbf(m, jitter, until)
            }
            "viscoelastic" => stepping::scene_of_viscoelastic(m, jitter, &self.mode, self.springs),
            "projection" => stepping::scene_of_projection(m, jitter),
            _ => stepping::scene(m, jitter),
        };
        if let Some(support) = self.support {
            scene.solver.set("support_ratio", support);
        }
        Ok(scene)
    }
}

/// Times the steps, and prints.
pub fn run(
    args: &StepArgs,
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let (scene, processor) = (args.set.applied(args.scene()?, processor)?, processor.clone());
    let StepArgs { warmup, steps, kernels, .. } = *args;
    let timing = stepping::time(&Options { scene, warmup, steps, processor, kernels })?;
    if json {
        out!("{}", serde_json::to_string(&timing)?);
        return Ok(ExitCode::SUCCESS);
    }
    out!(
        "{} particles, {}, {} threads, {}: {:.2} ms a step ({:.2} at best), {:.2} million particle-steps/s",
        timing.particles,
        timing.backend,
        timing.threads,
        timing.isa,
        timing.ms_per_step,
        timing.ms_min,
        timing.million_per_second
    );
    for (phase, ns) in &timing.phases {
        out!("  {phase:<24}{ns:8.2} ns a particle");
    }
    if let Some(iterations) = timing.iterations {
        let error = 100.0 * timing.physics["density_error_mean"];
        out!("  {iterations:.1} iterations a step, mean density error {error:.3} %");
    }
    for kernel in &timing.kernels {
        let (name, launches) = (kernel.kernel, kernel.launches_per_step);
        out!("  {name:<32}{:8.3} ns a particle, {launches:.1} launches a step", kernel.ns_per_particle);
    }
    out!("  peak memory {:.0} bytes a particle", timing.bytes_per_particle);
    Ok(ExitCode::SUCCESS)
}
