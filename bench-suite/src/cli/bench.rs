//! `sph bench`: steps per second of the rivals' case.

use bench_suite::stepping::{self, Options};
use clap::Subcommand;
use sph_core::lane::Isa;
use std::{error::Error, process::ExitCode};

/// What to time.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Steps of the dam break that the rivals run.
    Step {
        /// The case.
        #[arg(long, default_value = "peers", value_parser = ["peers"])]
        case: String,
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
}

fn jitter(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.0..=0.5).contains(&x) => Ok(x),
        _ => Err("must lie in [0, 0.5] spacings".into()),
    }
}

/// Runs it.
pub fn run(what: &Bench, isa: Isa, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let Bench::Step { m, warmup, steps, jitter, .. } = *what;
    let timing = stepping::time(&Options { m: m.into(), warmup, steps, jitter, isa })?;
    if json {
        println!("{}", serde_json::to_string(&timing)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{} particles, {} threads, {}: {:.2} ms a step ({:.2} at best), {:.2} million particle-steps/s",
        timing.particles,
        timing.threads,
        timing.isa,
        timing.ms_per_step,
        timing.ms_min,
        timing.million_per_second
    );
    for (phase, ns) in &timing.phases {
        println!("  {phase:<24}{ns:8.2} ns a particle");
    }
    println!("  peak memory {:.0} bytes a particle", timing.bytes_per_particle);
    Ok(ExitCode::SUCCESS)
}
