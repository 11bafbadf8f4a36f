//! `sph bench`: steps per second of the rivals' case, what frames cost it, and what iterations buy.

use bench_suite::{
    knobs,
    output::{Format, cost},
    processor::Processor,
    solving,
    stepping::{self, Options, Until},
    write::{check_folder, write_atomic},
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
    /// Steps of the dam break that the rivals run.
    Step {
        /// The case.
        #[arg(long, default_value = "peers", value_parser = ["peers"])]
        case: String,
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
        /// Steps before the clock starts.
        #[arg(long, default_value_t = 20)]
        warmup: u64,
        /// Steps timed.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
        steps: u64,
        /// Random displacement of the lattice, in spacings.
        #[arg(long, default_value_t = 0.15, value_parser = jitter)]
        jitter: f64,
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
    /// Copies within the memory of a card: the bandwidth that steps are measured against.
    #[command(after_help = "Example: sph bench copy --backend cuda")]
    Copy {
        /// Size of a copy, in MiB.
        #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
        mib: u32,
        /// Copies timed.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        copies: u32,
    },
    /// Density error of Position Based Fluids against iterations and against wall time.
    Iterations {
        /// Layers of particles in the column: 24 are 6 912 particles.
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16).range(4..=200))]
        n: u16,
        /// End of the runs, `[s]`.
        #[arg(long, default_value_t = 0.6)]
        end_time: f64,
        /// Folder for the report.
        #[arg(long, short, default_value = "results/bench-iterations")]
        out: PathBuf,
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
        /// Residual over the right side at which iterations end.
        #[arg(long, default_value_t = 1e-5, value_parser = part)]
        tolerance: f64,
        /// Random displacement of the lattice, in spacings.
        #[arg(long, default_value_t = 0.15, value_parser = jitter)]
        jitter: f64,
    },
    /// How ε and k of Position Based Fluids act on a column at rest: two plots and a table.
    Knobs {
        /// Folder for `epsilon.svg`, `scorr.svg` and `knobs.csv`.
        #[arg(long, short, default_value = "results/bench-knobs")]
        out: PathBuf,
    },
}

fn part(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("must lie in (0, 1)".into()),
    }
}

fn jitter(text: &str) -> Result<f64, String> {
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
        Bench::Step { solver, iterations, error, mode, springs, m, warmup, steps, jitter, .. } => {
            let until = error.map_or(Until::Iterations(*iterations), Until::Error);
            let scene = match solver.as_str() {
                "pbf" => stepping::scene_of_pbf((*m).into(), *jitter, until),
                "viscoelastic" => stepping::scene_of_viscoelastic((*m).into(), *jitter, mode, *springs),
                "projection" => stepping::scene_of_projection((*m).into(), *jitter),
                _ => stepping::scene((*m).into(), *jitter),
            };
            step(&Options { scene, warmup: *warmup, steps: *steps, processor: processor.clone() }, json)
        }
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
        Bench::Iterations { n, end_time, out } => {
            super::campaigns::iterations((*n).into(), *end_time, out, processor, json)
        }
        Bench::Solve { m, warmup, steps, tolerance, jitter } => {
            let (m, warmup, steps, tolerance, jitter) = ((*m).into(), *warmup, *steps, *tolerance, *jitter);
            let processor = processor.clone();
            solve(&solving::Options { m, jitter, warmup, steps, tolerance, processor }, json)
        }
        Bench::Knobs { out } => knobs(out, processor, json),
    }
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
        println!(
            "{}",
            serde_json::json!({ "backend": backend, "bytes": bytes, "copies": copies, "seconds": seconds, "gb_per_s": gb_per_s })
        );
    } else {
        println!(
            "{}: {mib} MiB in {:.3} ms, {gb_per_s:.0} GB/s read and written",
            processor.name(),
            1e3 * seconds
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn knobs(out: &Path, processor: &Processor, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    check_folder(out).map_err(|error| format!("--out: {error}"))?;
    let mut all = Vec::new();
    for wanted in knobs::wanted() {
        match knobs::measure(wanted, processor) {
            Ok(rest) => all.push(rest),
            // A column that does not rest is an answer, too: its point is missing.
            Err(error) => eprintln!(
                "ε = {}, k = {}, {} iterations: {error}",
                wanted.epsilon, wanted.k, wanted.iterations
            ),
        }
    }
    let table = knobs::table(&all);
    write_atomic(&out.join("epsilon.svg"), knobs::plot_of_epsilon(&all)?.as_bytes())?;
    write_atomic(&out.join("scorr.svg"), knobs::plot_of_strength(&all)?.as_bytes())?;
    write_atomic(&out.join("knobs.csv"), table.as_bytes())?;
    match json {
        true => println!("{}", serde_json::to_string(&all)?),
        false => print!("{table}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn output(options: &cost::Options, out: &Path, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let cost = cost::time(options, out)?;
    if json {
        println!("{}", serde_json::to_string(&cost)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{} particles, {} threads, a frame every {} steps: {:.2} ms a step without frames, {:.2} with: {:+.2} %",
        cost.particles, cost.threads, cost.every, cost.ms_without, cost.ms_with, cost.percent
    );
    println!(
        "  a frame is copied in {:.2} ms ({:.2} % of the steps' time) and written in {:.2} ms by another thread",
        cost.ms_copying, cost.copying_percent, cost.ms_writing
    );
    Ok(ExitCode::SUCCESS)
}

fn solve(options: &solving::Options, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let ways = solving::compare(options)?;
    if json {
        println!("{}", serde_json::to_string(&ways)?);
        return Ok(ExitCode::SUCCESS);
    }
    let (particles, backend) = (ways.first().map_or(0, |way| way.particles), options.processor.name());
    println!("{particles} particles, {backend}, {} threads", rayon::current_num_threads());
    println!("preconditioner  start  iterations  ms a step  million particle-iterations/s");
    for way in &ways {
        let start = if way.warm_start { "warm" } else { "zero" };
        println!(
            "{:<14}  {start}   {:10.1} {:10.1}  {:10.1}",
            way.preconditioner, way.iterations, way.ms, way.million_per_second
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn step(options: &Options, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let timing = stepping::time(options)?;
    if json {
        println!("{}", serde_json::to_string(&timing)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!(
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
        println!("  {phase:<24}{ns:8.2} ns a particle");
    }
    if let Some(iterations) = timing.iterations {
        let error = 100.0 * timing.physics["density_error_mean"];
        println!("  {iterations:.1} iterations a step, mean density error {error:.3} %");
    }
    println!("  peak memory {:.0} bytes a particle", timing.bytes_per_particle);
    Ok(ExitCode::SUCCESS)
}
