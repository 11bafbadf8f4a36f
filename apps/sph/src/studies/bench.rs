//! `sph bench`: steps per second of the reference codes' case, and the cost of frames.

use super::step;
use crate::program::{
    exit_code::FAILED,
    print::{note, out},
    scene::SceneArgs,
    taken::Taken,
};
use bench_suite::{
    output::{self, Format},
    studies::{cost, repeat::repeat, solving},
    system::processor::Processor,
};
use clap::Subcommand;
use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// What to time.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Steps of the dam break of the reference codes, or of a scene.
    Step(step::StepArgs),
    /// The same steps of a scene again and again: the hashes of all bits with which they end.
    #[command(after_help = "Example: sph bench repeat bench-suite/scenes/cube.toml --steps 50 --runs 5")]
    Repeat {
        #[command(flatten)]
        scene: SceneArgs,
        /// Steps of each run.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
        steps: u64,
        /// Runs.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
    },
    /// Blocks of steps with one frame written and with none, in turns.
    #[command(after_help = "Example: sph bench output --m 29 --pairs 10 --format vtu,npz")]
    Output {
        /// The block is 2m × 2m × m particles.
        #[arg(long, default_value_t = 29, value_parser = clap::value_parser!(u16).range(2..=400))]
        m: u16,
        /// Steps to a frame.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
        every: u64,
        /// Pairs of blocks.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
        pairs: u16,
        /// Formats of a frame.
        #[arg(long = "format", value_delimiter = ',', default_value = "vtu")]
        formats: Vec<Format>,
        /// Folder for the frames.
        #[arg(long, default_value = "results/bench-output")]
        out: PathBuf,
    },
    /// Copies within the memory of a GPU: the bandwidth that steps are measured against.
    #[command(after_help = "Example: sph bench copy --backend cuda")]
    Copy {
        /// Size of a copy, in MiB.
        #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
        mib: u32,
        /// Copies timed.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        copies: u32,
    },
    /// What a preconditioner and a warm start buy the staggered projection: iterations and time until the pressure is found.
    #[command(after_help = "Example: sph bench solve --m 50 --steps 5")]
    Solve {
        /// The block is 2m × 2m × m particles: 17, 29, 50 are 20, 98, 500 thousand.
        #[arg(long, default_value_t = 29, value_parser = clap::value_parser!(u16).range(2..=400))]
        m: u16,
        /// Steps before those that count.
        #[arg(long, default_value_t = 5)]
        warmup: u64,
        /// Steps that count.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
        steps: u64,
        /// Residual over the right-hand side at which iterations end.
        #[arg(long, default_value_t = 1e-5, value_parser = part)]
        tolerance: f64,
        /// Random displacement of the lattice, in spacings.
        #[arg(long, default_value_t = 0.15, value_parser = jitter)]
        jitter: f64,
    },
}

pub(super) fn part(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("must lie in (0, 1)".into()),
    }
}

pub(super) fn jitter(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.0..=0.5).contains(&x) => Ok(x),
        _ => Err("must lie in [0, 0.5] spacings".into()),
    }
}

/// Runs it.
pub fn run(
    what: &Bench,
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    match what {
        Bench::Step(args) => step::run(args, processor, json),
        Bench::Repeat { scene, steps, runs } => repeats(scene, *steps, *runs, processor, json),
        Bench::Output { m, every, pairs, formats, out } => {
            let (m, pairs) = ((*m).into(), (*pairs).into());
            output(
                &cost::Options {
                    m,
                    every: *every,
                    pairs,
                    formats: formats.clone(),
                    processor: processor.clone(),
                },
                out,
                json,
            )
        }
        Bench::Copy { mib, copies } => copy(*mib, *copies, processor, json),
        Bench::Solve { m, warmup, steps, tolerance, jitter } => {
            let (m, warmup, steps, tolerance, jitter) = ((*m).into(), *warmup, *steps, *tolerance, *jitter);
            let processor = processor.clone();
            solve(&solving::Options { m, jitter, warmup, steps, tolerance, processor }, json)
        }
    }
}

fn repeats(
    scene: &SceneArgs,
    steps: u64,
    runs: u32,
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let repeats = repeat(&scene.read(processor)?, steps, runs, processor)?;
    if json {
        out!("{}", serde_json::to_string(&repeats)?);
    } else {
        out!("{} particles, {}: {runs} runs of {steps} steps", repeats.particles, repeats.backend);
        repeats.hashes.iter().for_each(|hash| out!("  {hash}"));
    }
    if repeats.hashes.len() > 1 {
        note!("equal steps ended with {} different states", repeats.hashes.len());
        return Ok(ExitCode::from(FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

fn copy(
    mib: u32,
    copies: u32,
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let bytes = mib as usize * (1 << 20);
    let seconds = processor.backend.time_copy(bytes, copies)?;
    // Read and written.
    let gb_per_s = 2e-9 * bytes as f64 / seconds;
    if json {
        let backend = processor.name();
        out!(
            "{}",
            serde_json::json!({ "backend": backend, "bytes": bytes, "copies": copies, "seconds": seconds, "gb_per_s": gb_per_s })
        );
    } else {
        out!(
            "{}: {mib} MiB in {:.3} ms, {gb_per_s:.0} GB/s read and written",
            processor.name(),
            1e3 * seconds
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn output(options: &cost::Options, out: &Path, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let _taken = Taken::take("--out", out, &[output::INDEX, output::PVD])?;
    let cost = cost::time(options, out)?;
    if json {
        out!("{}", serde_json::to_string(&cost)?);
        return Ok(ExitCode::SUCCESS);
    }
    out!(
        "{} particles, {} threads, a frame every {} steps: {:.2} ms a step without frames, {:.2} with: {:+.2} %",
        cost.particles,
        cost.threads,
        cost.every,
        cost.ms_without,
        cost.ms_with,
        cost.percent
    );
    out!(
        "  a frame is copied in {:.2} ms ({:.2} % of the steps' time) and written in {:.2} ms by another thread",
        cost.ms_copying,
        cost.copying_percent,
        cost.ms_writing
    );
    Ok(ExitCode::SUCCESS)
}

fn solve(options: &solving::Options, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let runs = solving::compare(options)?;
    if json {
        out!("{}", serde_json::to_string(&runs)?);
        return Ok(ExitCode::SUCCESS);
    }
    let (particles, backend) = (runs.first().map_or(0, |run| run.particles), options.processor.name());
    out!("{particles} particles, {backend}, {} threads", rayon::current_num_threads());
    out!("preconditioner  start  iterations  ms a step  million particle-iterations/s");
    for run in &runs {
        let start = if run.warm_start { "warm" } else { "zero" };
        out!(
            "{:<14}  {start}   {:10.1} {:10.1}  {:10.1}",
            run.preconditioner,
            run.iterations,
            run.ms,
            run.million_per_second
        );
    }
    Ok(ExitCode::SUCCESS)
}
