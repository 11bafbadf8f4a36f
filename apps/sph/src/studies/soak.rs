//! `sph soak`.

use crate::program::{
    exit_code::FAILED,
    print::{note, out},
    taken::Taken,
};
use bench_suite::{
    studies::soak::{self as run, Options, Sample, page},
    system::processor::Processor,
};
use std::{
    cell::Cell,
    error::Error,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

/// Time between two lines on the screen.
const PAUSE: Duration = Duration::from_secs(3);

/// Runs it, says how it goes, and ends with 1 when it does not hold.
pub fn soak(
    steps: u64,
    particles: u64,
    out: &Path,
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let _taken = Taken::take("--out", out, &page::FILES)?;
    let shown = Cell::new(Instant::now());
    let progress = |samples: &[Sample]| {
        let Some(last) = samples.last().filter(|_| shown.get().elapsed() >= PAUSE) else { return };
        shown.set(Instant::now());
        if !json {
            out!("{}", line(last));
        }
        // A stopped run leaves its series; a disk that is full now is reported at the end.
        let _ = page::write_series(samples, out);
    };
    let soak = run::soak(&Options { steps, particles, processor: processor.clone() }, &progress)?;
    page::write(&soak, out)?;
    if json {
        out!("{}", serde_json::to_string(&soak)?);
    } else {
        out!("{}\nreport: {}", page::page(&soak), out.join("soak.md").display());
    }
    if let Some(failure) = &soak.failure {
        note!("the soak did not hold: {failure}");
        return Ok(ExitCode::from(FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(s: &Sample) -> String {
    format!(
        "step {:>7}  t = {:8.3} s  energy {:.2e} ρgHV  speed {:.2e} m/s  density error {:.2e}  {} KiB, {} files  {:.1} steps/s",
        s.step,
        s.t,
        s.energy,
        s.max_speed,
        s.density_error,
        s.memory.unwrap_or(0) >> 10,
        s.handles.unwrap_or(0),
        s.steps_per_s
    )
}
