//! The state of a GPU as NVIDIA's tools report it.

use super::child::find;
use std::{path::PathBuf, process::Command};

/// Folders of a toolkit's programs, beside those of `PATH`.
const FOLDERS: [&str; 2] = ["/usr/local/cuda/bin", "/opt/nvidia/nsight-compute"];

/// A program of the toolkit.
pub fn tool(name: &str) -> Option<PathBuf> {
    find(name, &FOLDERS)
}

/// Clocks `[MHz]`, temperature `[°C]`, power and reasons of throttling of the GPU of a backend, as `nvidia-smi` says
/// them; nothing where it is missing or the backend is no GPU.
pub fn clocks(backend: &str) -> Option<String> {
    let ordinal = backend.strip_prefix("cuda:")?;
    let what = "clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_throttle_reasons.active";
    let asked = Command::new(tool("nvidia-smi")?)
        .args(["-i", ordinal, &format!("--query-gpu={what}"), "--format=csv,noheader"])
        .output()
        .ok()?;
    asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}
