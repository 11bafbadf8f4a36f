//! The same steps of one scene, again and again: hashes of all bits of the last state.

use crate::{run, system::processor::Processor};
use serde::Serialize;
use sph_core::scene::Scene;
use std::{collections::BTreeSet, error::Error};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Repeats {
    /// Where the steps ran.
    pub backend: String,
    /// Fluid particles at the start.
    pub particles: usize,
    /// Steps of each run.
    pub steps: u64,
    /// Runs.
    pub runs: u32,
    /// The different hashes with which runs ended: one, unless something depends on the order of threads.
    pub hashes: BTreeSet<String>,
}

/// Runs the scene `runs` times for `steps` steps, inside of this process.
///
/// # Errors
/// When the scene is refused or a step fails.
pub fn repeat(
    scene: &Scene,
    steps: u64,
    runs: u32,
    processor: &Processor,
) -> Result<Repeats, Box<dyn Error + Send + Sync>> {
    let mut repeats =
        Repeats { backend: processor.name(), particles: 0, steps, runs, hashes: BTreeSet::new() };
    for _ in 0..runs {
        let (particles, hash) = match scene.dim {
            2 => end_of::<2>(scene, steps, processor)?,
            _ => end_of::<3>(scene, steps, processor)?,
        };
        repeats.particles = particles;
        repeats.hashes.insert(format!("{hash:016x}"));
    }
    Ok(repeats)
}

/// Number of particles, and the hash of the state after so many steps.
fn end_of<const D: usize>(
    scene: &Scene,
    steps: u64,
    processor: &Processor,
) -> Result<(usize, u64), Box<dyn Error + Send + Sync>> {
    let mut run = run::simulation::<D>(scene, processor)?;
    for _ in 0..steps {
        run.step(f64::INFINITY)?;
    }
    run.fetch()?;
    Ok((run.state.fluid.len(), run.state.hash()))
}
