//! `sph parity`.

use crate::program::{
    exit_code::FAILED,
    print::{note, out},
    scene::SceneArgs,
};
use bench_suite::{
    studies::parity::{self, table},
    system::processor::Processor,
};
use std::{error::Error, process::ExitCode};

/// Compares, prints, and ends with 1 when a run fails.
pub fn parity(
    scene: &SceneArgs,
    steps: &[u64],
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    if processor.backend.is_cpu() {
        let others = if cfg!(feature = "host") { "cuda, cuda:N or emulator" } else { "cuda or cuda:N" };
        return Err(format!("--backend cpu: is compared with itself; use {others}").into());
    }
    let parity = parity::compare(&scene.read(processor)?, steps, processor)?;
    match json {
        true => out!("{}", serde_json::to_string(&parity)?),
        false => out!("{}", table(&parity).trim_end()),
    }
    if let Some(failure) = &parity.failure {
        note!("a run failed: {failure}");
        return Ok(ExitCode::from(FAILED));
    }
    Ok(ExitCode::SUCCESS)
}
