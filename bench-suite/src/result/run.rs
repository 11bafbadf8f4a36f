//! One run.

use super::{ReferenceCurve, Score, Series, failure::Failure, nan::nan_as_null, start::Start};
use crate::system::processor;
use serde::{Deserialize, Serialize};
use sph_core::method::failure::Retry;

/// Time spent in one phase of the step, over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name as in the solver's step.
    pub name: String,
    /// Wall time, summed `[s]`.
    pub seconds: f64,
    /// Number of calls.
    pub calls: u64,
}

/// A picture of the particles at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Simulated time `[s]`.
    pub t: f64,
    /// What is seen, for the caption and for readers who cannot see it.
    pub caption: String,
    /// The picture.
    pub image: Image,
}

/// The bytes of a picture, or where they lie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Image {
    /// Path of a PNG file, relative to the folder of `results.json`.
    File(String),
    /// PNG bytes in base64.
    Png(String),
}

/// Everything that one run of one solver on one case left behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Case, as in `list`.
    pub case: String,
    /// Solver, as in `list`.
    pub solver: String,
    /// The method in full, for people: formulation, kernel, smoothing, diffusion, preset.
    pub variant: String,
    /// Keys of the scene that were set for this run, and their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<(String, String)>,
    /// Dimension, 2 or 3.
    pub dim: u8,
    /// Particles across the case's reference length.
    pub particles_across: u64,
    /// Particle spacing `[m]`.
    pub spacing: f64,
    /// Fluid particles.
    pub n_fluid: u64,
    /// Wall particles.
    pub n_walls: u64,
    /// Time steps done.
    pub steps: u64,
    /// Simulated time `[s]`.
    #[serde(with = "nan_as_null")]
    pub simulated_s: f64,
    /// Iterations of a step, on average; none of a method that does not iterate.
    #[serde(default)]
    pub iterations: Option<f64>,
    /// Wall time of the steps `[s]`, without set-up and output.
    #[serde(with = "nan_as_null")]
    pub wall_s: f64,
    /// The wall times of all runs of it, of which that is the median `[s]`; empty where it ran once and was not timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timings_s: Vec<f64>,
    /// `f32` or `f64`.
    pub precision: String,
    /// Threads used.
    pub threads: u64,
    /// Instruction set used, such as `avx2`.
    pub isa: String,
    /// Where the steps ran: `cpu`, or number and name of a GPU as in `cuda:0 NVIDIA H100`.
    #[serde(default = "cpu")]
    pub backend: String,
    /// Measured numbers.
    pub scores: Vec<Score>,
    /// Measured curves.
    pub series: Vec<Series>,
    /// Curves of models that were fitted to this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<ReferenceCurve>,
    /// Time per phase.
    pub phases: Vec<Phase>,
    /// Largest resident memory of the process during the run `[bytes]`.
    pub memory_bytes_peak: Option<u64>,
    /// Memory of state and solver over all particles `[bytes]`.
    pub bytes_per_particle: Option<f64>,
    /// What the scene had become before the first step, with its warnings.
    pub start: Option<Start>,
    /// Pictures.
    pub frames: Vec<Frame>,
    /// Hash of all bits of the last state: equal for equal histories.
    #[serde(default)]
    pub state_hash: String,
    /// The resolved scene.
    pub scene_toml: String,
    /// Why the run ended early, if it did. A failed run is kept, and shown as failed.
    pub failure: Option<String>,
    /// The same failure in its parts.
    #[serde(default)]
    pub failure_report: Option<Failure>,
    /// Failures that the run went back from.
    #[serde(default)]
    pub retries: Vec<Retry>,
    /// What is to be known of a run that came to its end: particles that passed walls, steps that did not converge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The backend of results from before there was another.
fn cpu() -> String {
    processor::CPU.into()
}

impl RunResult {
    /// True for steps on the processor.
    #[must_use]
    pub fn is_on_cpu(&self) -> bool {
        self.backend.is_empty() || self.backend == processor::CPU
    }

    /// Particle updates a second `[1/s]`: fluid particles times steps over wall time. `None` without time or steps.
    #[must_use]
    pub fn particle_steps_per_s(&self) -> Option<f64> {
        let rate = self.n_fluid as f64 * self.steps as f64 / self.wall_s;
        (self.wall_s > 0.0 && self.steps > 0 && rate.is_finite()).then_some(rate)
    }

    /// The score by which the case compares methods: the one marked, else the first that has an error.
    #[must_use]
    pub fn headline(&self) -> Option<&Score> {
        let marked = self.scores.iter().find(|score| score.headline);
        marked.or_else(|| self.scores.iter().find(|score| score.error.is_some()))
    }

    /// Bands met and bands set; a failed run meets none.
    #[must_use]
    pub fn bands(&self) -> (usize, usize) {
        let set = self.scores.iter().filter(|score| score.band.is_some()).count();
        let met = self.scores.iter().filter(|score| score.passed == Some(true)).count();
        (if self.failure.is_some() { 0 } else { met }, set)
    }
}
