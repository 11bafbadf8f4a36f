//! `sph devices`: the cards, or why there is none.

use serde_json::{Value, json};
use std::{error::Error, process::ExitCode};

/// Prints what was found. No card is an answer, too.
pub fn devices(as_json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let (text, value) = found();
    if as_json {
        println!("{value}");
    } else {
        println!("{text}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The cards in words, and for machines.
#[cfg(feature = "cuda")]
fn found() -> (String, Value) {
    use cuda_kernels::device::gpu;
    let machine = match gpu::probe() {
        Ok(machine) => machine,
        Err(reason) => return none(&reason.to_string()),
    };
    let card = |card: &gpu::Gpu| {
        json!({
            "ordinal": card.ordinal,
            "name": card.name,
            "total_bytes": card.total_memory,
            "free_bytes": card.free_memory.as_ref().ok(),
            "free_unknown": card.free_memory.as_ref().err().map(ToString::to_string),
            "compute_capability": card.compute_capability.to_string(),
        })
    };
    let value = json!({
        "driver": machine.driver.to_string(),
        "nvrtc": machine.compiler.map(|version| version.to_string()),
        "cards": machine.gpus.iter().map(card).collect::<Vec<_>>(),
        "reason": null,
    });
    (machine.to_string(), value)
}

#[cfg(not(feature = "cuda"))]
fn found() -> (String, Value) {
    none("this program was built without the feature `cuda`")
}

fn none(reason: &str) -> (String, Value) {
    (format!("no card: {reason}"), json!({ "driver": null, "nvrtc": null, "cards": [], "reason": reason }))
}
