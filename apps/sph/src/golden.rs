//! `sph update-goldens`.

use crate::program::print::out;
use bench_suite::{
    campaign::golden::{self, Golden},
    system::{processor::Processor, write::write_atomic},
};
use sph_core::Real;
use std::{error::Error, path::Path, process::ExitCode};

/// Measures and stores.
pub fn update(reason: &str, processor: &Processor) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let name = if size_of::<Real>() == 4 { "golden_f32.json" } else { "golden_f64.json" };
    let path = Path::new("bench-suite/reference").join(name);
    if !path.exists() {
        return Err(format!(
            "{} is not here: run `sph update-goldens` in the root of the project",
            path.display()
        )
        .into());
    }
    let golden = Golden { reason: reason.into(), scores: golden::measure(processor)? };
    write_atomic(&path, (serde_json::to_string_pretty(&golden)? + "\n").as_bytes())?;
    out!("{}", path.display());
    Ok(ExitCode::SUCCESS)
}
