//! `sph devices`: the GPUs, or why none can be used.

use crate::program::print::out;
use serde_json::{Value, json};
use std::{error::Error, process::ExitCode};

/// Prints what was found. No GPU is an answer, too.
pub fn devices(as_json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let (text, value) = found();
    if as_json {
        out!("{value}");
    } else {
        out!("{text}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The GPUs as text or JSON.
#[cfg(feature = "cuda")]
fn found() -> (String, Value) {
    use cuda_kernels::device::gpu;
    let machine = match gpu::probe() {
        Ok(machine) => machine,
        Err(reason) => return none(&reason.to_string()),
    };
    let entry = |found: &gpu::Gpu| {
        json!({
            "ordinal": found.ordinal,
            "name": found.name,
            "total_bytes": found.total_memory,
            "free_bytes": found.free_memory.as_ref().ok(),
            "free_unknown": found.free_memory.as_ref().err().map(ToString::to_string),
            "compute_capability": found.compute_capability.to_string(),
        })
    };
    let value = json!({
        "driver": machine.driver.to_string(),
        "nvrtc": machine.compiler.map(|version| version.to_string()),
        "gpus": machine.gpus.iter().map(entry).collect::<Vec<_>>(),
        "reason": null,
    });
    (machine.to_string(), value)
}

#[cfg(not(feature = "cuda"))]
fn found() -> (String, Value) {
    none("this program was built without the feature `cuda`")
}

fn none(reason: &str) -> (String, Value) {
    (format!("no GPU: {reason}"), json!({ "driver": null, "nvrtc": null, "gpus": [], "reason": reason }))
}
